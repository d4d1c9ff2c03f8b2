#include "contract/transport_contract.hpp"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "io/transport/script.hpp"
#include "support/test_op.hpp"

namespace drawhitch::contract {

using support::TestOp;
using transport::Exit;
using transport::Process;
using transport::run_script;
using transport::Step;
using transport::Stream;
using transport::Transport;

namespace {

// Bytes that no line discipline, locale or text mode leaves alone, and no two blocks of which are alike.
std::string payload(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint32_t state = 2'463'534'242;
    for (char& byte : bytes) {
        state ^= state << 13U;
        state ^= state >> 17U;
        state ^= state << 5U;
        byte = static_cast<char>(state & 0xFFU);
    }
    return bytes;
}

// The comment in the first line is what the fake transport goes by; a shell passes over it.
std::string script(const std::string& name, const std::string& text) {
    return "# contract: " + name + "\n" + text + "\n";
}

struct Talk {
    std::string out{};
    std::string err{};
    Exit exit{};
};

// Time that runs on with every look at it, so that a deadline of a millisecond passes in the middle of any step.
class HurriedClock final : public Clock {
  public:
    Instant now() const override {
        looks_ += std::chrono::microseconds{600};
        return system_clock().now() + looks_;
    }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds duration, const Cancel& cancel) override { system_clock().sleep(duration, cancel); }

