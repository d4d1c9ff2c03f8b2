#include "io/disk/config_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace drawhitch::disk {

namespace {

enum class Owner { ours, root, other };

Owner owner_of(const struct stat& found, unsigned user) {
    if (found.st_uid == user) return Owner::ours;
    return found.st_uid == 0 ? Owner::root : Owner::other;
}

std::string uid_text(const struct stat& found) {
    return "it belongs to another user (uid " + std::to_string(found.st_uid) + ")";
}

// Opens without waiting (a FIFO of that name would block) and stats what was opened, so that both are about one file.
// Nothing when there is no such file.
struct Opened {
    UniqueFd fd{};
    struct stat found {};
};
Result<std::optional<Opened>> open_file(const std::string& path) {
    Opened opened;
    opened.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!opened.fd) {
        const int problem = errno;
        if (problem == ENOENT || problem == ENOTDIR) return std::optional<Opened>{};
        return errno_error(problem, "open", path);
    }
    if (::fstat(opened.fd.get(), &opened.found) != 0) return errno_error(errno, "examine", path);
    return std::optional<Opened>{std::move(opened)};
}

Result<std::string> read_text(const Opened& opened, const std::string& path) {
    if (!S_ISREG(opened.found.st_mode)) return Error{Code::config, printable(path) + " is no regular file"};
    std::string text(k_config_file_limit + 1, '\0');
    TRY_ASSIGN(const std::size_t size, read_full(opened.fd.get(), text, path));
    if (size > k_config_file_limit) {
        return Error{Code::config, printable(path) + " is larger than " + human_bytes(k_config_file_limit)};
    }
    text.resize(size);
    return text;
}

bool everybody_writes(const struct stat& found) {
    return (found.st_mode & S_IWOTH) != 0;
}

std::string chmod_command(std::string_view mode, const std::string& path) {
    return "chmod " + std::string(mode) + " " + shell_quote(path);
}

// Why a project file is passed over, or "" when it counts. stat first: one that is not ours is not even opened.
Result<std::string> reason_to_ignore(const std::string& path, unsigned user) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return std::string("absent");
        if (errno == ELOOP || errno == EACCES) return errno_error(errno, "examine", path).message;
        return errno_error(errno, "examine", path);
    }
    if (owner_of(found, user) != Owner::ours) return uid_text(found);
    if (everybody_writes(found)) return "every user may write it; after " + chmod_command("o-w", path) + " it counts";
    if (!S_ISREG(found.st_mode)) return std::string("it is no regular file");
    return std::string();
}

}  // namespace

unsigned current_user() {
    return ::geteuid();
}

Result<std::optional<ConfigFile>> read_user_file(const std::string& path, unsigned user) {
    TRY_ASSIGN(const std::optional<Opened> opened, open_file(path));
    if (!opened) return std::optional<ConfigFile>{};
    if (owner_of(opened->found, user) == Owner::other) {
        return Error{Code::permission, "refusing to read " + printable(path) + ": " + uid_text(opened->found)};
    }
    if (everybody_writes(opened->found)) {
        return Error{Code::permission, "refusing to read " + printable(path) + ": every user may write it"}.then(
            chmod_command("o-w", path));
    }
    TRY_ASSIGN(std::string text, read_text(*opened, path));
    return std::optional<ConfigFile>{ConfigFile{path, std::move(text)}};
}

Result<Discovery> find_upwards(const std::string& directory, std::string_view name, unsigned user) {
    Discovery discovery;
    std::string current = directory;
    for (;;) {
        while (current.size() > 1 && current.back() == '/')
            current.pop_back();
        std::string path = current == "/" ? current : current + "/";
        path.append(name);
        TRY_ASSIGN(const std::string reason, reason_to_ignore(path, user));
        if (reason.empty()) {
            TRY_ASSIGN(const std::optional<Opened> opened, open_file(path));
            // Between the look and the opening it may have been exchanged: what was opened decides.
            if (!opened || owner_of(opened->found, user) != Owner::ours || everybody_writes(opened->found)) {
                return Error{Code::changed, printable(path) + " changed while it was examined"};
            }
            TRY_ASSIGN(std::string text, read_text(*opened, path));
            discovery.found = ConfigFile{path, std::move(text)};
            return discovery;
        }
        if (reason != "absent") {
            discovery.ignored.push_back(printable(path) + " is ignored: " + reason);
        }
        const std::size_t slash = current.rfind('/');
        if (current == "/" || slash == std::string::npos) return discovery;
        current.resize(slash == 0 ? 1 : slash);
    }
}

Status make_directories(const std::string& path) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
            const int problem = errno;
            struct stat found {};
            // A read-only or unsearchable parent is no obstacle when the directory is there already.
            if (::stat(part.c_str(), &found) != 0) return errno_error(problem, "create directory", part);
        }
        if (slash == std::string::npos) return ok();
    }
}

Status private_directory(const std::string& path, unsigned user) {
    TRY(make_directories(path));
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return errno_error(errno, "examine", path);
    if (!S_ISDIR(found.st_mode)) return Error{Code::config, printable(path) + " is no directory"};
    if (owner_of(found, user) != Owner::ours) {
        return Error{Code::permission, "refusing to use " + printable(path) + ": " + uid_text(found)}
            .because("it keeps what drawhitch believes about your boxes")
            .then("export XDG_STATE_HOME=\"$HOME/.local/state\"");
    }
    if ((found.st_mode & 077U) != 0) {
        return Error{Code::permission, "refusing to use " + printable(path) + ": other users can enter it"}
            .because("it keeps what drawhitch believes about your boxes")
            .then(chmod_command("700", path));
    }
    return ok();
}

}  // namespace drawhitch::disk
