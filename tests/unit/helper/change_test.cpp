// Changing trees: the seven kinds of change, and that none of them leaves the root.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/proto/limits.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;
using proto::Change;
using proto::ChangeKind;

namespace fs = std::filesystem;

TEST_CASE("directories are made with their mode, parents on demand, and an existing one is fine if told so") {
    Box box;
    CHECK(box.agent->make_directory(box.op, box.claim, "a", 0700, false));
    CHECK(box.look("a").mode == 0700);
    CHECK(code_of(box.agent->make_directory(box.op, box.claim, "a", 0755, false)) == Code::exists);
    CHECK(box.agent->make_directory(box.op, box.claim, "a", 0755, true));
    CHECK(code_of(box.agent->make_directory(box.op, box.claim, "b/c", 0755, false)) == Code::not_found);
    CHECK(box.agent->make_directory(box.op, box.claim, "b/c", 0755, true));
    box.put("file", "x");
    CHECK_FALSE(box.agent->make_directory(box.op, box.claim, "file", 0755, true));
}

TEST_CASE("making a directory that must be new is a claim that only one can win") {
    Box box;
    Connection other(box.top());
    REQUIRE(other.agent->claim(other.op, other.root, {k_owner_a, box.claim.epoch, false, {}}));
    const agent::Claim theirs{other.root, box.claim.epoch, true};
    CHECK(box.agent->make_directory(box.op, box.claim, "run-1", 0755, false));
    CHECK(code_of(other.agent->make_directory(other.op, theirs, "run-1", 0755, false)) == Code::exists);
}

TEST_CASE("symlinks hold any target and are never followed") {
    Box box;
    CHECK(box.agent->make_symlink(box.op, box.claim, "link", "/etc/passwd"));
    CHECK(box.look("link").target == "/etc/passwd");
    CHECK(code_of(box.agent->make_symlink(box.op, box.claim, "link", "x")) == Code::exists);
    CHECK_FALSE(box.agent->make_symlink(box.op, box.claim, "nul", std::string_view("a\0b", 3)));
    CHECK(code_of(box.agent->read_small(box.op, box.root, "link")) == Code::unsafe_path);
    CHECK(code_of(box.agent->set_executable(box.op, box.claim, "link", true)) == Code::unsafe_path);
}

TEST_CASE("hard links give a file a second name; directories and symlinks get none") {
    Box box;
    box.put("file", "x");
    CHECK(box.agent->hard_link(box.op, box.claim, "file", "second"));
    CHECK(box.look("file").ino == box.look("second").ino);
    CHECK(code_of(box.agent->hard_link(box.op, box.claim, "file", "second")) == Code::exists);
    fs::create_symlink("file", box.at("link"));
    fs::create_directory(box.at("dir"));
    CHECK_FALSE(box.agent->hard_link(box.op, box.claim, "link", "third"));
    CHECK_FALSE(box.agent->hard_link(box.op, box.claim, "dir", "third"));
    CHECK(code_of(box.agent->hard_link(box.op, box.claim, "gone", "third")) == Code::not_found);
}

TEST_CASE("a copy has the same bytes, mode and time, and is another file") {
    Box box;
    const std::string content = noise(20U << 20U);
    box.put("file", content, 0751);
    CHECK(box.agent->copy_file(box.op, box.claim, "file", "copy"));
    const proto::FileEntry from = box.look("file");
    const proto::FileEntry to = box.look("copy");
    CHECK(box.get("copy") == content);
    CHECK(to.ino != from.ino);
    CHECK(to.mode == from.mode);
    CHECK(to.mtime_ns == from.mtime_ns);
    CHECK(code_of(box.agent->copy_file(box.op, box.claim, "file", "copy")) == Code::exists);
    box.put("empty", "");
    CHECK(box.agent->copy_file(box.op, box.claim, "empty", "empty2"));
    CHECK(box.get("empty2").empty());
}

TEST_CASE("rename moves within the root, and can refuse to replace") {
    Box box;
    box.put("a", "a");
    box.put("b", "b");
    CHECK(code_of(box.agent->rename(box.op, box.claim, "a", "b", true)) == Code::exists);
    CHECK(box.get("b") == "b");
    CHECK(box.agent->rename(box.op, box.claim, "a", "b", false));
    CHECK(box.get("b") == "a");
    CHECK(code_of(box.agent->rename(box.op, box.claim, "a", "c", false)) == Code::not_found);
    fs::create_directories(box.at("dir/sub"));
    CHECK(box.agent->rename(box.op, box.claim, "dir", "moved", true));
    CHECK_FALSE(box.agent->rename(box.op, box.claim, "moved", "moved/sub/inside", false));
}

