#include "helper/digest_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/fake_clock.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;

namespace {

// A root and a cache that outlive the helpers which use them.
struct CachedTree {
    support::TempDir dir{};
    mutable support::FakeClock clock{};

    // Writes a file and gives it a time, so that two contents can share one fence. The clock of the change time has
    // ticks of some milliseconds: it is written until the tick is another than the last one's.
    void put(const std::string& name, std::string_view content, std::int64_t age_seconds) const {
        const std::string path = dir / ("root/" + name);
        std::filesystem::create_directories(dir / "root");
        // In place, so that the inode stays.
        const UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)};
        struct stat before {};
        struct stat after {};
        REQUIRE(::fstat(fd.get(), &before) == 0);
        REQUIRE(write_all(fd.get(), content, path));
        const timespec when{static_cast<time_t>(clock.wall().seconds - age_seconds), 0};
        const timespec times[2] = {when, when};
        do {
            REQUIRE(::futimens(fd.get(), times) == 0);
            REQUIRE(::fstat(fd.get(), &after) == 0);
        } while (after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
    }

    std::vector<proto::FileEntry> scan(bool rehash = false, bool sha256 = false) const {
        support::TestOp op;
        support::InProcessHelper helper(milliseconds{30'000}, clock, dir / "digests");
        const auto agent = helper.connect(op);
        CHECK((agent->hello().capabilities & proto::k_cap_digest_cache) != 0);
        const auto root = Connection::must(agent->open_root(op, dir / "root", false));
        std::vector<proto::FileEntry> entries;
        const proto::Scan request{.root = root, .digests = true, .sha256 = sha256, .rehash = rehash};
        Connection::must(agent->scan(op, request, [&](proto::FileEntry&& entry) {
            entries.push_back(std::move(entry));
            return ok();
        }));
        return entries;
    }

    proto::Digest tree_hash(bool rehash) const {
        support::TestOp op;
        support::InProcessHelper helper(milliseconds{30'000}, clock, dir / "digests");
        const auto agent = helper.connect(op);
        const auto root = Connection::must(agent->open_root(op, dir / "root", false));
        return Connection::must(agent->tree_hash(op, {.root = root, .path = "", .rehash = rehash})).digest;
    }
};

}  // namespace

TEST_CASE("a file at rest is hashed once, and a change that hides behind the same fence is seen all the same") {
    CachedTree tree;
    tree.put("file", "first", 100);
    CHECK(tree.scan().at(0).root == proto::content_digest("first"));
    const auto kept = std::filesystem::file_size(tree.dir / "digests");
    CHECK(kept > 0);
    CHECK(tree.scan().at(0).root == proto::content_digest("first"));
    const proto::Digest before = tree.tree_hash(false);
    CHECK(std::filesystem::file_size(tree.dir / "digests") == kept);  // nothing was hashed
    tree.put("file", "other", 100);
    CHECK(tree.scan().at(0).root == proto::content_digest("other"));
    CHECK(tree.tree_hash(false) != before);
}

TEST_CASE("what the cache holds is believed until everything is read again") {
    CachedTree tree;
    tree.put("file", "first", 100);
    const proto::FileEntry entry = tree.scan().at(0);
    const support::FakeClock clock;
    helper::DigestCache cache(tree.dir / "digests", clock);
    cache.put(entry, {proto::content_digest("a lie"), {}});
    cache.flush();
    CHECK(tree.scan().at(0).root == proto::content_digest("a lie"));
    CHECK(tree.scan(true).at(0).root == proto::content_digest("first"));
    // What was found replaces what was known.
    CHECK(tree.scan().at(0).root == proto::content_digest("first"));
}

TEST_CASE("a changed time, size or inode is another file") {
    CachedTree tree;
    tree.put("file", "first", 100);
    tree.scan();
    tree.put("file", "other", 99);
    CHECK(tree.scan().at(0).root == proto::content_digest("other"));
    tree.put("file", "longer than before", 99);
    CHECK(tree.scan().at(0).root == proto::content_digest("longer than before"));
}

TEST_CASE("a file younger than two seconds, or from the future, is not kept") {
    for (const std::int64_t age : {1, 0, -1000}) {
        CachedTree tree;
        tree.put("file", "first", age);
        tree.scan();
        tree.put("file", "other", age);
        CHECK(tree.scan().at(0).root == proto::content_digest("other"));
    }
    CachedTree exactly;
    exactly.put("file", "first", 2);
    exactly.scan();
    CHECK(std::filesystem::exists(exactly.dir / "digests"));
    // The change time counts like the other: here the clock stands where the file was made.
    CachedTree made;
    made.put("file", "first", 100);
    proto::FileEntry entry = made.scan(true).at(0);
    entry.ctime_ns = (made.clock.wall().seconds - 1) * 1'000'000'000;
    helper::DigestCache cache(made.dir / "young", made.clock);
    cache.put(entry, {proto::content_digest("first"), {}});
    CHECK_FALSE(cache.find(entry, false));
}

TEST_CASE("the plain SHA-256 is computed when only the root digest is known") {
    CachedTree tree;
    tree.put("file", "first", 100);
    CHECK_FALSE(tree.scan().at(0).sha256);
    CHECK(tree.scan(false, true).at(0).sha256 == proto::sha256("first"));
    CHECK(tree.scan(false, true).at(0).sha256 == proto::sha256("first"));
    CHECK_FALSE(tree.scan().at(0).sha256);
}

TEST_CASE("a damaged or torn cache loses what is damaged and nothing else") {
    CachedTree tree;
    tree.put("a", "first", 100);
    tree.put("b", "second", 100);
    tree.scan();
    const std::string whole = support::read_file(tree.dir / "digests");
    const std::size_t record = whole.size() / 2;
    const std::vector<proto::FileEntry> entries = tree.scan();
    for (std::size_t at = 0; at < record; ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const support::FakeClock clock;
        support::write_file(tree.dir / "copy", damaged);
        helper::DigestCache cache(tree.dir / "copy", clock);
        REQUIRE_FALSE(cache.find(entries.at(0), false));
        REQUIRE(cache.find(entries.at(1), false)->root == proto::content_digest("second"));
        if (at > 8) at += 9;  // every byte would take long; the check covers all alike
    }
    // A torn end is cut before the next record is added.
    support::write_file(tree.dir / "digests", whole.substr(0, whole.size() - 7));
    CHECK(tree.scan().at(0).root == proto::content_digest("first"));
    CHECK(support::read_file(tree.dir / "digests").size() == whole.size());
}

TEST_CASE("without a place for the cache nothing is kept") {
    Box box;
    CHECK((box.agent->hello().capabilities & proto::k_cap_digest_cache) == 0);
    helper::DigestCache cache({}, system_clock());
    cache.put({}, {});
    cache.flush();
    CHECK_FALSE(cache.find({}, false));
}
