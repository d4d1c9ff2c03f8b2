#include "io/transport/script.hpp"

#include <algorithm>

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "io/transport/local.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/faulty_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

namespace drawhitch::transport {

using support::FakeCall;
using support::FakeReply;
using support::FakeTransport;
using support::TestOp;

TEST_CASE("only absolute paths of harmless characters are started as programs") {
    const auto good = BoxCommand::program("/root/.cache/drawhitch/helper-0f3a", "serve");
    REQUIRE(good);
    CHECK(good->text() == "exec /root/.cache/drawhitch/helper-0f3a serve");
    for (const char* path : {"", "/", "helper", "~/helper", "/a b", "/a;b", "/a$b", "/a'b", "/a\nb", "/\xC3\xA9"}) {
        CAPTURE(path);
        const auto refused = BoxCommand::program(path);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::unsafe_path);
    }
    CHECK_FALSE(BoxCommand::program("/bin/ls", "a b"));
}

TEST_CASE("the shell command holds nothing that one of the login shells reads differently") {
    const std::string text = BoxCommand::shell("00ff").text();
    CHECK(text.find_first_of("\\!\n") == std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\'') == 2);
}

TEST_CASE("a script runs alike under each login shell, with its input left for it") {
    const char* shell =
        GENERATE("/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish", "/bin/tcsh", "/bin/csh");
    CAPTURE(shell);
    REQUIRE(::access(shell, X_OK) == 0);
    const TestOp test;
    LocalTransport box(shell);
    const auto result = run_script(test, box, "name='it'\\''s $HOME ! `x`'\nprintf '%s\\n' \"$name\"\ncat\nexit 4",
                                   "line one\n.\nlast, without an end");
    REQUIRE(result);
    CHECK(result->out == "it's $HOME ! `x`\nline one\n.\nlast, without an end");
    CHECK(result->exit.code == 4);
}

