#include "cli/signals.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/fd.hpp"
#include "base/time.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;

namespace {

// A child that lives under a SignalThread, writes one byte when it is ready and one when it is cancelled, and then
// either ends with 7 or waits for ever.
class Child {
  public:
    Child(bool ends_when_cancelled, bool hangup_ignored) {
        auto pipe = make_pipe();
        REQUIRE(pipe);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) live(pipe->write.get(), ends_when_cancelled, hangup_ignored);
        heard_ = std::move(pipe->read);
    }
    void send(int signal_number) const { ::kill(pid_, signal_number); }
    char hear() const {
        char byte = 0;
        return ::read(heard_.get(), &byte, 1) == 1 ? byte : '\0';
    }
    // The signals it holds back, as the kernel's mask.
    unsigned long held_back() const {
        const std::string status = support::read_file("/proc/" + std::to_string(pid_) + "/status");
        return std::stoul(status.substr(status.find("SigBlk:") + 7), nullptr, 16);
    }
    int exit_code() const {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    [[noreturn]] static void live(int out, bool ends_when_cancelled, bool hangup_ignored) {
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGHUP, hangup_ignored ? SIG_IGN : SIG_DFL);
        Cancel cancel;
        {
            const cli::SignalThread signals{cancel, [out] { (void)!::write(out, "L", 1); }};
            (void)!::write(out, "R", 1);
            while (!cancel.requested())
                system_clock().sleep(milliseconds{60'000}, cancel);
            (void)!::write(out, "C", 1);
            if (!ends_when_cancelled) {
                for (;;)
                    ::pause();
            }
        }
        ::_exit(7);
    }

    pid_t pid_{-1};
    UniqueFd heard_{};
};

}  // namespace

TEST_CASE("each of the three signals cancels, and the command ends on its own") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const Child child{true, false};
        REQUIRE(child.hear() == 'R');
        child.send(number);
        CHECK(child.hear() == 'C');
        CHECK(child.exit_code() == 7);
    }
}

TEST_CASE("a second Ctrl-C restores the terminal and ends a stuck command with 130") {
    const Child child{false, false};
    REQUIRE(child.hear() == 'R');
    child.send(SIGINT);
    REQUIRE(child.hear() == 'C');  // so the first one was taken, and the second cannot melt into it
    child.send(SIGINT);
    CHECK(child.hear() == 'L');
    CHECK(child.exit_code() == 130);
}

TEST_CASE("a second Ctrl-C waits for what must not stay behind, and no longer") {
    auto heard = make_pipe();
    auto told = make_pipe();
    REQUIRE((heard && told));
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        std::signal(SIGINT, SIG_DFL);
        const int out = heard->write.get();
        Cancel cancel;
        const cli::SignalThread signals{cancel, [out] { (void)!::write(out, "L", 1); }};
        {
            const Cancel narrower{&cancel};
            const TidyingUp tidying{narrower};
            (void)!::write(out, "R", 1);
            char byte = 0;
            (void)!::read(told->read.get(), &byte, 1);
            (void)!::write(out, "T", 1);
        }
        for (;;)
            ::pause();
    }
    const auto hear = [&] {
        char byte = 0;
        return ::read(heard->read.get(), &byte, 1) == 1 ? byte : '\0';
    };
    heard->write.reset();
    REQUIRE(hear() == 'R');
    ::kill(pid, SIGINT);
    // Two that are pending at once melt into one, so it is sent until it is taken as the second.
    pollfd ready{heard->read.get(), POLLIN, 0};
    while (::poll(&ready, 1, 20) == 0)
        ::kill(pid, SIGINT);
    REQUIRE(hear() == 'L');
    REQUIRE(::write(told->write.get(), "g", 1) == 1);
    CHECK(hear() == 'T');
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
}

TEST_CASE("a command started with nohup outlives the hangup") {
    const Child child{true, true};
    REQUIRE(child.hear() == 'R');
    CHECK((child.held_back() & (1UL << (SIGHUP - 1))) == 0);  // so it stays ignored, and never reaches the thread
    CHECK((child.held_back() & (1UL << (SIGINT - 1))) != 0);
    child.send(SIGHUP);
    child.send(SIGINT);
    CHECK(child.hear() == 'C');
    CHECK(child.exit_code() == 7);
}
