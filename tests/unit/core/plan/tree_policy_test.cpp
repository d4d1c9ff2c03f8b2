#include "core/plan/tree_policy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <string>
#include <vector>

using namespace drawhitch;
using plan::LinkKind;
using proto::FileEntry;
using proto::FileType;

namespace {

FileEntry entry(std::string path, FileType type, std::string target = {}) {
    FileEntry made;
    made.path = std::move(path);
    made.type = type;
    made.target = std::move(target);
    made.mode = 0644;
    return made;
}

const std::vector<FileEntry> k_tree = {
    entry("dir", FileType::directory),
    entry("dir/ok", FileType::file),
    entry("dir/up", FileType::symlink, "../file"),
    entry("dir/root", FileType::symlink, ".."),
    entry("file", FileType::file),
    entry("to_dir", FileType::symlink, "dir"),
    entry("ping", FileType::symlink, "pong"),
    entry("pong", FileType::symlink, "ping"),
    entry("self", FileType::symlink, "self"),
    entry("hosts", FileType::symlink, "/etc/hosts"),
    entry("above", FileType::symlink, "../x"),
    entry("via", FileType::symlink, "hosts"),
};

const FileEntry* find(std::string_view path) {
    const auto at = std::find_if(k_tree.begin(), k_tree.end(), [&](const FileEntry& e) { return e.path == path; });
    return at == k_tree.end() ? nullptr : &*at;
}

std::vector<std::string> paths(const std::vector<std::size_t>& indexes, const std::vector<FileEntry>& entries) {
    std::vector<std::string> list;
    for (const std::size_t index : indexes)
        list.push_back(entries[index].path);
    return list;
}

}  // namespace

TEST_CASE("a link is judged by where it leads inside the tree") {
    struct Row {
        std::string path{};
        std::string target{};
        LinkKind kind{};
    };
    const std::vector<Row> rows = {
        {"l", "file", LinkKind::inside},
        {"l", "./dir//ok", LinkKind::inside},
        {"l", "dir/", LinkKind::inside},
        {"l", "to_dir/ok", LinkKind::inside},
        {"l", "to_dir/up", LinkKind::inside},
        {"l", "dir/root/file", LinkKind::inside},
        {"dir/l", "..", LinkKind::inside},
        {"dir/l", "../file", LinkKind::inside},
        {"l", ".", LinkKind::inside},
        {"l", "nothing", LinkKind::dangling},
        {"l", "file/x", LinkKind::dangling},
        {"l", "file/..", LinkKind::dangling},
        {"l", "ping", LinkKind::loop},
        {"l", "self", LinkKind::loop},
        {"l", "/etc/hosts", LinkKind::outside_absolute},
        {"l", "via", LinkKind::outside_absolute},
        {"l", "..", LinkKind::outside_above},
        {"dir/l", "../../x", LinkKind::outside_above},
        {"l", "dir/../../x", LinkKind::outside_above},
        {"l", "dir/root/../x", LinkKind::outside_above},
        {"l", "to_dir/root/above", LinkKind::outside_above},
        {"l", "", LinkKind::inside},
    };
    for (const Row& row : rows) {
        INFO(row.path << " -> " << row.target);
        CHECK(plan::classify_link(row.path, row.target, find) == row.kind);
    }
}

TEST_CASE("pipes, sockets, devices and unreadable files are left out, each once with its reason, and the rest goes") {
    std::vector<FileEntry> entries = {
        entry("a", FileType::file),         entry("fifo", FileType::fifo),   entry("socket", FileType::socket),
        entry("dev", FileType::device),     entry("locked", FileType::file), entry("gone", FileType::unknown),
        entry("dark", FileType::directory), entry("z", FileType::file),
    };
    entries[4].mode = 0;
    entries[5].error = ENOENT;
    entries[6].error = EACCES;
    const auto screened = plan::screen_tree(entries, {});
    REQUIRE(screened);
    CHECK(paths(screened->sent, entries) == std::vector<std::string>{"a", "z"});
    REQUIRE(screened->left_out.size() == 6);
    CHECK(screened->left_out[0].reason == "is a named pipe");
    CHECK(screened->left_out[3].reason == "cannot be read: no permission bits are set");
    CHECK(screened->left_out[4].reason == "cannot be read: No such file or directory");
    CHECK(screened->left_out[5].reason == "cannot be read: permission denied");

    model::PushRules strict;
    strict.special_files = model::SpecialFiles::error;
    const auto refused = plan::screen_tree(entries, strict);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
    CHECK(refused.error().message == "fifo is a named pipe, and 5 more cannot be pushed");
    CHECK(refused.error().why.find("socket is a socket") != std::string::npos);
    const std::vector<FileEntry> clean = {entry("a", FileType::file)};
    CHECK(plan::screen_tree(clean, strict));
}

TEST_CASE("links that leave the project follow its policy; links inside always go") {
    const auto screen = [](model::OutsideLinks policy) {
        model::PushRules rules;
        rules.outside_links = policy;
        auto screened = plan::screen_tree(k_tree, rules);
        REQUIRE(screened);
        return *std::move(screened);
    };
    const auto skipped = screen(model::OutsideLinks::skip);
    CHECK(skipped.sent.size() == k_tree.size() - 3);
    REQUIRE(skipped.left_out.size() == 3);
    CHECK(skipped.left_out[0].path == "hosts");
    CHECK(skipped.left_out[0].reason == "is a link to an absolute path: /etc/hosts");
    CHECK(skipped.left_out[1].reason == "is a link that leaves the project: ../x");
    CHECK(skipped.remarks.size() == 3);  // ping, pong, self
    const auto copied = screen(model::OutsideLinks::copy);
    CHECK(copied.sent.size() == k_tree.size());
    CHECK(copied.left_out.empty());
    CHECK(copied.remarks.size() == 6);
    const auto followed = screen(model::OutsideLinks::follow);
    CHECK(paths(followed.followed, k_tree) == std::vector<std::string>{"hosts", "above", "via"});
    CHECK(followed.sent.size() == k_tree.size() - 3);
}