TEST_CASE("execute bits follow read bits") {
    Box box;
    box.put("file", "x", 0640);
    CHECK(box.agent->set_executable(box.op, box.claim, "file", true));
    CHECK(box.look("file").mode == 0750);
    CHECK(box.agent->set_executable(box.op, box.claim, "file", false));
    CHECK(box.look("file").mode == 0640);
}

TEST_CASE("remove takes files, links and empty directories; recursively whole trees, and never follows a link") {
    Box box;
    fs::create_directories(box.outside() + "/precious");
    support::write_file(box.outside() + "/precious/file", "x");
    fs::create_directories(box.at("tree/a/b"));
    fs::create_directories(box.at("tree/empty"));
    for (int i = 0; i < 1200; ++i)
        box.put("tree/a/f" + std::to_string(i), "");
    fs::create_directory_symlink(box.outside() + "/precious", box.at("tree/a/b/link"));
    fs::create_directory_symlink(box.outside() + "/precious", box.at("link"));
    REQUIRE(::mkfifo(box.at("tree/pipe").c_str(), 0600) == 0);
    CHECK(code_of(box.agent->remove(box.op, box.claim, "tree", false)) == Code::exists);
    CHECK(code_of(box.agent->remove(box.op, box.claim, "link/file", false)) == Code::unsafe_path);
    CHECK(box.agent->remove(box.op, box.claim, "link", true));
    CHECK(box.agent->remove(box.op, box.claim, "tree", true));
    CHECK_FALSE(fs::exists(box.at("tree")));
    CHECK(support::read_file(box.outside() + "/precious/file") == "x");
    fs::create_directories(box.at("dir"));
    CHECK(box.agent->remove(box.op, box.claim, "dir", false));
    CHECK(code_of(box.agent->remove(box.op, box.claim, "dir", false)) == Code::not_found);
    CHECK(box.change({ChangeKind::remove, "dir", {}, 0, proto::k_change_missing_ok}));
}

TEST_CASE("the root and the private directory are out of reach of every change") {
    Box box;
    box.put("file", "x");
    REQUIRE(box.agent->probe_root(box.op, box.claim));
    const std::vector<std::string> forbidden{"",
                                             ".",
                                             "..",
                                             "/",
                                             "/etc",
                                             "../outside",
                                             "a/../../b",
                                             "a/",
                                             "./",
                                             "a//b",
                                             ".drawhitch",
                                             ".drawhitch/epoch",
                                             ".drawhitch/parts"};
    for (const std::string& path : forbidden) {
        CAPTURE(path);
        // Removing the private directory itself gives the claim up.
        if (path != ".drawhitch")
            CHECK(code_of(box.change({ChangeKind::remove, path, {}, 0, proto::k_change_recursive})) ==
                  Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::make_directory, path, {}, 0755, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::make_directory, path, {}, 0755, proto::k_change_parents})) ==
              Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::make_symlink, path, "x", 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::rename, path, "file", 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::rename, "new", path, 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::hard_link, path, "file", 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::hard_link, "new", path, 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::copy_file, path, "file", 0, 0})) == Code::unsafe_path);
        CHECK(code_of(box.change({ChangeKind::set_executable, path, {}, 1, 0})) == Code::unsafe_path);
    }
    CHECK(box.get("file") == "x");
    CHECK(fs::exists(box.at(".drawhitch/epoch")));
}

TEST_CASE("leftover parts can be removed, and nothing else in the private directory") {
    Box box;
    fs::create_directories(box.at(".drawhitch/parts"));
    box.put(".drawhitch/parts/old", "x");
    CHECK(box.agent->remove(box.op, box.claim, ".drawhitch/parts/old", false));
    CHECK_FALSE(fs::exists(box.at(".drawhitch/parts/old")));
    CHECK(code_of(box.agent->remove(box.op, box.claim, ".drawhitch/lock", false)) == Code::unsafe_path);
}

TEST_CASE("a symlink anywhere on the way is never passed through, whatever is asked") {
    Box box;
    fs::create_directories(box.outside() + "/elsewhere/sub");
    support::write_file(box.outside() + "/elsewhere/file", "untouched");
    fs::create_directory_symlink(box.outside() + "/elsewhere", box.at("out"));
    fs::create_directory_symlink(".", box.at("self"));
    box.put("file", "x");
    for (const std::string through : {"out", "self"}) {
        const std::string path = through + "/file";
        CHECK(box.look(path).error == ELOOP);
        CHECK(code_of(box.agent->read_small(box.op, box.root, path)) == Code::unsafe_path);
        CHECK(code_of(box.agent->hash(box.op, {.root = box.root, .path = path})) == Code::unsafe_path);
        CHECK(code_of(box.agent->statvfs(box.op, box.root, path)) == Code::unsafe_path);
        CHECK(code_of(box.agent->remove(box.op, box.claim, path, true)) == Code::unsafe_path);
        CHECK(code_of(box.agent->make_directory(box.op, box.claim, through + "/new", 0755, true)) == Code::unsafe_path);
        CHECK(code_of(box.agent->rename(box.op, box.claim, "file", through + "/new", false)) == Code::unsafe_path);
        CHECK(code_of(box.agent->copy_file(box.op, box.claim, path, "new")) == Code::unsafe_path);
        proto::WriteSmall small;
        small.path = through + "/new";
        small.make_parents = true;
        CHECK(code_of(box.agent->write_small(box.op, box.claim, small)) == Code::unsafe_path);
    }
    CHECK(support::read_file(box.outside() + "/elsewhere/file") == "untouched");
    CHECK(fs::is_empty(box.outside() + "/elsewhere/sub"));
}

