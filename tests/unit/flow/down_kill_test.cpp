// A teardown killed at each of its writing system calls (those of the ledger, and what it sends to the box), and called
// again: an open gate ends as if nothing had happened, a closed one has touched nothing, and no end is ever claimed.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "flow/down/down.hpp"
#include "flow/pull.hpp"
#include "io/ledger/ledger.hpp"
#include "support/local_deps.hpp"
#include "support/paths.hpp"
#include "support/syscall_faults.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using flow::EndState;
using support::LocalDeps;

namespace {

constexpr std::size_t k_most_calls = 2000;

std::string profile_of(const std::string& wiped) {
    std::string text = support::read_file(support::source_dir() + "/tests/cli/rented.toml");
    for (std::size_t at = text.find("@BOX@"); at != std::string::npos; at = text.find("@BOX@"))
        text.replace(at, 5, wiped);
    return text;
}

// A rented box with one finished run, and a laptop's state on disk; nothing of them is open between two calls.
struct Desk {
    support::TempDir dir{};
    support::TestOp op{system_clock(), milliseconds{600'000}};
    std::int64_t lease{0};
    std::string secret{dir / "box/secret.env"};
    std::string result{};

    explicit Desk(bool pulled) {
        LocalDeps local(op, dir.path());
        lease = local.adopt("b1").id;
        REQUIRE(local.ledger().set_profile(lease, "rented", profile_of(dir / "box")));
        model::RunSpec spec{};
        spec.name = "r1";
        spec.run_dir = local.root() + "/runs/r1";
        spec.work_dir = spec.run_dir + "/work";
        spec.roster = {{"*.pt", model::RosterClass::must}};
        std::filesystem::create_directories(spec.work_dir);
        result = spec.work_dir + "/a.pt";
        support::write_file(result, "abc");
        support::write_file(spec.run_dir + "/log", "done\n");
        support::write_file(local.root() + "/lease-nonce", "00112233445566778899aabbccddeeff\n");
        const auto run = local.ledger().claim_run(lease, spec);
        REQUIRE(run);
        model::Verdict done{};
        done.kind = model::VerdictKind::done;
        REQUIRE(local.ledger().record_verdict(run->id, done));
        if (pulled) {
            const auto report = flow::pull(op, local.deps(), {.box = "b1", .run = "r1"});
            INFO((report ? "" : report.error().message));
            REQUIRE(report);
            REQUIRE_FALSE(report->problem);
        }
        arm();
    }
    // Before each round: the secret lies there, and the lease is known to hold it.
    void arm() {
        LocalDeps local(op, dir.path());
        support::write_file(secret, "HF_TOKEN=hf_verysecret\n");
        REQUIRE(local.ledger().add_volatile(lease, secret, "environment of run r1"));
        REQUIRE(local.ledger().set_state(lease, model::LeaseState::active, "another round"));
    }
    Result<flow::DownReport> down() {
        LocalDeps local(op, dir.path());
        TRY_ASSIGN(const auto found, local.ledger().lease(lease));
        term::EchoGuard echo{};
        term::Prompt yes{term::PromptOptions{.no_input = true, .yes = true}, echo};
        flow::Deps mine{local.deps().ledger, local.deps().connector, local.deps().helpers, yes,
                        local.deps().laptop, local.deps().project,   local.deps().settings};
        return flow::down(op, mine, found, {});
    }
    // In a process of its own, killed at its n-th writing call; false when it ended before.
    bool killed_down(std::size_t n) {
        const pid_t child = ::fork();
        if (child == 0) {
            support::SyscallFaults::kill_at(n);
            const bool good = down().has_value();
            support::SyscallFaults::disarm();
            ::_exit(good ? 0 : 3);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (!WIFSIGNALED(status)) REQUIRE(WEXITSTATUS(status) == 0);
        return WIFSIGNALED(status);
    }
    model::LeaseState state() {
        LocalDeps local(op, dir.path());
        return local.ledger().lease(lease)->state;
    }
    std::size_t open_intents() {
        LocalDeps local(op, dir.path());
        return local.ledger().open_intents()->size();
    }
};

// Each look takes half a second: every n-th call, from a random one on; each single one with DRAWHITCH_LONG.
struct Calls {
    std::size_t stride{std::getenv("DRAWHITCH_LONG") != nullptr ? std::size_t{1} : std::size_t{13}};
    std::size_t first{stride > 1 ? 1 + std::random_device{}() % stride : 1};
};

}  // namespace

TEST_CASE("a teardown killed anywhere goes on by the same call, and no end is claimed that nobody saw", "[loop]") {
    Desk desk(true);
    const Calls calls{};
    std::size_t rounds = 0;
    for (std::size_t n = calls.first;; n += calls.stride) {
        const bool killed = desk.killed_down(n);
        CAPTURE(n, calls.stride);
        CHECK(desk.state() != model::LeaseState::closed);
        CHECK(support::read_file(desk.result) == "abc");
        if (killed) {
            ++rounds;
            const auto again = desk.down();
            INFO((again ? "" : again.error().message));
            REQUIRE(again);
            CHECK(again->gate.open);
            CHECK(again->state == EndState::unconfirmed);
        }
        CHECK(desk.state() == model::LeaseState::unconfirmed);
        CHECK(desk.open_intents() == 0);
        CHECK_FALSE(std::filesystem::exists(desk.secret));
        if (!killed) break;
        desk.arm();
        REQUIRE(n < k_most_calls);
    }
    CHECK(rounds > 2);
}

TEST_CASE("a teardown that is refused and killed anywhere has touched nothing", "[loop]") {
    Desk desk(false);
    const Calls calls{};
    for (std::size_t n = calls.first;; n += calls.stride) {
        const bool killed = desk.killed_down(n);
        CAPTURE(n, calls.stride);
        CHECK(desk.state() == model::LeaseState::active);
        CHECK(desk.open_intents() == 0);
        CHECK(std::filesystem::exists(desk.secret));
        CHECK(support::read_file(desk.result) == "abc");
        if (!killed) break;
        REQUIRE(n < k_most_calls);
    }
}
