#include "io/transport/wait.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "base/fd.hpp"
#include "support/test_op.hpp"

namespace drawhitch::transport {

namespace {

constexpr milliseconds k_alone{60'000};  // how long the wait is without the event
constexpr milliseconds k_woken{10'000};  // a busy machine needs far less; the rest of the minute tells the two apart

// How long a wait for a pipe nobody writes to takes.
milliseconds waited(const Op& op, int fd) {
    const Instant start = op.clock.now();
    Wait wait(op);
    wait.add(fd, POLLIN);
    wait.now(k_alone);
    return std::chrono::duration_cast<milliseconds>(op.clock.now() - start);
}

}  // namespace

TEST_CASE("cancel wakes a wait that nothing else would end") {
    support::TestOp test(system_clock(), k_alone * 10);
    auto pipe = make_pipe();
    REQUIRE(pipe);
    SECTION("that goes on already") {
        std::thread other([&] { test.cancel().request(); });
        CHECK(waited(test, pipe->read.get()) < k_woken);
        other.join();
    }
    SECTION("that begins after it") {
        test.cancel().request();
        CHECK(waited(test, pipe->read.get()) < k_woken);
    }
    CHECK_FALSE(test.op().check());
}

TEST_CASE("a wait ends with the deadline, though more was allowed") {
    const support::TestOp test(system_clock(), milliseconds{20});
    auto pipe = make_pipe();
    REQUIRE(pipe);
    CHECK(waited(test, pipe->read.get()) < k_woken);
}

}  // namespace drawhitch::transport
