// The promise that counts: whatever moment the process dies or the disk fails, the ledger opens again and every method
// has happened whole or not at all.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/ledger/ledger.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"
#include "unit/io/ledger/counting_vfs.hpp"
#include "unit/io/ledger/workload.hpp"

namespace drawhitch::ledger_test {

namespace {

using ledger::FilesystemKind;
using ledger::Ledger;
using ledger::Storage;
using support::FakeClock;
using support::TempDir;
using support::TestOp;

Storage counted(FilesystemKind kind) {
    return {kind, counting_vfs()};
}

struct Outcome {
    bool clean{false};         // the child ended before the fault could strike
    bool acknowledged{false};  // the method said it is done
};

// Opens the ledger in a child, takes one step under a fault and closes it.
Outcome live(const std::string& state, FilesystemKind kind, FaultPlan plan, const Step& step) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        FakeClock clock{};
        const TestOp op{clock};
        plan_fault(plan);
        {
            auto opened = Ledger::open(op, state, counted(kind));
            if (opened && step(*opened)) (void)!::write(ends[1], "x", 1);
        }
        ::_exit(calls_counted() < plan.at ? 0 : 2);
    }
    ::close(ends[1]);
    Outcome outcome{};
    char byte = 0;
    outcome.acknowledged = ::read(ends[0], &byte, 1) == 1;
    ::close(ends[0]);
    int how = 0;
    REQUIRE(::waitpid(child, &how, 0) == child);
    outcome.clean = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    return outcome;
}

// The dump of what the ledger holds after the fault, once it is seen to be whole.
std::string survivor(const std::string& state, FilesystemKind kind) {
    FakeClock clock{};
    const TestOp op{clock};
    plan_fault({});
    auto opened = Ledger::open(op, state, counted(kind));
    INFO((opened ? "" : opened.error().message));
    REQUIRE(opened);
    const Status read = read_everything(*opened);
    INFO((read ? "" : read.error().message));
    REQUIRE(read);
    std::string all = dump(state + "/ledger.db");
    REQUIRE(all.starts_with("ok\n"));
    return all;
}

void copy_state(const std::string& from, const std::string& to) {
    std::filesystem::remove_all(to);
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
    std::filesystem::permissions(to, std::filesystem::perms::owner_all);
}

// For each method in turn, strikes at its call 1, 2, ... until it ends undisturbed. Opening, migrating and closing are
// part of each life; the first starts from nothing. Returns the number of faults tried.
long fault_loop(FilesystemKind kind, Fault fault) {
    TempDir folder{};
    const std::string before = folder / "before";
    const std::string state = folder / "state";
    long faults = 0;
    std::filesystem::create_directory(before);
    std::filesystem::permissions(before, std::filesystem::perms::owner_all);
    std::vector<Step> steps = workload();
    steps.insert(steps.begin(), [](Ledger&) { return ok(); });
    // An empty directory holds the same as a new ledger: nothing.
    copy_state(before, state);
    std::string old_dump = survivor(state, kind);
    for (std::size_t number = 0; number < steps.size(); ++number) {
        copy_state(before, state);
        REQUIRE(live(state, kind, {Fault::kill, std::numeric_limits<long>::max()}, steps[number]).acknowledged);
        const std::string new_dump = survivor(state, kind);
        Outcome outcome{};
        for (long at = 1; !outcome.clean; ++at) {
            CAPTURE(number, at);
            copy_state(before, state);
            outcome = live(state, kind, {fault, at}, steps[number]);
            const std::string now = survivor(state, kind);
            REQUIRE((now == new_dump || (!outcome.acknowledged && now == old_dump)));
            ++faults;
        }
        copy_state(state, before);
        old_dump = new_dump;
    }
    return faults;
}

}  // namespace

TEST_CASE("a ledger killed at any call opens again with nothing half-done") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::kill) > 300);
}

TEST_CASE("a ledger killed in the middle of any write opens again with nothing half-done") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::tear) > 300);
}

TEST_CASE("a call that fails once leaves the ledger as it was or as it should be") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::fail) > 300);
}

TEST_CASE("a disk that fails from some call on leaves the ledger as it was or as it should be") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::fail_on) > 300);
}

}  // namespace drawhitch::ledger_test
