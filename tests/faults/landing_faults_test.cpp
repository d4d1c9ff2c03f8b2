// Landing under failing and killed system calls: whatever happens, a name the user can see holds the right bytes or is
// not there, and a repetition finishes the work.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "core/proto/limits.hpp"
#include "io/disk/landing.hpp"
#include "io/disk/write_atomic.hpp"
#include "support/skip.hpp"
#include "support/syscall_faults.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"
#include "support/tiny_fs.hpp"

using namespace drawhitch;
using support::SyscallFaults;

namespace {

constexpr std::uint64_t k_chunks = 3;
constexpr std::uint64_t k_size = (k_chunks - 1) * proto::k_chunk + 777;

std::string chunk(std::uint64_t index) {
    return std::string(proto::leaf_size(k_size, index), static_cast<char>('p' + index));
}

std::string whole() {
    std::string all;
    for (std::uint64_t i = 0; i < k_chunks; ++i)
        all += chunk(i);
    return all;
}

// A small pull as the engine does it. `sent` counts the chunks that had to be fetched.
Status pull(const Op& op, const std::string& path, std::size_t& sent) {
    TRY_ASSIGN(disk::Root root, disk::Root::create(path));
    TRY_ASSIGN(const auto landing, disk::Landing::open(std::move(root), "pull"));
    TRY_ASSIGN(const auto part, landing->part(op, "dir/model.bin", {k_size, k_size, "generation 1"}));
    for (std::uint64_t i = 0; i < k_chunks; ++i) {
        if (part->proven(i)) continue;
        ++sent;
        TRY(part->write_leaf(i, chunk(i), proto::leaf_digest(chunk(i))));
    }
    TRY(landing->land(*part, "dir/model.bin", {0644, 0}));
    TRY(landing->add_small("dir/a.json", "{\"a\":1}", {}));
    TRY(landing->add_small("b.json", "{\"b\":2}", {}));
    TRY_ASSIGN(const auto unlanded, landing->settle());
    if (!unlanded.empty()) return unlanded.front().error;
    TRY(landing->make_symlink("last", "dir"));
    return landing->discard();
}

bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

void check_no_wrong_file(const support::TempDir& dir) {
    const std::pair<const char*, std::string> files[] = {
        {"d/dir/model.bin", whole()}, {"d/dir/a.json", "{\"a\":1}"}, {"d/b.json", "{\"b\":2}"}};
    for (const auto& [name, content] : files) {
        if (!exists(dir / name)) continue;
        // A comparison that does not print megabytes when it fails.
        const bool same = support::read_file(dir / name) == content;
        INFO(name);
        REQUIRE(same);
    }
}

void check_complete(const support::TempDir& dir) {
    check_no_wrong_file(dir);
    for (const char* name : {"d/dir/model.bin", "d/dir/a.json", "d/b.json", "d/last"})
        REQUIRE(exists(dir / name));
    REQUIRE(!exists(dir / "d/.drawhitch"));
}

// Runs `work` in a child that is killed at its n-th writing system call; false once the child ends by itself.
template <class Work>
bool killed_at(std::size_t n, const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        SyscallFaults::kill_at(n);
        const bool done = work();
        ::_exit(done ? 0 : 1);
    }
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    if (WIFSIGNALED(state)) {
        REQUIRE(WTERMSIG(state) == SIGKILL);
        return true;
    }
    REQUIRE(WEXITSTATUS(state) == 0);
    return false;
}

}  // namespace

TEST_CASE("killed at any writing call, a pull leaves no wrong file and its repetition finishes") {
    std::size_t rounds = 0;
    for (std::size_t n = 1;; ++n) {
        support::TempDir dir;
        support::TestOp op;
        std::size_t before = 0;
        if (!killed_at(n, [&] { return pull(op, dir / "d", before).has_value(); })) break;
        ++rounds;
        INFO("killed at call " << n);
        check_no_wrong_file(dir);
        std::size_t sent = 0;
        REQUIRE(pull(op, dir / "d", sent));
        check_complete(dir);
    }
    CHECK(rounds > 20);
}

TEST_CASE("a kill costs at most one chunk that has to be sent again") {
    // Counts the writing calls up to the moment the last chunk is journalled, then kills there.
    for (std::size_t n = 1;; ++n) {
        support::TempDir dir;
        support::TestOp op;
        const std::string root = dir / "d";
        std::size_t unused = 0;
        if (!killed_at(n, [&] { return pull(op, root, unused).has_value(); })) break;
        if (exists(root + "/dir/model.bin")) break;
        auto opened = disk::Root::create(root);
        REQUIRE(opened);
        auto landing = disk::Landing::open(std::move(opened).value(), "pull");
        REQUIRE(landing);
        auto part = (*landing)->part(op, "dir/model.bin", {k_size, k_size, "generation 1"});
        REQUIRE(part);
        // Chunks are written in order: what is proven has no hole, apart from the one the kill hit.
        const std::uint64_t proven = (*part)->proven_count();
        for (std::uint64_t i = 0; i < proven; ++i)
            CHECK((*part)->proven(i));
    }
}

TEST_CASE("whichever writing call fails, once or for good, no wrong file appears and a repetition finishes") {
    for (const bool persistent : {false, true}) {
        for (std::size_t n = 1;; ++n) {
            support::TempDir dir;
            support::TestOp op;
            std::size_t sent = 0;
            SyscallFaults::fail_at(n, ENOSPC, persistent);
            const Status result = pull(op, dir / "d", sent);
            const std::size_t calls = SyscallFaults::calls();
            SyscallFaults::disarm();
            INFO("call " << n << " failed, " << (persistent ? "for good" : "once"));
            check_no_wrong_file(dir);
            if (!result) CHECK(result.error().code == Code::no_space);
            REQUIRE(pull(op, dir / "d", sent));
            check_complete(dir);
            if (calls < n) break;
        }
    }
}

TEST_CASE("a full disk and a disk without inodes are told apart from other failures, and old files stay") {
    const std::pair<const char*, Code> rows[] = {{"size=1536k", Code::no_space}, {"nr_inodes=8", Code::no_inodes}};
    for (const auto& [limits, wanted] : rows) {
        INFO(limits);
        support::TempDir dir;
        support::TinyFileSystem tiny{dir.path(), limits};
        if (!tiny.available()) support::skip_without("the right to make user and mount namespaces");
        const Code code = tiny.run([&] {
            support::TestOp op;
            std::size_t sent = 0;
            support::write_file(dir / "keep", "old");
            const Status result = pull(op, dir / "d", sent);
            if (support::read_file(dir / "keep") != "old" || exists(dir / "d/dir/model.bin")) return Code::integrity;
            return result ? Code::internal : result.error().code;
        });
        CHECK(code == wanted);
    }
}

TEST_CASE("write_atomic killed at any call leaves the old file or the new one") {
    for (std::size_t n = 1;; ++n) {
        support::TempDir dir;
        support::write_file(dir / "f", "old");
        const bool killed = killed_at(n, [&] { return disk::write_atomic(dir / "f", "new").has_value(); });
        const std::string now = support::read_file(dir / "f");
        CHECK((now == "old" || now == "new"));
        if (!killed) {
            CHECK(now == "new");
            break;
        }
    }
}
