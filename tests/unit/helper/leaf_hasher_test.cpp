#include "helper/leaf_hasher.hpp"

#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "base/fd.hpp"
#include "core/proto/limits.hpp"
#include "fixture.hpp"
#include "helper/file_hasher.hpp"

using namespace drawhitch;

namespace {

// Every leaf differs from the others.
std::string content(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        text[i] = static_cast<char>((i * 2654435761U) >> 13U);
    return text;
}

UniqueFd opened(const std::string& path, int flags = O_RDONLY) {
    return UniqueFd{::open(path.c_str(), flags | O_CLOEXEC)};
}

}  // namespace

TEST_CASE("leaves are the same however many threads hash them") {
    const support::TempDir dir;
    const std::size_t size = GENERATE(std::size_t{0}, 1, proto::k_chunk, proto::k_chunk + 1, 5 * proto::k_chunk - 1);
    const unsigned threads = GENERATE(0U, 1U, 2U, 3U, 8U);
    CAPTURE(size, threads);
    const std::string text = content(size);
    support::write_file(dir / "f", text);
    proto::FileDigester digester;
    digester.update(text);
    const auto hashed = helper::hash_leaves(opened(dir / "f").get(), 0, size, threads);
    CHECK(hashed.error == 0);
    CHECK(!hashed.cut);
    CHECK(hashed.leaves == digester.finish().leaves);
}

TEST_CASE("leaves from the middle of a file are those of the whole") {
    const support::TempDir dir;
    const std::string text = content(4 * proto::k_chunk);
    support::write_file(dir / "f", text);
    const auto hashed = helper::hash_leaves(opened(dir / "f").get(), proto::k_chunk, 2 * proto::k_chunk, 3);
    REQUIRE(hashed.leaves.size() == 2);
    CHECK(hashed.leaves[0] == proto::leaf_digest(text.substr(proto::k_chunk, proto::k_chunk)));
    CHECK(hashed.leaves[1] == proto::leaf_digest(text.substr(2 * proto::k_chunk, proto::k_chunk)));
}

TEST_CASE("a file that ends too early and one that cannot be read are told apart") {
    const support::TempDir dir;
    support::write_file(dir / "f", content(2 * proto::k_chunk + 5));
    const auto cut = helper::hash_leaves(opened(dir / "f").get(), 0, 2 * proto::k_chunk + 6, 2);
    CHECK(cut.cut);
    CHECK(cut.error == 0);
    const auto unreadable = helper::hash_leaves(opened(dir / "f", O_WRONLY).get(), 0, proto::k_chunk, 2);
    CHECK(unreadable.error == EBADF);
}

// Steps have several megabytes, so that both ways go through more than one.
TEST_CASE("a large file has one root, whether one thread hashes it or several") {
    const support::TempDir dir;
    const std::string text = content(21 * proto::k_chunk + 17);
    support::write_file(dir / "f", text);
    const UniqueFd top = opened(dir.path(), O_RDONLY | O_DIRECTORY);
    for (const unsigned threads : {1U, 2U, 5U}) {
        CAPTURE(threads);
        helper::Place place;
        place.parent = UniqueFd{::dup(top.get())};
        place.name = place.path = "f";
        auto hasher = helper::FileHasher::open(place, {}, {}, false, threads);
        REQUIRE(hasher);
        for (auto over = hasher->step(); !*over; over = hasher->step())
            REQUIRE(over);
        CHECK(hasher->bytes_done() == text.size());
        CHECK(hasher->finish().root == proto::content_digest(text));
    }
}

TEST_CASE("a large file that grows, shrinks or changes between two steps has no digest") {
    const support::TempDir dir;
    support::write_file(dir / "f", content(21 * proto::k_chunk));
    const UniqueFd top = opened(dir.path(), O_RDONLY | O_DIRECTORY);
    helper::Place place;
    place.parent = UniqueFd{::dup(top.get())};
    place.name = place.path = "f";
    auto hasher = helper::FileHasher::open(place, {}, {}, false, 2);
    REQUIRE(hasher);
    REQUIRE(hasher->step());
    SECTION("shrinks") {
        REQUIRE(::truncate((dir / "f").c_str(), 5 * proto::k_chunk) == 0);
    }
    SECTION("grows") {
        REQUIRE(::truncate((dir / "f").c_str(), 30 * proto::k_chunk) == 0);
    }
    helper::Outcome<bool> over{false};
    while (over && !*over)
        over = hasher->step();
    REQUIRE(!over);
    CHECK(over.error().reason == proto::Reason::changed);
}
