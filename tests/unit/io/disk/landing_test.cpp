#include "io/disk/landing.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "core/proto/limits.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using disk::Landing;

namespace {

std::unique_ptr<Landing> open_landing(const std::string& path) {
    auto root = disk::Root::create(path);
    REQUIRE(root);
    auto landing = Landing::open(std::move(root).value(), "pull-1");
    REQUIRE(landing);
    return std::move(landing).value();
}

bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

}  // namespace

TEST_CASE("a file appears under its name only when it has landed") {
    support::TempDir dir;
    support::TestOp op;
    auto landing = open_landing(dir / "new/dest");
    const std::string raw(100, 'r');
    auto part = landing->part(op, "sub/model.bin", {100, 100, "id"});
    REQUIRE(part);
    REQUIRE((*part)->write_leaf(0, raw, proto::leaf_digest(raw)));
    CHECK(!exists(dir / "new/dest/sub"));
    REQUIRE(landing->land(**part, "sub/model.bin", {0755, 1'600'000'000'500'000'000}));
    CHECK(support::read_file(dir / "new/dest/sub/model.bin") == raw);
    struct stat found {};
    REQUIRE(::stat((dir / "new/dest/sub/model.bin").c_str(), &found) == 0);
    CHECK((found.st_mode & 0111U) != 0);
    CHECK(found.st_mtim.tv_sec == 1'600'000'000);
    CHECK(found.st_mtim.tv_nsec == 500'000'000);
}

TEST_CASE("small files appear together, and nothing is left behind") {
    support::TempDir dir;
    auto landing = open_landing(dir.path());
    for (int i = 0; i < 50; ++i)
        REQUIRE(landing->add_small("d" + std::to_string(i % 5) + "/f" + std::to_string(i), std::to_string(i), {}));
    CHECK(!exists(dir / "d0"));
    REQUIRE(landing->settle());
    for (int i = 0; i < 50; ++i)
        CHECK(support::read_file(dir / ("d" + std::to_string(i % 5) + "/f" + std::to_string(i))) == std::to_string(i));
    REQUIRE(landing->discard());
    CHECK(!exists(dir / ".drawhitch"));
}

TEST_CASE("set-user-id and group bits of a box never arrive here") {
    support::TempDir dir;
    auto landing = open_landing(dir.path());
    REQUIRE(landing->add_small("s", "x", {06777, 0}));
    REQUIRE(landing->settle());
    struct stat found {};
    REQUIRE(::stat((dir / "s").c_str(), &found) == 0);
    CHECK((found.st_mode & 07000U) == 0);
}

TEST_CASE("the private directory is closed to others and its name to the box") {
    support::TempDir dir;
    support::TestOp op;
    auto landing = open_landing(dir.path());
    struct stat found {};
    REQUIRE(::stat((dir / ".drawhitch/pull-1").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == 0700U);
    for (const char* path : {".drawhitch/x", ".drawhitch", "../x", "/x", "a/../b", ""}) {
        CHECK(!landing->add_small(path, "x", {}));
        CHECK(!landing->part(op, path, {1, 1, "i"}));
        CHECK(!landing->make_directory(path));
        CHECK(!landing->make_symlink(path, "t"));
    }
}

TEST_CASE("two landings of one pull exclude each other, also in other processes") {
    support::TempDir dir;
    auto landing = open_landing(dir.path());
    auto root = disk::Root::open(dir.path());
    REQUIRE(root);
    const auto second = Landing::open(std::move(root).value(), "pull-1");
    REQUIRE(!second);
    CHECK(second.error().code == Code::locked);
    landing.reset();
    open_landing(dir.path());
}

TEST_CASE("a planted symlink in place of the private directory or a directory is refused") {
    support::TempDir dir;
    support::TempDir outside;
    REQUIRE(::symlink(outside.path().c_str(), (dir / ".drawhitch").c_str()) == 0);
    auto root = disk::Root::open(dir.path());
    REQUIRE(root);
    const auto landing = Landing::open(std::move(root).value(), "pull-1");
    REQUIRE(!landing);
    CHECK(landing.error().code == Code::unsafe_path);

    support::TempDir other;
    REQUIRE(::symlink(outside.path().c_str(), (other / "best").c_str()) == 0);
    auto second = open_landing(other.path());
    REQUIRE(second->add_small("best/model.pt", "x", {}));
    REQUIRE(second->add_small("fine.txt", "y", {}));
    const auto settled = second->settle();
    REQUIRE(settled);
    REQUIRE(settled->size() == 1);
    CHECK(settled->front().path == "best/model.pt");
    CHECK(settled->front().error.code == Code::unsafe_path);
    CHECK(support::read_file(other / "fine.txt") == "y");
    CHECK(!exists(outside / "model.pt"));
}

TEST_CASE("symlinks land as they are") {
    support::TempDir dir;
    auto landing = open_landing(dir.path());
    REQUIRE(landing->make_symlink("a/last", "step_3000"));
    REQUIRE(landing->make_symlink("a/last", "step_4000"));
    char target[64] = {};
    CHECK(::readlink((dir / "a/last").c_str(), target, sizeof target) == 9);
    CHECK(std::string{target} == "step_4000");
}

TEST_CASE("a part is found again by the same path, also after the landing was closed") {
    support::TempDir dir;
    support::TestOp op;
    const std::string raw(proto::k_chunk, 'r');
    {
        auto landing = open_landing(dir.path());
        auto part = landing->part(op, "m", {2 * proto::k_chunk, 2 * proto::k_chunk, "id"});
        REQUIRE(part);
        REQUIRE((*part)->write_leaf(1, raw, proto::leaf_digest(raw)));
    }
    auto landing = open_landing(dir.path());
    auto part = landing->part(op, "m", {2 * proto::k_chunk, 2 * proto::k_chunk, "id"});
    REQUIRE(part);
    CHECK((*part)->proven(1));
    CHECK(!(*part)->proven(0));
}

TEST_CASE("a landing that keeps others replaces only what it is told is ours, in that very state") {
    support::TempDir dir;
    support::write_file(dir / "ours", "old");
    support::write_file(dir / "edited", "old");
    struct stat ours {};
    struct stat edited {};
    REQUIRE(::lstat((dir / "ours").c_str(), &ours) == 0);
    REQUIRE(::lstat((dir / "edited").c_str(), &edited) == 0);
    auto landing = open_landing(dir.path());
    REQUIRE(landing->keep_others({{{"ours", disk::stamp_of(ours)}, {"edited", disk::stamp_of(edited)}}, {}}));
    for (const char* name : {"ours", "edited", "late", "fresh"})
        REQUIRE(landing->add_small(name, "new", {}));
    // After everything was decided.
    support::write_file(dir / "edited", "edited since");
    support::write_file(dir / "late", "came late");
    const auto settled = landing->settle();
    REQUIRE(settled);
    CHECK(settled->empty());
    for (const char* name : {"ours", "edited", "late", "fresh"})
        CHECK(support::read_file(dir / name) == "new");
    CHECK(support::read_file(dir / "edited.kept-1") == "edited since");
    CHECK(support::read_file(dir / "late.kept-1") == "came late");
    CHECK(!exists(dir / "ours.kept-1"));
    CHECK(landing->moved_aside().size() == 2);
}

TEST_CASE("what is set aside takes no name that is taken or will be, however long its own is") {
    support::TempDir dir;
    const std::string longest(255, 'n');
    support::write_file(dir / "a", "mine");
    support::write_file(dir / "a.kept-1", "earlier");
    support::write_file(dir / longest, "long");
    auto landing = open_landing(dir.path());
    REQUIRE(landing->keep_others({{}, [](std::string_view path) { return path == "a.kept-2"; }}));
    REQUIRE(landing->add_small("a", "new", {}));
    REQUIRE(landing->add_small(longest, "new", {}));
    REQUIRE(landing->settle());
    CHECK(support::read_file(dir / "a.kept-1") == "earlier");
    CHECK(support::read_file(dir / "a.kept-3") == "mine");
    CHECK(support::read_file(dir / (std::string(248, 'n') + ".kept-1")) == "long");
}

TEST_CASE("notes of a landing that was cut off anywhere hold what was whole") {
    support::TempDir dir;
    support::TestOp op;
    const std::string root(64, 'a');
    std::string whole = disk::LandingNotebook::put_note("one", root) + disk::LandingNotebook::aside_note({"x", "y"});
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        auto landing = open_landing(dir.path());
        support::write_file(dir / ".drawhitch/pull-1/landed", whole.substr(0, length));
        REQUIRE(landing->keep_others({}));
        REQUIRE(landing->add_small("two", "2", {}));
        REQUIRE(landing->settle());
        const auto opened = disk::Root::open(dir.path());
        REQUIRE(opened);
        const auto notes = disk::read_landing_notes(*opened, "pull-1");
        CHECK(notes.put.contains("two"));
        const auto first = notes.put.find("one");
        CHECK((first != notes.put.end() && first->second == root) == (length >= 1 + 4 + 64));
        REQUIRE(landing->discard());
    }
}
