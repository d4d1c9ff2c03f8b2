#include "io/term/input.hpp"

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "support/test_op.hpp"

using namespace drawhitch;

TEST_CASE("what is there is read at once, and the end is the end") {
    const support::TestOp test;
    auto pipe = make_pipe();
    REQUIRE(pipe);
    REQUIRE(write_all(pipe->write.get(), "abc", "the pipe"));
    char bytes[8];
    const auto some = term::read_some(test, pipe->read.get(), bytes, "the pipe");
    REQUIRE(some);
    CHECK(std::string_view(bytes, *some) == "abc");
    pipe->write.reset();
    const auto end = term::read_some(test, pipe->read.get(), bytes, "the pipe");
    REQUIRE(end);
    CHECK(*end == 0);
}

TEST_CASE("a silent pipe is left when the operation is cancelled, also while it is waited for") {
    support::TestOp test;
    auto pipe = make_pipe();
    REQUIRE(pipe);
    char byte = 0;
    std::thread presses([&] { test.cancel().request(); });
    const auto waited = term::read_some(test, pipe->read.get(), std::span(&byte, 1), "the pipe");
    presses.join();
    REQUIRE_FALSE(waited);
    CHECK(waited.error().code == Code::cancelled);
}

TEST_CASE("a silent pipe is left when no time is left") {
    const support::TestOp test(system_clock(), milliseconds{20});
    auto pipe = make_pipe();
    REQUIRE(pipe);
    char byte = 0;
    const auto waited = term::read_some(test, pipe->read.get(), std::span(&byte, 1), "the pipe");
    REQUIRE_FALSE(waited);
    CHECK(waited.error().code == Code::deadline);
}
