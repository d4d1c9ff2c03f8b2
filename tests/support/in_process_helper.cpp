#include "support/in_process_helper.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace drawhitch::support {

namespace {

class PipeProcess final : public transport::Process {
  public:
    explicit PipeProcess(HelperPipes pipes) : pipes_(std::move(pipes)), buffer_(64U << 10U, '\0') {
        (void)set_nonblocking(pipes_.to_helper.get());
        (void)set_nonblocking(pipes_.from_helper.get());
    }

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        for (;;) {
            TRY(op.check());
            transport::Step step;
            step.sent = send(outgoing);
            if (end_of_input && step.sent == outgoing.size()) pipes_.to_helper.reset();
            const ssize_t count = ::read(pipes_.from_helper.get(), buffer_.data(), buffer_.size());
            if (count > 0) step.received = std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
            if (count == 0) step.exit = transport::Exit{};
            if (step.sent > 0 || count >= 0) return step;
            pollfd ends[3] = {{pipes_.from_helper.get(), POLLIN, 0},
                              {pipes_.to_helper.get(), static_cast<short>(outgoing.empty() ? 0 : POLLOUT), 0},
                              {op.cancel.fd(), POLLIN, 0}};
            ::poll(ends, 3, static_cast<int>(op.left(milliseconds{1000}).count()));
        }
    }

  private:
    std::size_t send(std::string_view outgoing) {
        if (outgoing.empty()) return 0;
        if (!pipes_.to_helper) return outgoing.size();
        const ssize_t count = ::write(pipes_.to_helper.get(), outgoing.data(), outgoing.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EAGAIN || errno == EINTR) return 0;
        pipes_.to_helper.reset();  // the helper ended; its last words may still be read
        return outgoing.size();
    }

    HelperPipes pipes_{};
    std::string buffer_{};
};

Pipe must(Result<Pipe> pipe) {
    if (!pipe) throw std::runtime_error(pipe.error().message);
    return std::move(*pipe);
}

}  // namespace

std::unique_ptr<transport::Process> make_pipe_process(HelperPipes pipes) {
    return std::make_unique<PipeProcess>(std::move(pipes));
}

InProcessHelper::InProcessHelper(milliseconds silence, Clock& clock, std::string cache_path) {
    start(helper::ServerOptions{k_nonce, k_build_id, silence, std::move(cache_path)}, clock, {});
}

InProcessHelper::InProcessHelper(std::function<void()> prepare) {
    start(helper::ServerOptions{k_nonce, k_build_id, milliseconds{30'000}, {}}, system_clock(), std::move(prepare));
}

void InProcessHelper::start(helper::ServerOptions options, Clock& clock, std::function<void()> prepare) {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe in = must(make_pipe());
    Pipe out = must(make_pipe());
    pipes_.to_helper = std::move(in.write);
    pipes_.from_helper = std::move(out.read);
    thread_ = std::thread([this, options = std::move(options), prepare = std::move(prepare), &clock,
                           read = std::move(in.read), write = std::move(out.write)]() mutable {
        if (prepare) prepare();
        {
            helper::Server server(read.get(), write.get(), std::move(options), clock);
            ended_ = server.run();
        }
        write.reset();
        read.reset();
    });
}

InProcessHelper::~InProcessHelper() {
    pipes_ = HelperPipes{};
    wait();
}

helper::Ended InProcessHelper::wait() {
    if (thread_.joinable()) thread_.join();
    return ended_;
}

std::unique_ptr<agent::Agent> InProcessHelper::connect(const Op& op, const agent::SessionOptions& options) {
    auto session = agent::Session::start(op, make_pipe_process(take_pipes()), k_nonce, options);
    if (!session) throw std::runtime_error(session.error().message + ": " + session.error().why);
    return agent::Agent::adopt(std::move(*session));
}

}  // namespace drawhitch::support
