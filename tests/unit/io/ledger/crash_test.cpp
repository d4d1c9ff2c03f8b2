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

// Opens the ledger, takes one step under a fault and closes it.
Outcome live_here(const std::string& state, FilesystemKind kind, FaultPlan plan, const Step& step) {
    FakeClock clock{};
    const TestOp op{clock};
    plan_fault(plan);
    Outcome outcome{};
    {
        auto opened = Ledger::open(op, state, counted(kind));
        outcome.acknowledged = opened && step(*opened);
    }
    outcome.clean = calls_counted() < plan.at;
    plan_fault({});
    return outcome;
}

// The same in a child that dies of it.
Outcome live_and_die(const std::string& state, FilesystemKind kind, FaultPlan plan, const Step& step) {
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
        ::_exit(calls_counted() < plan.at ? 0 : 2);  // reached only without the fault
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

// For each method in turn, strikes at its call 1, 1 + stride, ... until it ends undisturbed. Opening and closing are
// part of each life; the first starts from nothing. Returns the number of faults tried.
long fault_loop(FilesystemKind kind, Fault fault, long stride = 1) {
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
    long at = 1;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        copy_state(before, state);
        REQUIRE(live_here(state, kind, {}, steps[number]).acknowledged);
        const std::string new_dump = survivor(state, kind);
        Outcome outcome{};
        // With a stride, the next method starts where this one left off, so that no place is always left out.
        for (at = 1 + at % stride; !outcome.clean; at += stride) {
            CAPTURE(number, at);
            copy_state(before, state);
            outcome = fault == Fault::kill ? live_and_die(state, kind, {fault, at}, steps[number])
                                           : live_here(state, kind, {fault, at}, steps[number]);
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

TEST_CASE("a ledger that stops at any call opens again with nothing half-done") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::freeze) > 150);
}

TEST_CASE("a ledger that stops in the middle of any write opens again with nothing half-done") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::tear) > 100);
}

// The same with a process that really dies. Starting one for every call takes too long under the sanitizers; the calls
// in between are those of the case above.
TEST_CASE("a ledger whose process is killed opens again with nothing half-done") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::kill, 5) > 40);
}

// Locks fail here, too, so there are many calls: every third of a method, and another third of the next.
TEST_CASE("a call that fails once leaves the ledger as it was or as it should be") {
    const auto kind = GENERATE(FilesystemKind::local, FilesystemKind::network);
    REQUIRE(fault_loop(kind, Fault::fail, 3) > 150);
}

}  // namespace drawhitch::ledger_test
