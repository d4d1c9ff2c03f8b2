// The request `writers`: who may be writing files of a device right now, from /proc.
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "helper/handlers.hpp"
#include "helper/walker.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_found_max = 16'384;
constexpr std::size_t k_proc_file_max = 4U << 20U;

bool is_number(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Files of /proc have no size; they are read to their end, within a bound.
std::string read_proc(int directory, const char* name) {
    const UniqueFd fd{::openat(directory, name, O_RDONLY | O_CLOEXEC)};
    std::string text;
    char buffer[16'384];
    while (fd && text.size() < k_proc_file_max) {
        const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
        if (count <= 0) break;
        text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
}

class WriterSearch {
  public:
    explicit WriterSearch(std::uint64_t dev) : dev_(dev) {}

    proto::WritersFound run() {
        found_.complete = true;
        const UniqueFd proc{::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)};
        auto names = list_names(proc.get(), "/proc");
        if (!names) {
            found_.complete = false;
            return found_;
        }
        for (const std::string& name : *names) {
            if (is_number(name)) look_into(proc.get(), name);
        }
        return found_;
    }

  private:
    void look_into(int proc, const std::string& pid) {
        const UniqueFd process{::openat(proc, pid.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
        if (!process) return;  // ended meanwhile
        const UniqueFd files{::openat(process.get(), "fd", O_PATH | O_DIRECTORY | O_CLOEXEC)};
        auto names = list_names(files.get(), pid);
        if (!names) {
            const bool ended = names.error().error == ENOENT || names.error().error == ESRCH;
            found_.complete = found_.complete && ended;
            return;
        }
        const auto number = static_cast<std::uint32_t>(std::strtoul(pid.c_str(), nullptr, 10));
        for (const std::string& name : *names)
            look_at_fd(process.get(), files.get(), name, number);
        look_at_maps(process.get(), number);
    }

    void look_at_fd(int process, int files, const std::string& name, std::uint32_t pid) {
        struct stat info {};
        if (::fstatat(files, name.c_str(), &info, 0) != 0 || !S_ISREG(info.st_mode) || info.st_dev != dev_) return;
        const std::string text = read_proc(process, ("fdinfo/" + name).c_str());
        const std::size_t at = text.find("flags:");
        if (at == std::string::npos) return;
        const unsigned long flags = std::strtoul(text.c_str() + at + 6, nullptr, 8);
        if ((flags & O_ACCMODE) != O_RDONLY) add(info.st_ino, pid);
    }

    // "start-end rw-s offset major:minor inode path": written through memory, perhaps with the descriptor closed long
    // ago.
    void look_at_maps(int process, std::uint32_t pid) {
        const std::string text = read_proc(process, "maps");
        for (const std::string_view line : split(text, '\n')) {
            const auto words = split(line, ' ');
            if (words.size() < 5 || words[1].size() < 4 || words[1][1] != 'w' || words[1][3] != 's') continue;
            const std::string device(words[3]);
            const std::size_t colon = device.find(':');
            if (colon == std::string::npos) continue;
            const auto major_number = static_cast<unsigned>(std::strtoul(device.c_str(), nullptr, 16));
            const auto minor_number = static_cast<unsigned>(std::strtoul(device.c_str() + colon + 1, nullptr, 16));
            const std::uint64_t inode = std::strtoull(std::string(words[4]).c_str(), nullptr, 10);
            if (inode != 0 && makedev(major_number, minor_number) == dev_) add(inode, pid);
        }
    }

    void add(std::uint64_t inode, std::uint32_t pid) {
        if (found_.files.size() >= k_found_max) {
            found_.complete = false;
            return;
        }
        found_.files.push_back(proto::OpenFile{dev_, inode, pid});
    }

    std::uint64_t dev_{0};
    proto::WritersFound found_{};
};

}  // namespace

JobPointer handle_writers(Context& context, std::uint32_t request, std::string_view payload) {
    return answer_at_once<proto::Writers>(context, request, payload,
                                          [&](const proto::Writers& message) -> Outcome<proto::WritersFound> {
                                              TRY_ASSIGN(Root * root, context.roots.find(message.root));
                                              TRY_ASSIGN(const Place place, locate(*root, message.path, Need::look));
                                              TRY_ASSIGN(const struct stat info, look_at(place));
                                              return WriterSearch(info.st_dev).run();
                                          });
}

}  // namespace drawhitch::helper
