#include "io/demo/children.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

extern char** environ;  // NOLINT: POSIX declares no header for it

namespace drawhitch::demo {

namespace {

constexpr std::size_t k_most_output = 1U << 20U;

// Our environment with `extra` over it.
std::vector<std::string> merged_environment(const Environment& extra) {
    std::vector<std::string> merged;
    for (char** line = environ; *line != nullptr; ++line) {
        const std::string_view ours = *line;
        const std::string_view name = ours.substr(0, ours.find('=') + 1);
        const bool replaced =
            std::ranges::any_of(extra, [name](const std::string& other) { return other.starts_with(name); });
        if (!replaced) merged.emplace_back(ours);
    }
    merged.insert(merged.end(), extra.begin(), extra.end());
    return merged;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    for (const auto& word : words)
        list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    return list;
}

// `output` takes stdout and stderr; -1 leaves ours to the child.
Result<pid_t> spawn(const std::vector<std::string>& argv, const Environment& extra, int output) {
    const std::vector<std::string> environment = merged_environment(extra);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (output >= 0) {
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        posix_spawn_file_actions_adddup2(&actions, output, 2);
    }
    // The signal thread's mask must not reach the child: it would be deaf to TERM.
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    sigset_t none{};
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes, pointers(argv).data(),
                                      pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) return errno_error(failed, "start", argv[0]);
    return pid;
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return exit_code_of(status);
}

// Returns false at the end of the output.
bool read_piece(int fd, std::string& output) {
    std::array<char, 16384> piece{};
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    const auto room = k_most_output - std::min(k_most_output, output.size());
    output.append(piece.data(), std::min(room, static_cast<std::size_t>(count)));
    return true;
}

}  // namespace

Result<Finished> run_to_end(const Op& op, const std::vector<std::string>& argv, const Environment& extra) {
    TRY_ASSIGN(Pipe pipe, make_pipe());
    TRY_ASSIGN(const pid_t pid, spawn(argv, extra, pipe.write.get()));
    pipe.write.reset();
    Finished finished;
    Status state = ok();
    for (;;) {
        state = op.check();
        if (!state) break;
        std::array<pollfd, 2> waits{pollfd{pipe.read.get(), POLLIN, 0}, pollfd{op.cancel.fd(), POLLIN, 0}};
        ::poll(waits.data(), waits.size(), static_cast<int>(op.left(milliseconds{1000}).count()));
        if (waits[0].revents != 0 && !read_piece(pipe.read.get(), finished.output)) break;
    }
    if (!state) ::kill(pid, SIGTERM);
    finished.exit_code = wait_for(pid);
    TRY(std::move(state));
    return finished;
}

Result<int> run_watched(const Op& op, const std::vector<std::string>& argv, const Environment& extra) {
    TRY_ASSIGN(const pid_t pid, spawn(argv, extra, -1));
    for (;;) {
        int status = 0;
        if (::waitpid(pid, &status, WNOHANG) == pid) return exit_code_of(status);
        if (auto state = op.check(); !state) {
            ::kill(pid, SIGTERM);
            wait_for(pid);
            return std::move(state).error();
        }
        op.clock.sleep(milliseconds{20}, op.cancel);
    }
}

void adopt_orphans() {
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

namespace {

// The parent of a process, from /proc/PID/stat; 0 when it is gone. The name in parentheses may hold anything, so the
// fields are counted from the last ')'.
pid_t parent_of(const std::string& pid) {
    UniqueFd file{::open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file) return 0;
    std::array<char, 1024> text{};
    const auto count = read_full(file.get(), text, "stat");
    if (!count) return 0;
    const std::string_view line(text.data(), *count);
    const std::size_t close = line.rfind(')');
    if (close == std::string_view::npos || close + 4 >= line.size()) return 0;
    return static_cast<pid_t>(std::strtol(line.data() + close + 4, nullptr, 10));
}

std::vector<pid_t> descendants() {
    std::map<pid_t, pid_t> parents;
    DIR* proc = ::opendir("/proc");
    if (proc == nullptr) return {};
    while (const dirent* entry = ::readdir(proc)) {
        const std::string name = entry->d_name;
        if (name.find_first_not_of("0123456789") == std::string::npos) {
            parents[static_cast<pid_t>(std::atoi(name.c_str()))] = parent_of(name);
        }
    }
    ::closedir(proc);
    std::vector<pid_t> below{::getpid()};
    for (std::size_t at = 0; at < below.size(); ++at) {
        for (const auto& [pid, parent] : parents) {
            if (parent == below[at] && pid != below[at]) below.push_back(pid);
        }
    }
    below.erase(below.begin());
    return below;
}

void reap() {
    int status = 0;
    while (::waitpid(-1, &status, WNOHANG) > 0) {
    }
}

}  // namespace

void end_descendants(Clock& clock) {
    const Cancel never;
    for (const int signal : {SIGTERM, SIGKILL}) {
        for (const pid_t pid : descendants())
            ::kill(pid, signal);
        // Two seconds for those who tidy up after TERM.
        for (int turn = 0; turn < 40; ++turn) {
            reap();
            if (descendants().empty()) return;
            clock.sleep(milliseconds{50}, never);
        }
    }
}

}  // namespace drawhitch::demo
