#include "core/plan/release_parts.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/proto/tree_hash.hpp"

using namespace drawhitch;
using proto::FileEntry;
using proto::FileType;

namespace {

FileEntry file(const std::string& path, const std::string& content, std::uint32_t mode = 0644) {
    FileEntry entry{};
    entry.path = path;
    entry.type = FileType::file;
    entry.size = content.size();
    entry.mode = mode;
    entry.root = proto::sha256(content);
    return entry;
}

FileEntry of_type(const std::string& path, FileType type, const std::string& target = {}) {
    FileEntry entry{};
    entry.path = path;
    entry.type = type;
    entry.target = target;
    return entry;
}

std::vector<FileEntry> tree() {
    return {file("a b.py", "a"), file("bad\xff\n.py", "b"), of_type("hollow", FileType::directory),
            file("run.sh", "#!", 0755), of_type("to", FileType::symlink, "a b.py")};
}

}  // namespace

TEST_CASE("a manifest is read back as it was written, and only under its own hash") {
    const auto entries = tree();
    const proto::Digest hash = proto::tree_hash(entries).value();
    const std::string text = plan::manifest_text(entries);
    const auto back = plan::read_manifest(text, hash);
    REQUIRE(back);
    CHECK(back->size() == entries.size());
    CHECK(plan::compare_release(*back, entries, true).none());
    CHECK_FALSE(plan::read_manifest(text, proto::sha256("another")));
    for (std::size_t length = 0; length < text.size(); ++length)
        if (length + 1 < text.size()) CHECK_FALSE(plan::read_manifest(text.substr(0, length), hash));
    CHECK_FALSE(plan::read_manifest("pushed", hash));
}

TEST_CASE("what was put into a release, edited in it or taken out of it is told apart") {
    const auto deployed = tree();
    auto found = tree();
    found[0] = file("a b.py", "x");          // of the same size
    found[3].mode = 0644;                    // no more to be executed
    found.erase(found.begin() + 1);          // taken out
    found.push_back(file("tmp/pip-x", ""));  // not the box's /tmp
    found.push_back(of_type("new", FileType::directory));
    found.push_back(file("lib/__pycache__/a.pyc", "c"));
    auto unreadable = of_type("closed", FileType::directory);
    unreadable.error = 13;
    found.push_back(unreadable);
    const auto difference = plan::compare_release(deployed, found, true);
    CHECK(difference.foreign == std::vector<std::string>{"tmp/pip-x", "closed"});
    CHECK(difference.edited == std::vector<std::string>{"a b.py", "run.sh"});
    CHECK(difference.missing == std::vector<std::string>{"bad\xff\n.py"});
    CHECK_FALSE(difference.loses_nothing());
    // Without digests an edit of the same size is not seen, and nothing else is missed.
    CHECK(plan::compare_release(deployed, found, false).edited == std::vector<std::string>{"run.sh"});
}

TEST_CASE("a release is whole by its hash, whatever caches lie in it, and not with anything else") {
    auto found = tree();
    const proto::Digest hash = proto::tree_hash(found).value();
    CHECK(plan::is_whole_release(found, hash));
    found.push_back(file("lib/__pycache__/a.pyc", "c"));
    CHECK(plan::is_whole_release(found, hash));
    found.push_back(file("lib/model.pt", "m"));
    CHECK_FALSE(plan::is_whole_release(found, hash));
    // A project whose own tree has such a directory.
    auto own = tree();
    own.push_back(file("__pycache__/kept.pyc", "c"));
    CHECK(plan::is_whole_release(own, proto::tree_hash(own).value()));
}

TEST_CASE("a difference names a few files of each kind") {
    plan::ReleaseDifference difference{};
    CHECK(plan::describe(difference).empty());
    difference.foreign = {"a", "b", "c", "d", "e"};
    difference.edited = {"x"};
    CHECK(plan::describe(difference) == "a, b, c and 2 others are not of it; x was edited");
}
