// Two drawhitch processes at once.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "io/ledger/database.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"
#include "unit/io/ledger/workload.hpp"

namespace drawhitch::ledger_test {

namespace {

using ledger::Access;
using ledger::Database;
using ledger::FileLock;
using ledger::FilesystemKind;
using ledger::Ledger;
using ledger::Transaction;
using support::FakeClock;
using support::TempDir;
using support::TestOp;

// A child process that does something, says so, and stays until it is told to go.
class Child {
  public:
    explicit Child(const std::function<bool()>& body) {
        auto said = make_pipe();
        auto told = make_pipe();
        REQUIRE(said);
        REQUIRE(told);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            said->read.reset();
            told->write.reset();
            const bool good = body();
            (void)!::write(said->write.get(), good ? "y" : "n", 1);
            char byte = 0;
            (void)!::read(told->read.get(), &byte, 1);
            ::_exit(0);
        }
        said->write.reset();
        told->read.reset();
        char byte = 0;
        REQUIRE(::read(said->read.get(), &byte, 1) == 1);
        good_ = byte == 'y';
        hold_ = std::move(told->write);
    }
    ~Child() { finish(); }
    void finish() {
        if (pid_ <= 0) return;
        hold_.reset();
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    void kill() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    pid_t pid_{0};
    bool good_{false};
    UniqueFd hold_{};
};

}  // namespace

TEST_CASE("a ledger held by another process is refused with its pid, after a few seconds of patience") {
    for (const auto kind : {FilesystemKind::local, FilesystemKind::network}) {
        TempDir folder{};
        FakeClock clock{};
        TestOp op{clock};
        const std::string state = folder / "state";
        auto opened = Ledger::open(op, state, {kind, {}});
        REQUIRE(opened);
        Child holder{[&] {
            auto database = Database::open(state + "/ledger.db", {}, {});
            if (!database) return false;
            auto transaction = Transaction::begin(**database, Access::write);
            if (!transaction) return false;
            // Left behind on purpose: the child holds the lock until it ends.
            new Transaction(std::move(*transaction));
            (void)database->release();
            return true;
        }};
        REQUIRE(holder.good());
        const auto refused = opened->add_lease(lease_called("box-3"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::locked);
        CHECK(refused.error().message ==
              "another drawhitch (pid " + std::to_string(holder.pid()) + ") holds the ledger");
        CHECK(clock.slept() >= milliseconds{3000});
        CHECK(clock.slept() <= milliseconds{10'000});
        // Once cancelled, patience is shorter, but not none.
        const milliseconds before = clock.slept();
        op.cancel().request();
        CHECK_FALSE(opened->add_lease(lease_called("box-3")));
        CHECK(clock.slept() - before <= milliseconds{1500});
        CHECK(clock.slept() > before);
        holder.kill();
        CHECK(opened->add_lease(lease_called("box-3")));
    }
}

TEST_CASE("processes that start, claim and write at once each see the others' work") {
    for (const auto kind : {FilesystemKind::local, FilesystemKind::network}) {
        TempDir folder{};
        const std::string state = folder / "state";
        constexpr int k_processes = 4;
        constexpr int k_notes = 10;
        auto winners = make_pipe();
        REQUIRE(winners);
        std::vector<pid_t> children{};
        for (int number = 0; number < k_processes; ++number) {
            const pid_t child = ::fork();
            REQUIRE(child >= 0);
            if (child == 0) {
                const TestOp op{};
                bool good = true;
                auto opened = Ledger::open(op, state, {kind, {}});
                good = opened.has_value();
                if (good && opened->add_lease(lease_called("box-3"))) (void)!::write(winners->write.get(), "l", 1);
                if (good && opened->claim_run(1, spec_called("r1"))) (void)!::write(winners->write.get(), "r", 1);
                for (int note = 0; good && note < k_notes; ++note)
                    good = opened->append_event(1, {}, "tick", "{}").has_value();
                ::_exit(good ? 0 : 1);
            }
            children.push_back(child);
        }
        winners->write.reset();
        for (const pid_t child : children) {
            int how = 0;
            REQUIRE(::waitpid(child, &how, 0) == child);
            CHECK(how == 0);
        }
        std::string won(64, '\0');
        const auto count = read_full(winners->read.get(), std::span{won.data(), won.size()}, "pipe");
        REQUIRE(count);
        won.resize(*count);
        CHECK(won.size() == 2);  // one lease, one run
        const TestOp op{};
        auto opened = Ledger::open(op, state, {kind, {}});
        REQUIRE(opened);
        CHECK(opened->leases(ledger::Which::all)->size() == 1);
        CHECK(opened->runs(1)->size() == 1);
        CHECK(opened->events(1)->size() == static_cast<std::size_t>(k_processes * k_notes + 2));
    }
}

TEST_CASE("two ledgers of one process do not break each other's locks") {
    TempDir folder{};
    FakeClock clock{};
    const TestOp op{clock};
    const std::string state = folder / "state";
    auto first = Ledger::open(op, state, {FilesystemKind::network, {}});
    REQUIRE(first);
    REQUIRE(first->add_lease(lease_called("box-3")));
    Database* held = nullptr;
    auto database = Database::open(state + "/ledger.db", {}, {});
    REQUIRE(database);
    held = database->get();
    auto transaction = Transaction::begin(*held, Access::write);
    REQUIRE(transaction);
    // Opening and closing another one looks at the same file; POSIX would drop all locks on it.
    (void)Ledger::open(op, state, {FilesystemKind::network, {}});
    Child other{[&] {
        FakeClock patient{};
        const TestOp child_op{patient};
        auto opened = Ledger::open(child_op, state, {FilesystemKind::network, {}});
        return opened && !opened->set_note(1, "k", "v");
    }};
    CHECK(other.good());
}

TEST_CASE("a lease is locked by one flow at a time, and its holder is named") {
    TempDir folder{};
    const TestOp op{};
    const std::string state = folder / "state";
    Child holder{[&] {
        auto lock = FileLock::lease(op, state, 7, "push box-3");
        if (!lock) return false;
        new FileLock(std::move(*lock));
        return true;
    }};
    REQUIRE(holder.good());
    const auto refused = FileLock::lease(op, state, 7, "down box-3");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::locked);
    CHECK(refused.error().message ==
          "another drawhitch (pid " + std::to_string(holder.pid()) + ", push box-3) is at work on it");
    CHECK(FileLock::lease(op, state, 8, "down box-4"));
    CHECK(FileLock::watcher(op, state, 7, "watch box-3"));
    // However the holder ends, the lock is free.
    holder.kill();
    CHECK(FileLock::lease(op, state, 7, "down box-3"));
}

TEST_CASE("waiting for a lock ends with the deadline or with cancel") {
    TempDir folder{};
    FakeClock clock{};
    TestOp op{clock, milliseconds{1000}};
    const std::string state = folder / "state";
    const auto mine = FileLock::lease(op, state, 7, "push");
    REQUIRE(mine);
    const auto late = FileLock::lease(op, state, 7, "down", ledger::Wait::for_deadline);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == Code::deadline);
    FakeClock other{};
    TestOp cancelled{other};
    cancelled.cancel().request();
    CHECK(FileLock::lease(cancelled, state, 7, "down", ledger::Wait::for_deadline).error().code == Code::cancelled);
}

TEST_CASE("a pull target is one directory whatever it is called") {
    TempDir folder{};
    const TestOp op{};
    const std::string state = folder / "state";
    std::filesystem::create_directory(folder / "pulls");
    std::filesystem::create_directory_symlink(folder / "pulls", folder / "link");
    const auto mine = FileLock::pull_target(op, state, folder / "pulls", "pull");
    REQUIRE(mine);
    CHECK(FileLock::pull_target(op, state, folder / "link", "pull").error().code == Code::locked);
    CHECK(FileLock::pull_target(op, state, folder / "missing", "pull").error().code == Code::not_found);
}

TEST_CASE("a disk whose filesystem is not known counts as a network") {
    CHECK(ledger::filesystem_of("/proc") == FilesystemKind::network);
    CHECK(ledger::filesystem_of("/does/not/exist") == FilesystemKind::network);
    CHECK(ledger::filesystem_of("/dev/shm") == FilesystemKind::local);
}

}  // namespace drawhitch::ledger_test
