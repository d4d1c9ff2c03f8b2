#include <zlib.h>

#include <catch2/catch_test_macros.hpp>

#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::structure_of;

namespace {

std::string chunk(std::string_view type, std::string_view data) {
    const std::string body = std::string{type} + std::string{data};
    const uLong crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return support::big(data.size(), 4) + body + support::big(crc, 4);
}

const std::string k_start = "\x89PNG\r\n\x1a\n";
const std::string k_head = chunk("IHDR", std::string("\0\0\0\1\0\0\0\1\x08\0\0\0\0", 13));

}  // namespace

TEST_CASE("a whole PNG is sound, and no part of it is, nor one with any bit flipped") {
    const std::string golden = support::golden_structure("plot.png");
    const std::string built = k_start + k_head + chunk("IDAT", std::string(600'000, 'd')) + chunk("IEND", "");
    CHECK(structure_of("plot.png", golden).state == Structure::sound);
    CHECK(structure_of("PLOT.PNG", built).state == Structure::sound);
    CHECK(support::cuts_that_pass("plot.png", golden).empty());
    CHECK(support::flips_that_pass("plot.png", golden).empty());
    for (std::size_t length = 0; length < built.size(); length += 40'009)
        CHECK(structure_of("plot.png", built.substr(0, length)).state == Structure::broken);
}

TEST_CASE("a PNG that lacks what an image needs is broken; what follows its end is told") {
    const std::string data = chunk("IDAT", "data");
    const std::string end = chunk("IEND", "");
    CHECK(structure_of("p.png", k_start + data + end).state == Structure::broken);
    CHECK(structure_of("p.png", k_start + k_head + end).state == Structure::broken);
    CHECK(structure_of("p.png", k_start + k_head + data).state == Structure::broken);
    CHECK(structure_of("p.png", k_start + k_head + support::big(0x80000000U, 4) + "IDAT").state == Structure::broken);
    CHECK(structure_of("p.png", std::string(500, '\0')).state == Structure::broken);
    CHECK(structure_of("jpeg.png", "\xFF\xD8\xFF\xE0, which viewers show").state == Structure::unknown_format);
    const auto longer = structure_of("p.png", k_start + k_head + data + end + "more");
    CHECK(longer.state == Structure::unknown_format);
    CHECK(longer.detail == "4 bytes follow the end of the image");
}