TEST_CASE("a list of changes is made in order and stops at the first failure, or goes on when told so") {
    Box box;
    const std::vector<Change> changes{{ChangeKind::make_directory, "d", {}, 0755, 0},
                                      {ChangeKind::remove, "gone", {}, 0, 0},
                                      {ChangeKind::make_symlink, "d/l", "t", 0, 0}};
    const auto stopped = Connection::must(box.agent->apply(box.op, box.claim, changes, false));
    CHECK(stopped.done == 1);
    REQUIRE(stopped.failures.size() == 1);
    CHECK(stopped.failures[0].index == 1);
    CHECK(stopped.failures[0].reason == proto::Reason::not_found);
    CHECK_FALSE(fs::exists(fs::symlink_status(box.at("d/l"))));
    const auto all = Connection::must(box.agent->apply(box.op, box.claim, changes, true));
    CHECK(all.done == 1);
    CHECK(all.failures.size() == 2);
    CHECK(fs::is_symlink(box.at("d/l")));
}

TEST_CASE("names that are not UTF-8, with newlines or as long as may be, are names like any other") {
    Box box;
    for (const std::string& name : {std::string("\xFF\xFE\x01"), std::string("a\nb\r\t\x1b[2J"), std::string(255, 'n'),
                                    std::string("-rf"), std::string("$(touch x)"), std::string("'\"`\\ *?")}) {
        proto::WriteSmall small;
        small.path = name;
        small.content = "x";
        REQUIRE(box.agent->write_small(box.op, box.claim, small));
        CHECK(box.look(name).size == 1);
        CHECK(box.scan().at(0).path == name);
        CHECK(box.agent->remove(box.op, box.claim, name, false));
    }
    CHECK(code_of(box.agent->make_directory(box.op, box.claim, std::string(256, 'n'), 0755, false)) ==
          Code::unsafe_path);
}

TEST_CASE("everything written reaches the disk on request") {
    Box box;
    CHECK(box.agent->sync(box.op, box.root));
}

TEST_CASE("lists longer than a frame travel in parts and come back as one") {
    Box box;
    std::vector<Change> changes;
    std::vector<std::string> paths;
    const std::string long_name(200, 'n');
    for (int i = 0; i < 6000; ++i) {
        paths.push_back(long_name + std::to_string(i));
        changes.push_back({ChangeKind::make_symlink, paths.back(), "t", 0, 0});
    }
    changes[4500].path = "../escape";
    const auto applied = Connection::must(box.agent->apply(box.op, box.claim, changes, true));
    CHECK(applied.done == 5999);
    REQUIRE(applied.failures.size() == 1);
    CHECK(applied.failures[0].index == 4500);
    const auto entries = Connection::must(box.agent->stat(box.op, box.root, paths));
    REQUIRE(entries.size() == 6000);
    CHECK(entries[5999].target == "t");
    CHECK(entries[4500].error == ENOENT);
    proto::ReadBundle bundle{.root = box.root};
    for (const std::string& path : paths)
        bundle.items.push_back({path, proto::Fence{}});
    std::uint32_t next = 0;
    Connection::must(box.agent->read_bundle(box.op, bundle, [&](proto::BundleFile&& file) {
        CHECK(file.index == next++);
        return ok();
    }));
    CHECK(next == 6000);
    // Stopping at the first failure stops the later parts, too.
    changes[100].path = "..";
    CHECK(Connection::must(box.agent->apply(box.op, box.claim, changes, false)).failures.size() == 1);
}

TEST_CASE("a request that cannot be split is an error, not a crash") {
    Box box;
    proto::Scan scan{.root = box.root};
    scan.skip.assign(6000, std::string(200, 's'));
    CHECK(code_of(box.agent->scan(box.op, scan, [](proto::FileEntry&&) { return ok(); })) == Code::internal);
    CHECK(box.agent->sync(box.op, box.root));
}
