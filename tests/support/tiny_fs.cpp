#include "support/tiny_fs.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace drawhitch::support {

namespace {

constexpr int k_no_namespace = 255;

bool write_to(const char* path, const std::string& text) {
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    return done;
}

}  // namespace

TinyFileSystem::TinyFileSystem(std::string directory, std::string options)
    : directory_(std::move(directory)), options_(std::move(options)) {}

bool TinyFileSystem::enter() const {
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write_to("/proc/self/setgroups", "deny")) return false;
    if (!write_to("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1")) return false;
    if (!write_to("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1")) return false;
    return ::mount("tiny", directory_.c_str(), "tmpfs", 0, options_.c_str()) == 0;
}

Code TinyFileSystem::run(const std::function<Code()>& work) const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(enter() ? static_cast<int>(work()) : k_no_namespace);
    int state = 0;
    if (::waitpid(child, &state, 0) != child || !WIFEXITED(state)) return Code::internal;
    return static_cast<Code>(WEXITSTATUS(state));
}

bool TinyFileSystem::available() const {
    return static_cast<int>(run([] { return Code::skipped; })) != k_no_namespace;
}

}  // namespace drawhitch::support
