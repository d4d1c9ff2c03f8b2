#include "io/demo/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/fd.hpp"

namespace drawhitch::demo {

namespace {

std::vector<std::string> listed(const std::string& directory, const std::string& prefix) {
    std::vector<std::string> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> open{::opendir((directory + "/" + prefix).c_str()), ::closedir};
    if (!open) return found;
    while (const dirent* entry = ::readdir(open.get())) {
        const std::string name = entry->d_name;
        if (name.starts_with(".")) continue;
        const std::string path = prefix.empty() ? name : prefix + "/" + name;
        struct stat info {};
        if (::lstat((directory + "/" + path).c_str(), &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            for (auto& below : listed(directory, path))
                found.push_back(std::move(below));
        } else if (S_ISREG(info.st_mode)) {
            found.push_back(path);
        }
    }
    return found;
}

int remove_one(const char* path, const struct stat*, int kind, FTW*) {
    if (kind == FTW_DP) {
        ::rmdir(path);
    } else {
        ::unlink(path);
    }
    return 0;
}

// Releases are read-only: a directory must be writable before its entries can go.
int open_up(const char* path, const struct stat*, int kind, FTW*) {
    if (kind == FTW_D || kind == FTW_DNR) ::chmod(path, 0700);
    return 0;
}

}  // namespace

Status make_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0) return errno_error(errno, "create", path);
    return ok();
}

Status write_new_file(const std::string& path, std::string_view text) {
    const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!file) return errno_error(errno, "create", path);
    return write_all(file.get(), text, path);
}

std::vector<std::string> files_below(const std::string& directory) {
    std::vector<std::string> found = listed(directory, {});
    std::ranges::sort(found);
    return found;
}

void remove_tree(const std::string& path) noexcept {
    constexpr int k_open_directories = 32;
    ::nftw(path.c_str(), open_up, k_open_directories, FTW_PHYS | FTW_MOUNT);
    ::nftw(path.c_str(), remove_one, k_open_directories, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}

}  // namespace drawhitch::demo
