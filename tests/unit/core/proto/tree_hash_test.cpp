#include "core/proto/tree_hash.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <iterator>

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

FileEntry file(std::string path, std::string_view content, bool executable = false) {
    FileEntry entry;
    entry.path = std::move(path);
    entry.type = FileType::file;
    entry.mode = executable ? 0755 : 0644;
    entry.root = content_digest(content);
    return entry;
}

FileEntry directory(std::string path) {
    FileEntry entry;
    entry.path = std::move(path);
    entry.type = FileType::directory;
    entry.mode = 0755;
    return entry;
}

FileEntry link_entry(std::string path, std::string target) {
    FileEntry entry;
    entry.path = std::move(path);
    entry.type = FileType::symlink;
    entry.target = std::move(target);
    return entry;
}

std::vector<FileEntry> sample() {
    return {file("a-b", "x"), file("a/run", "abc", true), directory("empty"), link_entry("link", "a/run")};
}

}  // namespace

TEST_CASE("the hash of a tree is what another implementation computes") {
    CHECK(tree_hash(sample())->hex() == "e160f53328976a55c6716b66295aeb6b98854727ad062eba659d2081c00c7fb8");
    CHECK(tree_hash({})->hex() == "084fed08b978af4d7d196a7446a86b58009e636b611db16211b65a9aadff29c5");
}

TEST_CASE("order of the entries and directories with content change nothing") {
    std::vector<FileEntry> tree = sample();
    tree.push_back(directory("a"));
    do {
        CHECK(tree_hash(tree)->hex() == tree_hash(sample())->hex());
    } while (std::next_permutation(tree.begin(), tree.end(),
                                   [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; }));
}

TEST_CASE("times, owners, devices and write bits are no part of a tree hash") {
    std::vector<FileEntry> tree = sample();
    for (FileEntry& entry : tree) {
        entry.mtime_ns = 77;
        entry.ino = 99;
        entry.dev = 5;
        entry.mode ^= 022;
    }
    CHECK(*tree_hash(tree) == *tree_hash(sample()));
}

TEST_CASE("content, the execute bit, a name, a target and a missing file each change the hash") {
    const Digest before = *tree_hash(sample());
    std::vector<std::vector<FileEntry>> changed(6, sample());
    changed[0][0] = file("a-b", "y");
    changed[1][1] = file("a/run", "abc", false);
    changed[2][0].path = "a-c";
    changed[3][3] = link_entry("link", "a/ruN");
    changed[4].erase(changed[4].begin() + 2);
    changed[5][2] = file("empty", "");
    for (const auto& tree : changed)
        CHECK(*tree_hash(tree) != before);
}

TEST_CASE("what cannot be named by a tree hash is refused") {
    const auto code = [](FileEntry entry) {
        std::vector<FileEntry> tree = sample();
        tree.push_back(std::move(entry));
        const auto hash = tree_hash(tree);
        return hash ? Code::internal : hash.error().code;
    };
    CHECK(code(file("a-b", "twice")) == Code::unsafe_path);
    CHECK(code(file("a-b/below-a-file", "x")) == Code::unsafe_path);
    CHECK(code(file("", "x")) == Code::unsafe_path);
    CHECK(code(file("/etc/passwd", "x")) == Code::unsafe_path);
    CHECK(code(file("a/../b", "x")) == Code::unsafe_path);
    FileEntry no_digest = file("new", "x");
    no_digest.root.reset();
    CHECK(code(no_digest) == Code::integrity);
    FileEntry unreadable = file("new", "x");
    unreadable.error = 13;
    CHECK(code(unreadable) == Code::skipped);
    FileEntry fifo = file("new", "x");
    fifo.type = FileType::fifo;
    CHECK(code(fifo) == Code::skipped);
}
