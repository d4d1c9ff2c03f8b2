#include "io/transport/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "io/transport/wait.hpp"

extern char** environ;

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_buffer_bytes = 128U << 10U;
constexpr int k_tick_ms = 20;         // where the system cannot tell by a descriptor that a program ended
constexpr int k_farewell_ticks = 10;  // how many of them a program gets to end by itself, then after a hang-up

// The environment with `changes` applied, as the pointers posix_spawn wants. `changes` must outlive it.
std::vector<char*> merged_environment(const std::vector<std::string>& changes) {
    std::vector<char*> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('=') + 1);
        const bool replaced = std::any_of(changes.begin(), changes.end(),
                                          [&](const std::string& change) { return change.starts_with(name); });
        if (!replaced) all.push_back(*entry);
    }
    for (const std::string& change : changes)
        all.push_back(const_cast<char*>(change.c_str()));
    all.push_back(nullptr);
    return all;
}

// Owns the two posix_spawn objects.
class SpawnPlan {
  public:
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    void wire(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }

    int start_in(const std::string& directory) {
        return ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
    }

    void default_signals(bool own_session) {
        sigset_t none;
        sigset_t every;
        ::sigemptyset(&none);
        ::sigfillset(&every);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &every);
        int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (own_session) flags |= POSIX_SPAWN_SETSID;
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }

    int run(pid_t& pid, std::vector<char*>& argv, std::vector<char*>& env) {
        return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), env.data());
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

UniqueFd watch_process([[maybe_unused]] pid_t pid) {
#if defined(SYS_pidfd_open)
    return UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
#else
    return UniqueFd{};
#endif
}

std::string signal_name(int number) {
    struct Row {
        int number;
        const char* name;
    };
    static constexpr Row k_rows[] = {{SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},
                                     {SIGABRT, "ABRT"}, {SIGFPE, "FPE"},   {SIGKILL, "KILL"}, {SIGSEGV, "SEGV"},
                                     {SIGPIPE, "PIPE"}, {SIGALRM, "ALRM"}, {SIGTERM, "TERM"}, {SIGUSR1, "USR1"},
                                     {SIGUSR2, "USR2"}, {SIGBUS, "BUS"},   {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"}};
    for (const Row& row : k_rows) {
        if (row.number == number) return row.name;
    }
    return std::to_string(number);
}

}  // namespace

// The child's ends of its streams; closed here once it runs.
struct Child::TheirEnds {
    UniqueFd in{};
    UniqueFd out{};
    UniqueFd err{};
};

Result<Child::TheirEnds> Child::make_streams() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno_error(errno, "create", "a socket pair");
    in_ = UniqueFd{ends[0]};
    TheirEnds theirs;
    theirs.in = UniqueFd{ends[1]};
    for (const int end : ends)
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    TRY_ASSIGN(Pipe out, make_pipe());
    TRY_ASSIGN(Pipe err, make_pipe());
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    theirs.out = std::move(out.write);
    theirs.err = std::move(err.write);
    for (const UniqueFd* fd : {&in_, &out_, &err_})
        TRY(set_nonblocking(fd->get()));
    no_sigpipe(in_.get());
    buffer_.resize(k_buffer_bytes);
    return theirs;
}

Result<std::unique_ptr<Child>> Child::start(const ChildSpec& spec) {
    std::unique_ptr<Child> child(new Child);
    child->own_session_ = spec.own_session;
    SpawnPlan plan;
    TheirEnds theirs;
    if (spec.own_streams) {
        TRY_ASSIGN(theirs, child->make_streams());
        plan.wire(theirs.in.get(), STDIN_FILENO);
        plan.wire(theirs.out.get(), STDOUT_FILENO);
        plan.wire(theirs.err.get(), STDERR_FILENO);
    }
    if (!spec.directory.empty()) {
        if (const int failed = plan.start_in(spec.directory); failed != 0)
            return errno_error(failed, "start in", spec.directory);
    }
    plan.default_signals(spec.own_session);
    std::vector<char*> argv;
    for (const std::string& word : spec.argv)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> env = merged_environment(spec.env);
    if (const int failed = plan.run(child->pid_, argv, env); failed != 0) {
        child->pid_ = -1;
        return errno_error(failed, "start", spec.argv.front());
    }
    child->ended_ = watch_process(child->pid_);
    return child;
}

Child::~Child() {
    in_.reset();
    out_.reset();
    err_.reset();
    end_group();
}

std::size_t Child::send(std::string_view outgoing) {
    if (!in_) return outgoing.size();
    const ssize_t count = ::send(in_.get(), outgoing.data(), outgoing.size(), k_send_flags);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (would_block(errno) || errno == ENOBUFS) return 0;
    in_.reset();  // the program closed its stdin
    return outgoing.size();
}

bool Child::receive(UniqueFd& fd, Stream stream, Step& step) {
    if (!fd) return false;
    const ssize_t count = ::read(fd.get(), buffer_.data(), buffer_.size());
    if (count > 0) {
        step.stream = stream;
        step.received = std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
        return true;
    }
    if (count == 0 || !would_block(errno)) fd.reset();
    return false;
}

Result<Step> Child::step(const Op& op, std::string_view outgoing, bool end_of_input) {
    for (;;) {
        TRY(op.check());
        Step step;
        if (!outgoing.empty()) step.sent = send(outgoing);
        if (end_of_input && step.sent == outgoing.size()) in_.reset();
        err_first_ = !err_first_;
        const bool came = err_first_ ? receive(err_, Stream::err, step) || receive(out_, Stream::out, step)
                                     : receive(out_, Stream::out, step) || receive(err_, Stream::err, step);
        if (came || step.sent > 0) return step;
        if (!out_ && !err_) {
            TRY_ASSIGN(step.exit, wait_for_exit(op));
            return step;
        }
        wait_for_streams(op, !outgoing.empty());
    }
}

void Child::wait_for_streams(const Op& op, bool sending) const {
    Wait wait(op);
    if (in_ && sending) wait.add(in_.get(), POLLOUT);
    if (out_) wait.add(out_.get(), POLLIN);
    if (err_) wait.add(err_.get(), POLLIN);
    wait.now(k_longest_wait);
}

Result<Exit> Child::wait_for_exit(const Op& op) {
    while (!reap()) {
        TRY(op.check());
        Wait wait(op);
        if (ended_) wait.add(ended_.get(), POLLIN);
        wait.now(ended_ ? k_longest_wait : milliseconds{k_tick_ms});
    }
    return *exit_;
}

bool Child::reap() {
    if (exit_) return true;
    int state = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(pid_, &state, WNOHANG);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return false;
    if (ended < 0) {
        exit_ = Exit{-1, {}};  // somebody else reaped it; only a bug of ours can do that
    } else if (WIFSIGNALED(state)) {
        exit_ = Exit{128 + WTERMSIG(state), signal_name(WTERMSIG(state))};
    } else {
        exit_ = Exit{WEXITSTATUS(state), {}};
    }
    return true;
}

void Child::end_group() noexcept {
    if (pid_ <= 0) return;
    for (const int signal : {0, SIGHUP, SIGKILL}) {
        // A program without a session of its own shares our process group: only it itself may be signalled then.
        if (signal != 0) ::kill(own_session_ ? -pid_ : pid_, signal);
        for (int tick = 0; !reap() && (tick < k_farewell_ticks || signal == SIGKILL); ++tick) {
            pollfd ended{ended_.get(), POLLIN, 0};
            ::poll(&ended, ended_ ? 1 : 0, k_tick_ms);
        }
        if (exit_ && signal == 0) return;
    }
}

}  // namespace drawhitch::transport
