#include "core/plan/push.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using proto::FileEntry;
using proto::FileType;

namespace {

FileEntry file(const std::string& path, const std::string& content, bool executable = false) {
    FileEntry entry{};
    entry.path = path;
    entry.type = FileType::file;
    entry.size = content.size();
    entry.mode = executable ? 0755 : 0644;
    entry.root = proto::content_digest(content);
    return entry;
}

FileEntry directory(const std::string& path) {
    FileEntry entry{};
    entry.path = path;
    entry.type = FileType::directory;
    return entry;
}

FileEntry link_entry(const std::string& path, const std::string& target) {
    FileEntry entry{};
    entry.path = path;
    entry.type = FileType::symlink;
    entry.target = target;
    return entry;
}

}  // namespace

TEST_CASE("a first push sends everything, and makes only empty directories by name") {
    const std::vector<FileEntry> wanted{directory("a"), file("a/x.py", "x"), directory("empty"), link_entry("l", "a")};
    const auto plan = plan::plan_push(wanted, {}, {}, true);
    CHECK(plan.send == std::vector<std::size_t>{1});
    CHECK(plan.send_bytes == 1);
    CHECK(plan.directories == std::vector<std::string>{"empty"});
    REQUIRE(plan.symlinks.size() == 1);
    CHECK(plan.symlinks[0].target == "a");
    CHECK(plan.remove.empty());
}

TEST_CASE("contents of earlier releases are linked, if the execute bit is the same") {
    const std::vector<FileEntry> wanted{file("same.py", "s"), file("run.sh", "r", true), file("new.py", "n")};
    const std::vector<FileEntry> earlier{file("releases/1/old_name.py", "s"), file("releases/1/run.sh", "r", false)};
    const auto plan = plan::plan_push(wanted, {}, earlier, true);
    REQUIRE(plan.links.size() == 1);
    CHECK(plan.links[0].path == "same.py");
    CHECK(plan.links[0].from == "releases/1/old_name.py");
    CHECK(plan.send == std::vector<std::size_t>{1, 2});
    CHECK(plan::plan_push(wanted, {}, earlier, false).send.size() == 3);
}

TEST_CASE("what an earlier attempt staged is used, and what is wrong there is removed once") {
    const std::vector<FileEntry> wanted{file("a/x.py", "x"), file("b", "b"), link_entry("l", "t")};
    auto unreadable = file("b", "b");
    unreadable.root.reset();
    const std::vector<FileEntry> staged{directory("a"),           file("a/x.py", "x"), unreadable,
                                        link_entry("l", "other"), directory("stale"),  file("stale/y", "y"),
                                        file("stale-too", "z")};
    const auto plan = plan::plan_push(wanted, staged, {}, true);
    CHECK(plan.remove == std::vector<std::string>{"b", "l", "stale", "stale-too"});
    CHECK(plan.send == std::vector<std::size_t>{1});
    CHECK(plan.symlinks.size() == 1);
    CHECK(plan.staged_bytes == 1);
}

TEST_CASE("a file where a directory must be is removed") {
    const std::vector<FileEntry> wanted{file("a/x", "x")};
    const std::vector<FileEntry> staged{file("a", "file")};
    CHECK(plan::plan_push(wanted, staged, {}, true).remove == std::vector<std::string>{"a"});
}

TEST_CASE("roots that could hurt are refused, whoever wrote them") {
    for (const char* root : {"", "/", "//", "relative", "/home/u", "/home", "/home/u/", "/data/../etc/x", "/data/./x",
                             "/tmp", "/home/u/../../x", "/data//x", "~/x"}) {
        INFO(root);
        const auto refused = plan::check_box_root(root, "/home/u");
        REQUIRE(!refused);
        CHECK(refused.error().code == Code::unsafe_path);
    }
    for (const char* root : {"/home/u/drawhitch/p", "/data/drawhitch/p", "/workspace/x", "/home/u2"})
        CHECK(plan::check_box_root(root, "/home/u"));
    CHECK(!plan::check_box_root("/root/a", "/root/a/"));
    CHECK(plan::check_box_root("/data/x", ""));
}

TEST_CASE("pruning keeps the current release, the needed and the newest, and touches nothing but releases") {
    const std::string h(63, 'a');
    const std::vector<std::string> present{h + "1", h + "2", h + "3", h + "4", h + "5", "notes", ".staging"};
    const std::vector<std::string> needed{h + "4"};
    CHECK(plan::releases_to_prune(present, h + "2", needed, 1) == std::vector<std::string>{h + "3", h + "5"});
    CHECK(plan::releases_to_prune(present, h + "2", needed, 9).empty());
}
