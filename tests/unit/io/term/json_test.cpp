#include "io/term/json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <nlohmann/json.hpp>

using namespace drawhitch;
using term::Json;

TEST_CASE("values are built in the order they are given") {
    Json object = Json::object();
    object.set("b", 1).set("a", "x").set("none", Json{}).set("yes", true);
    object.set("list", Json::array().push(1.5).push(Json::object()));
    CHECK(object.dump() == R"({"b":1,"a":"x","none":null,"yes":true,"list":[1.5,{}]})");
}

TEST_CASE("numbers keep their full range and what is no number is null") {
    CHECK(Json{std::numeric_limits<std::uint64_t>::max()}.dump() == "18446744073709551615");
    CHECK(Json{std::numeric_limits<std::int64_t>::min()}.dump() == "-9223372036854775808");
    CHECK(Json{std::numeric_limits<double>::quiet_NaN()}.dump() == "null");
    CHECK(Json{std::numeric_limits<double>::infinity()}.is_null());
}

TEST_CASE("every text survives a real parser, and no raw control character is written") {
    for (unsigned byte = 1; byte < 256; ++byte) {
        const std::string text = "a" + std::string(1, static_cast<char>(byte)) + "z";
        const std::string dumped = Json{text}.dump();
        for (const char c : dumped)
            CHECK(static_cast<unsigned char>(c) >= 0x20);
        const auto parsed = nlohmann::json::parse(dumped, nullptr, false);
        REQUIRE(parsed.is_string());
        if (byte < 0x80) CHECK(parsed.get<std::string>() == text);
    }
    CHECK(Json{"\xE2\x80\xAE"}.dump() == "\"\\u202e\"");  // right-to-left override
    CHECK(Json{"\xC2\x9B"}.dump() == "\"\\u009b\"");      // C1 control sequence introducer
}

TEST_CASE("a name that is not UTF-8 keeps its bytes as base64") {
    CHECK(Json::name("model.pt").dump() == "\"model.pt\"");
    CHECK(Json::name("a\xFF").dump() == R"({"b64":"Yf8="})");
}

TEST_CASE("a time comes with its age in seconds") {
    CHECK(Json::object().set_time("since", {100, 5}, {160, 0}).dump() ==
          R"({"since":"1970-01-01T00:01:40Z","since_age":60})");
}