  private:
    mutable std::chrono::microseconds looks_{0};
};

// Drives a process to its end without the help of script.cpp, offering `input` in pieces that do not fit any block
// size. With a patience, a step has a deadline of its own that is no end when it passes: the next one waits as long as
// it takes.
Result<Talk> talk(const Op& op, Process& process, std::string_view input, std::optional<milliseconds> patience = {}) {
    constexpr std::size_t k_piece = 1'000'003;
    Talk heard;
    bool patient = !patience;
    for (;;) {
        const std::string_view offer = input.substr(0, k_piece);
        auto moved = process.step(patient ? op : op.within(*patience), offer, offer.size() == input.size());
        const bool passed = !moved && !patient && moved.error().code == Code::deadline;
        patient = !patience || passed;
        if (passed) continue;
        TRY_ASSIGN(const Step step, std::move(moved));
        CHECK(step.sent <= offer.size());
        input.remove_prefix(step.sent);
        (step.stream == Stream::err ? heard.err : heard.out).append(step.received);
        if (step.exit) {
            CHECK(step.received.empty());
            heard.exit = *step.exit;
            return heard;
        }
    }
}

std::string after_ready_line(const std::string& out, const std::string& nonce) {
    const std::size_t at = out.find("\n" + nonce + "\n");
    REQUIRE(at != std::string::npos);
    return out.substr(at + nonce.size() + 2);
}

void check_conversation(Transport& box) {
    const TestOp test;
    SECTION("bytes arrive as they were sent, both ways, and the exit is clean") {
        const std::string all = payload(100'000);
        const auto result = run_script(test, box, script("cat", "exec cat"), all);
        REQUIRE(result);
        CHECK(result->out == all);
        CHECK(result->err.empty());
        CHECK(result->exit.clean());
    }
    SECTION("the exit code arrives") {
        const auto result = run_script(test, box, script("exit 7", "exit 7"));
        REQUIRE(result);
        CHECK(result->exit.code == 7);
        CHECK(result->exit.signal.empty());
    }
    SECTION("stdout and stderr stay apart") {
        const auto result = run_script(test, box, script("both", "echo to-out; echo to-err >&2"));
        REQUIRE(result);
        CHECK(result->out == "to-out\n");
        CHECK(result->err == "to-err\n");
    }
    SECTION("an empty input is an ended one") {
        const auto result = run_script(test, box, script("count", "wc -c | tr -d ' '"));
        REQUIRE(result);
        CHECK(result->out == "0\n");
    }
    SECTION("a line of the script may hold any text, and lines stay lines") {
        const std::string odd = "printf '%s|' 'a\\b' \"it's\" '! $x `y` %d \xC3\xA9 \xFF'\n\n  echo done";
        const auto result = run_script(test, box, script("odd", odd));
        REQUIRE(result);
        CHECK(result->out == "a\\b|it's|! $x `y` %d \xC3\xA9 \xFF|done\n");
    }
}

void check_ends(Transport& box, const Abilities& abilities) {
    const TestOp test;
    SECTION("a death by signal is no clean exit") {
        const auto result = run_script(test, box, script("signal", "kill -KILL $$"));
        if (!abilities.tells_deaths && !result) {
            CHECK(result.error().code == Code::link_lost);
            return;
        }
        REQUIRE(result);
        CHECK_FALSE(result->exit.clean());
        if (abilities.tells_signals) CHECK(result->exit.signal == "KILL");
    }
    SECTION("a program that stops reading early does not stop the conversation") {
        const std::string much = payload(abilities.volume);
        const auto result = run_script(test, box, script("early", "exec 0<&-; echo enough; exit 3"), much);
        REQUIRE(result);
        CHECK(result->out == "enough\n");
        CHECK(result->exit.code == 3);
    }
    SECTION("the deadline ends a silent program's step") {
        auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        const std::string text = script("hang", "exec sleep 600") + ".\n";
        const Op brief = test.op().within(milliseconds{300});
        const auto heard = talk(brief, **process, text);
        REQUIRE_FALSE(heard);
        CHECK(heard.error().code == Code::deadline);
    }
    SECTION("cancel ends a silent program's step") {
        TestOp cancelled;
        auto process = box.exec(cancelled, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        std::thread later([&] {
            const Cancel never;
            system_clock().sleep(milliseconds{100}, never);
            cancelled.cancel().request();
        });
        const auto heard = talk(cancelled, **process, script("hang", "exec sleep 600") + ".\n");
        later.join();
        REQUIRE_FALSE(heard);
        CHECK(heard.error().code == Code::cancelled);
    }
    SECTION("a cancelled operation starts nothing") {
        TestOp cancelled;
        cancelled.cancel().request();
        const auto process = box.exec(cancelled, transport::BoxCommand::shell("00ff"));
        REQUIRE_FALSE(process);
        CHECK(process.error().code == Code::cancelled);
    }
}

void check_bulk(Transport& box, const Abilities& abilities) {
    const TestOp test;
    SECTION("large traffic both ways at once does not deadlock and arrives whole") {
        const std::string all = payload(abilities.volume);
        auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        const auto heard = talk(test, **process, script("cat", "exec cat") + ".\n" + all);
        REQUIRE(heard);
        CHECK(after_ready_line(heard->out, "00ff") == all);
        CHECK(heard->exit.clean());
    }
    SECTION("a deadline that passes in the middle of a step loses nothing of what has moved") {
        HurriedClock clock;
        const TestOp hurried(clock, milliseconds{600'000});
        const std::string all = payload(abilities.volume);
        auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        const auto heard = talk(hurried, **process, script("cat", "exec cat") + ".\n" + all, milliseconds{1});
        REQUIRE(heard);
        CHECK(after_ready_line(heard->out, "00ff") == all);
        CHECK(heard->exit.clean());
    }
    SECTION("a flood on stderr neither blocks stdout nor is lost") {
        const std::string all = payload(abilities.volume / 4);
        auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        const auto heard = talk(test, **process, script("flood", "cat >&2; echo end") + ".\n" + all);
        REQUIRE(heard);
        CHECK(heard->err == all);
        CHECK(after_ready_line(heard->out, "00ff") == "end\n");
    }
}

void check_effects(Transport& box) {
    const TestOp test;
    SECTION("two processes of one transport may be read in turn") {
        auto first = box.exec(test, transport::BoxCommand::shell("00aa"));
        auto second = box.exec(test, transport::BoxCommand::shell("00bb"));
        REQUIRE(first);
        REQUIRE(second);
        const auto late = talk(test, **second, "echo second\n.\n");
        const auto early = talk(test, **first, "echo first\n.\n");
        REQUIRE(late);
        REQUIRE(early);
        CHECK(after_ready_line(late->out, "00bb") == "second\n");
        CHECK(after_ready_line(early->out, "00aa") == "first\n");
    }
    SECTION("one transport serves many processes one after the other") {
        for (int i = 0; i < 12; ++i) {
            const auto result = run_script(test, box, "echo " + std::to_string(i));
            REQUIRE(result);
            CHECK(result->out == std::to_string(i) + "\n");
        }
    }
    SECTION("a dropped process sees the end of its input") {
        std::string pid;
        {
            auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
            REQUIRE(process);
            std::string_view text = "echo $$; exec cat\n.\n";
            std::string out;
            while (out.find("00ff\n") == std::string::npos || out.back() != '\n' || out.ends_with("00ff\n")) {
                const auto step = (*process)->step(test, text, false);
                REQUIRE(step);
                REQUIRE_FALSE(step->exit);
                text.remove_prefix(step->sent);
                out.append(step->received);
            }
            pid = after_ready_line(out, "00ff");
        }
        // Where the first process of a container collects nothing, what has ended stays a zombie: that is gone as well.
        const auto gone = run_script(test, box,
                                     "p=" + pid +
                                         "while kill -0 $p 2>/dev/null && ! grep -q '^State:.Z' /proc/$p/status; "
                                         "do sleep 0.05; done; echo gone");
        CAPTURE(gone ? std::string{} : gone.error().message + ": " + gone.error().why);
        REQUIRE(gone);
        CHECK(gone->out == "gone\n");
    }
    SECTION("a program that cannot be started tells by its exit code and its message") {
        const auto missing = transport::BoxCommand::program("/nonexistent/program");
        REQUIRE(missing);
        auto process = box.exec(test, *missing);
        REQUIRE(process);
        const auto heard = talk(test, **process, {});
        REQUIRE(heard);
        CHECK_FALSE(heard->exit.clean());
        CHECK_FALSE(heard->err.empty());
    }
}

}  // namespace

void check_transport(const MakeTransport& make, const Abilities& abilities) {
    const std::unique_ptr<Transport> box = make();
    REQUIRE(box != nullptr);
    CHECK_FALSE(box->describe().empty());
    check_conversation(*box);
    check_ends(*box, abilities);
    if (abilities.interleaves) check_bulk(*box, abilities);
    if (abilities.runs_programs) check_effects(*box);
}

}  // namespace drawhitch::contract
