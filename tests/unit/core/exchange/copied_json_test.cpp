#include "core/exchange/copied_json.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/random.hpp"

using namespace drawhitch;
using exchange::CopiedEntry;

TEST_CASE("what cp did is read back byte for byte, whatever the names are") {
    std::vector<CopiedEntry> files{
        {"/data/a \"b\"\n", "ab12", 7, "/home/me/\xfe", {12, -5, 1'700'000'000'000'000'001, 7}},
        {"/data/\xff\xfe\x01", "00", 1ULL << 40U, "/h", {}}};
    for (std::size_t length = 1; length < 40; ++length)
        files.push_back({"/" + random_bytes(length), "cd", length, {}, {}});
    CHECK(exchange::copied_of(exchange::copied_json(true, files)) == files);
    CHECK(exchange::writing_of(exchange::writing_json("/data/\xff", true)) == "/data/\xff");
}

TEST_CASE("whether cp made the private directory is said, and older events did not say it") {
    CHECK(exchange::makes_private(exchange::writing_json("/data", true)));
    CHECK_FALSE(exchange::makes_private(exchange::writing_json("/data", false)));
    for (const char* text : {"", "[]", R"({"directory":"/data"})", R"({"directory":"/data","makes_private":3})"})
        CHECK_FALSE(exchange::makes_private(text));
}

TEST_CASE("of an event that is none, nothing is read") {
    for (const char* text : {"", "{", "[]", "{}", "3", R"({"files":3})", R"({"files":[3,{},{"path":"/a"}]})",
                             R"({"files":[{"path":{"b64":"?"},"root":"ab"}]})"})
        CHECK(exchange::copied_of(text).empty());
    // Half a state is none.
    const auto half = exchange::copied_of(
        R"({"files":[{"path":"/a","root":"ab","here":"/h","ino":-3,"size":5,"mtime_ns":5,"ctime_ns":5}]})");
    REQUIRE(half.size() == 1);
    CHECK(half.front().state == exchange::CopiedState{});
    for (const char* text : {"", "[]", "{}", R"({"directory":3})"})
        CHECK(exchange::writing_of(text).empty());
}
