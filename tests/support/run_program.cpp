#include "support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "base/fd.hpp"

namespace drawhitch::support {

namespace {

[[noreturn]] void become(const Program& program) {
    for (const std::string& entry : program.env) {
        const std::size_t at = entry.find('=');
        ::setenv(entry.substr(0, at).c_str(), entry.substr(at + 1).c_str(), 1);
    }
    if (!program.directory.empty() && ::chdir(program.directory.c_str()) != 0) ::_exit(126);
    std::vector<char*> argv;
    for (const std::string& word : program.argv)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

void take(UniqueFd& fd, std::string& to) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) to.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) fd.reset();
}

void exchange(UniqueFd& in, UniqueFd& out, UniqueFd& err, std::string_view input, Ran& ran) {
    (void)set_nonblocking(in.get());
    while (in || out || err) {
        std::array<pollfd, 3> fds{{{in.get(), POLLOUT, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
        if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
        if (in && fds[0].revents != 0) {
            const ssize_t count = input.empty() ? -1 : ::write(in.get(), input.data(), input.size());
            if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
            if (input.empty() || (count < 0 && errno != EAGAIN)) in.reset();
        }
        if (out && fds[1].revents != 0) take(out, ran.out);
        if (err && fds[2].revents != 0) take(err, ran.err);
    }
}

}  // namespace

Ran wait_for(int pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    Ran ran;
    if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
    return ran;
}

int start_program(const Program& program) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid != 0) return pid;
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2})
        ::dup2(null, fd);
    become(program);
}

Ran run_program(const Program& program) {
    Pipe in = std::move(make_pipe()).value();
    Pipe out = std::move(make_pipe()).value();
    Pipe err = std::move(make_pipe()).value();
    const auto previous = ::signal(SIGPIPE, SIG_IGN);
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid == 0) {
        ::dup2(in.read.get(), 0);
        ::dup2(out.write.get(), 1);
        ::dup2(err.write.get(), 2);
        become(program);
    }
    in.read.reset();
    out.write.reset();
    err.write.reset();
    Ran ran;
    exchange(in.write, out.read, err.read, program.input, ran);
    const Ran end = wait_for(pid);
    ::signal(SIGPIPE, previous);
    ran.code = end.code;
    ran.signal = end.signal;
    return ran;
}

}  // namespace drawhitch::support