TEST_CASE("start-up noise before the ready line is skipped and kept for diagnosis") {
    const TestOp test;
    FakeTransport box([](const FakeCall&) { return FakeReply{.out = "answer\n"}; });
    const std::string noise =
        GENERATE(std::string("Welcome!\nno new mail"), std::string("\x00\xFF\x1B[2J\n\n", 8), std::string(60'000, 'x'));
    box.set_noise(noise);
    box.set_piece(GENERATE(1U, 7U, 65'536U));
    const auto result = run_script(test, box, "true");
    REQUIRE(result);
    CHECK(result->out == "answer\n");
    CHECK(result->noise == noise);
}

TEST_CASE("a start-up file that never stops talking is told from a shell") {
    const TestOp test;
    FakeTransport box([](const FakeCall&) { return FakeReply{}; });
    box.set_noise(std::string(70'000, 'x'));
    const auto result = run_script(test, box, "true");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(box.calls().empty());
}

namespace {

// A box whose command never runs: it says something, then waits or ends.
class DeafBox final : public Transport {
  public:
    DeafBox(std::string says, bool ends) : says_(std::move(says)), ends_(ends) {}
    Result<std::unique_ptr<Process>> exec(const Op&, const BoxCommand&) override {
        return std::unique_ptr<Process>(std::make_unique<Deaf>(*this));
    }
    [[nodiscard]] std::string describe() const override { return "deaf"; }
    std::string heard{};

  private:
    class Deaf final : public Process {
      public:
        explicit Deaf(DeafBox& box) : box_(box) {}
        Result<Step> step(const Op& op, std::string_view outgoing, bool) override {
            box_.heard.append(outgoing);
            if (!said_) {
                said_ = true;
                return Step{outgoing.size(), Stream::out, box_.says_, {}};
            }
            if (box_.ends_) return Step{outgoing.size(), Stream::out, {}, Exit{1, {}}};
            for (;;) {
                TRY(op.check());
                op.clock.sleep(milliseconds{100}, op.cancel);
            }
        }

      private:
        DeafBox& box_;
        bool said_{false};
    };
    std::string says_;
    bool ends_;
};

}  // namespace

TEST_CASE("an endpoint that only offers a prompt is recognised soon, and nothing is typed into it") {
    support::FakeClock clock;
    const TestOp test(clock);
    DeafBox relay("-- RELAY --\r\nroot@abc:/workspace# ", false);
    const Instant before = clock.now();
    const auto result = run_script(test, relay, "rm -r /tmp/x");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(result.error().message.find("interactive shell") != std::string::npos);
    CHECK(result.error().why.find("root@abc") != std::string::npos);
    CHECK(relay.heard.empty());
    CHECK(clock.now() - before < std::chrono::seconds{5});
}

TEST_CASE("a silent endpoint is given up after the patience for a shell, not at the caller's deadline") {
    support::FakeClock clock;
    const TestOp test(clock, milliseconds{3'600'000});
    DeafBox relay("", false);
    const Instant before = clock.now();
    const auto result = run_script(test, relay, "true");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(clock.now() - before < std::chrono::seconds{35});
}

TEST_CASE("the caller's own deadline stays a deadline") {
    support::FakeClock clock;
    const TestOp test(clock, milliseconds{2'000});
    DeafBox relay("", false);
    const auto result = run_script(test, relay, "true");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::deadline);
}

TEST_CASE("a session that ends before the shell got ready shows what it said") {
    const TestOp test;
    DeafBox nologin("This account is currently not available.\n", true);
    const auto result = run_script(test, nologin, "true");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(result.error().why.find("This account is currently not available.") != std::string::npos);
}

TEST_CASE("a box may not fill our memory") {
    const TestOp test;
    FakeTransport box(
        [](const FakeCall&) { return FakeReply{.out = std::string(2'000, 'x'), .err = std::string(200'000, 'e')}; });
    const auto refused = run_script(test, box, "true", {}, {.out_bytes = 1'999});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::protocol);
    const auto fits = run_script(test, box, "true", {}, {.out_bytes = 2'000});
    REQUIRE(fits);
    CHECK(fits->out.size() == 2'000);
    CHECK(fits->err.size() == 65'536);
}

TEST_CASE("a lone dot in a script is refused, in its input it is data") {
    const TestOp test;
    LocalTransport box;
    CHECK_FALSE(run_script(test, box, "cat <<E\n.\nE\n"));
    const auto result = run_script(test, box, "cat", ".\n");
    REQUIRE(result);
    CHECK(result->out == ".\n");
}

TEST_CASE("streaming hands on each piece and ends with the sink's error") {
    const TestOp test;
    LocalTransport box;
    std::string out;
    const auto exit =
        stream_script(test, box, "echo one; echo two >&2; exit 9", [&](Stream stream, std::string_view piece) {
            out.append(stream == Stream::err ? "err:" : "").append(piece);
            return ok();
        });
    REQUIRE(exit);
    CHECK(exit->code == 9);
    CHECK((out == "one\nerr:two\n" || out == "err:two\none\n"));

    const auto full = stream_script(test, box, "echo one; sleep 600", [&](Stream, std::string_view) -> Status {
        return Error{Code::no_space, "disk full"};
    });
    REQUIRE_FALSE(full);
    CHECK(full.error().code == Code::no_space);
}

TEST_CASE("whichever call of a script run fails, the failure is passed on and nothing is made up") {
    std::size_t faults = 0;
    for (std::size_t n = 1;; ++n) {
        const TestOp test;
        LocalTransport real;
        support::FaultPlan plan{.fail_at = n, .persistent = n % 2 == 0};
        support::FaultyTransport box(real, plan);
        const auto result = run_script(test, box, "cat; echo err >&2", std::string(300'000, 'a'));
        if (!plan.fired) {
            REQUIRE(result);
            CHECK(result->out.size() == 300'000);
            break;
        }
        ++faults;
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Code::link_lost);
    }
    CHECK(faults > 3);
}

}  // namespace drawhitch::transport
