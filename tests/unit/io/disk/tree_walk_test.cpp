#include "io/disk/tree_walk.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <vector>

#include "core/proto/path.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using proto::FileType;

namespace {

struct Seen {
    std::vector<proto::FileEntry> entries{};
    std::map<std::string, Code> problems{};

    [[nodiscard]] std::vector<std::string> paths() const {
        std::vector<std::string> all;
        for (const auto& entry : entries)
            all.push_back(entry.path);
        return all;
    }
    [[nodiscard]] proto::FileEntry find(const std::string& path) const {
        for (const auto& entry : entries)
            if (entry.path == path) return entry;
        return {};
    }
};

Status walk(const Op& op, const std::string& path, Seen& seen,
            std::function<bool(std::string_view, FileType)> ignored = {}) {
    TRY_ASSIGN(const disk::Root root, disk::Root::open(path));
    disk::WalkCallbacks callbacks{};
    callbacks.ignored = std::move(ignored);
    callbacks.entry = [&](const proto::FileEntry& entry) {
        seen.entries.push_back(entry);
        return ok();
    };
    callbacks.problem = [&](std::string_view at, const Error& error) { seen.problems[std::string{at}] = error.code; };
    return disk::walk(op, root, callbacks);
}

}  // namespace

TEST_CASE("a walk sees every kind of entry and opens none but directories") {
    support::TempDir dir;
    support::TestOp op;
    support::write_file(dir / "file", "12345", 0755);
    REQUIRE(::mkdir((dir / "sub").c_str(), 0700) == 0);
    support::write_file(dir / "sub/inner", "");
    REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
    REQUIRE(::symlink("/nowhere/at all", (dir / "dangling").c_str()) == 0);
    REQUIRE(::symlink(".", (dir / "loop").c_str()) == 0);
    const int bound = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(::chdir(dir.path().c_str()) == 0);
    address.sun_path[0] = 's';
    REQUIRE(::bind(bound, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    ::close(bound);

    Seen seen;
    REQUIRE(walk(op, dir.path(), seen));
    CHECK(seen.paths() == std::vector<std::string>{"dangling", "file", "loop", "pipe", "s", "sub", "sub/inner"});
    CHECK(seen.find("file").type == FileType::file);
    CHECK(seen.find("file").size == 5);
    CHECK(seen.find("file").executable());
    CHECK(seen.find("file").mtime_ns > 0);
    CHECK(seen.find("pipe").type == FileType::fifo);
    CHECK(seen.find("s").type == FileType::socket);
    CHECK(seen.find("dangling").type == FileType::symlink);
    CHECK(seen.find("dangling").target == "/nowhere/at all");
    CHECK(seen.find("loop").type == FileType::symlink);
    CHECK(seen.problems.empty());
}

TEST_CASE("names are bytes, and the order is that of a scan on the box") {
    support::TempDir dir;
    support::TestOp op;
    const std::vector<std::string> names{"\xff\xfe", "a b", "a\nb",     "a-b",
                                         "a'\"b",    "A",   "\xc3\xa4", std::string(255, 'z')};
    for (const auto& name : names)
        support::write_file(dir / name, name);
    REQUIRE(::mkdir((dir / "a").c_str(), 0700) == 0);
    support::write_file(dir / "a/x", "");
    Seen seen;
    REQUIRE(walk(op, dir.path(), seen));
    CHECK(seen.entries.size() == names.size() + 2);
    const auto paths = seen.paths();
    for (std::size_t i = 1; i < paths.size(); ++i)
        CHECK(proto::scan_less(paths[i - 1], paths[i]));
}

TEST_CASE("what is ignored is not entered") {
    support::TempDir dir;
    support::TestOp op;
    REQUIRE(::mkdir((dir / ".git").c_str(), 0700) == 0);
    support::write_file(dir / ".git/config", "");
    support::write_file(dir / "keep", "");
    Seen seen;
    std::vector<std::string> asked;
    REQUIRE(walk(op, dir.path(), seen, [&](std::string_view path, FileType) {
        asked.emplace_back(path);
        return path == ".git";
    }));
    CHECK(seen.paths() == std::vector<std::string>{"keep"});
    CHECK(asked == std::vector<std::string>{".git", "keep"});
}

TEST_CASE("an unreadable directory is named and the walk goes on") {
    support::TempDir dir;
    support::TestOp op;
    REQUIRE(::mkdir((dir / "locked").c_str(), 0700) == 0);
    support::write_file(dir / "locked/inside", "");
    support::write_file(dir / "z", "");
    REQUIRE(::chmod((dir / "locked").c_str(), 0) == 0);
    // Root reads everything: give the privilege up for the walk, and take it back to clean up.
    const bool root = ::geteuid() == 0;
    if (root) {
        REQUIRE(::chown(dir.path().c_str(), 65534, 65534) == 0);
        REQUIRE(::seteuid(65534) == 0);
    }
    Seen seen;
    const bool walked = walk(op, dir.path(), seen).has_value();
    if (root) REQUIRE(::seteuid(0) == 0);
    REQUIRE(::chmod((dir / "locked").c_str(), 0700) == 0);
    CHECK(walked);
    CHECK(seen.paths() == std::vector<std::string>{"locked", "z"});
    CHECK(seen.problems == std::map<std::string, Code>{{"locked", Code::permission}});
}

TEST_CASE("a tree deeper than its limit is reported and not lost silently") {
    support::TempDir dir;
    support::TestOp op;
    int at = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 520; ++i) {
        REQUIRE(::mkdirat(at, "d", 0700) == 0);
        const int below = ::openat(at, "d", O_RDONLY | O_DIRECTORY);
        ::close(at);
        at = below;
    }
    ::close(at);
    Seen seen;
    REQUIRE(walk(op, dir.path(), seen));
    CHECK(seen.entries.size() == 512);
    REQUIRE(seen.problems.size() == 1);
    CHECK(seen.problems.begin()->second == Code::skipped);
}

TEST_CASE("a cancelled walk ends at once") {
    support::TempDir dir;
    support::TestOp op;
    for (int i = 0; i < 100; ++i)
        support::write_file(dir / std::to_string(i), "");
    const auto root = disk::Root::open(dir.path());
    REQUIRE(root);
    int seen = 0;
    disk::WalkCallbacks callbacks{};
    callbacks.entry = [&](const proto::FileEntry&) {
        if (++seen == 10) op.cancel().request();
        return ok();
    };
    const auto result = disk::walk(op, *root, callbacks);
    REQUIRE(!result);
    CHECK(result.error().code == Code::cancelled);
    CHECK(seen == 10);
}

TEST_CASE("a file that vanishes during the walk is a problem, not the end") {
    support::TempDir dir;
    support::TestOp op;
    support::write_file(dir / "a", "");
    support::write_file(dir / "b", "");
    Seen seen;
    REQUIRE(walk(op, dir.path(), seen, [&](std::string_view path, FileType) {
        if (path == "a") ::unlink((dir / "b").c_str());
        return false;
    }));
    CHECK(seen.paths() == std::vector<std::string>{"a"});
    CHECK(seen.problems == std::map<std::string, Code>{{"b", Code::not_found}});
}
