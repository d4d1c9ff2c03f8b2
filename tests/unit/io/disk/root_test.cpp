#include "io/disk/root.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "io/disk/space.hpp"
#include "io/disk/write_atomic.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using disk::Root;

namespace {

Root open_root(const std::string& path) {
    auto root = Root::open(path);
    REQUIRE(root);
    return std::move(root).value();
}

}  // namespace

TEST_CASE("names that could leave a root are refused before anything is opened") {
    support::TempDir dir;
    const Root root = open_root(dir.path());
    for (const std::string& path :
         {std::string{"../x"}, std::string{"/etc/passwd"}, std::string{"a/../../x"}, std::string{"."}, std::string{""},
          std::string{"a//b"}, std::string{"a/"}, std::string{"a\0b", 3}, std::string(256, 'n')}) {
        const auto result = root.read_file(path);
        REQUIRE(!result);
        CHECK(result.error().code == Code::unsafe_path);
        CHECK(!disk::write_atomic(root, path, "x"));
    }
}

TEST_CASE("a symlink on the way is never followed, whoever put it there") {
    support::TempDir dir;
    support::TempDir outside;
    support::write_file(outside / "secret", "s");
    REQUIRE(::symlink(outside.path().c_str(), (dir / "link").c_str()) == 0);
    const Root root = open_root(dir.path());
    const auto read = root.read_file("link/secret");
    REQUIRE(!read);
    CHECK(read.error().code == Code::unsafe_path);
    const auto write = disk::write_atomic(root, "link/planted", "x");
    REQUIRE(!write);
    CHECK(write.error().code == Code::unsafe_path);
    CHECK(::access((outside / "planted").c_str(), F_OK) != 0);
}

TEST_CASE("a file that is a symlink is replaced, not written through") {
    support::TempDir dir;
    support::TempDir outside;
    support::write_file(outside / "target", "precious");
    REQUIRE(::symlink((outside / "target").c_str(), (dir / "name").c_str()) == 0);
    const Root root = open_root(dir.path());
    REQUIRE(disk::write_atomic(root, "name", "new"));
    CHECK(support::read_file(outside / "target") == "precious");
    CHECK(support::read_file(dir / "name") == "new");
}

TEST_CASE("FIFOs are refused at once and never waited for") {
    support::TempDir dir;
    REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
    const auto read = open_root(dir.path()).read_file("pipe");
    REQUIRE(!read);
    CHECK(read.error().code == Code::unsafe_path);
}

TEST_CASE("write_atomic makes directories, keeps modes and leaves nothing else behind") {
    support::TempDir dir;
    const Root root = open_root(dir.path());
    REQUIRE(disk::write_atomic(root, "a/b/c.txt", "one", 0600));
    REQUIRE(disk::write_atomic(root, "a/b/c.txt", "two", 0600));
    CHECK(support::read_file(dir / "a/b/c.txt") == "two");
    struct stat found {};
    REQUIRE(::stat((dir / "a/b/c.txt").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == 0600U);
    CHECK(::rmdir((dir / "a/b").c_str()) != 0);
    REQUIRE(::unlink((dir / "a/b/c.txt").c_str()) == 0);
    CHECK(::rmdir((dir / "a/b").c_str()) == 0);  // empty: no draft was left
}

TEST_CASE("write_atomic over a directory fails and removes its draft") {
    support::TempDir dir;
    REQUIRE(::mkdir((dir / "d").c_str(), 0755) == 0);
    const Root root = open_root(dir.path());
    CHECK(!disk::write_atomic(root, "d", "x"));
    REQUIRE(::rmdir((dir / "d").c_str()) == 0);
    CHECK(::rmdir(dir.path().c_str()) == 0);
    REQUIRE(::mkdir(dir.path().c_str(), 0755) == 0);
}

TEST_CASE("read_whole refuses what is larger than its limit") {
    support::TempDir dir;
    support::write_file(dir / "f", std::string(1000, 'x'));
    CHECK(disk::read_whole(dir / "f", 1000).value_or("").size() == 1000);
    CHECK(!disk::read_whole(dir / "f", 999));
}

TEST_CASE("free space is told for a path that does not exist yet") {
    support::TempDir dir;
    const auto space = disk::space_at(dir / "not/yet/there");
    REQUIRE(space);
    CHECK(space->free_bytes > 0);
    CHECK(!space->read_only);
    CHECK(space->mount.front() == '/');
}

TEST_CASE("a root tells when its own path or a file's name leads elsewhere than it did") {
    support::TempDir dir;
    REQUIRE(::mkdir((dir / "r").c_str(), 0755) == 0);
    REQUIRE(::mkdir((dir / "r/a").c_str(), 0755) == 0);
    support::write_file(dir / "r/a/f", "12345");
    const Root root = open_root(dir / "r");
    CHECK(root.expect_itself());
    CHECK(root.expect_file("a/f", 5));
    for (const char* path : {"a/g", "b/f", "a"}) {
        INFO(path);
        const Status found = root.expect_file(path, 5);
        REQUIRE(!found);
        CHECK(found.error().code == Code::changed);
    }
    CHECK(!root.expect_file("a/f", 4));
    REQUIRE(::rename((dir / "r/a").c_str(), (dir / "r/b").c_str()) == 0);
    REQUIRE(::symlink("b", (dir / "r/a").c_str()) == 0);
    CHECK(!root.expect_file("a/f", 5));
    CHECK(root.expect_file("b/f", 5));
    REQUIRE(::rename((dir / "r").c_str(), (dir / "s").c_str()) == 0);
    CHECK(!root.expect_itself());
    REQUIRE(::symlink("s", (dir / "r").c_str()) == 0);
    CHECK(root.expect_itself());
}
