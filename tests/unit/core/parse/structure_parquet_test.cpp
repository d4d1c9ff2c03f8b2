#include <catch2/catch_test_macros.hpp>

#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::golden_structure;
using support::structure_of;

namespace {

constexpr const char* k_files[] = {"metrics.parquet", "arrow.parquet", "pyarrow.parquet"};

// A file around a footer of the test's own.
std::string around(std::string_view footer, std::string_view data = "pages") {
    return "PAR1" + std::string{data} + std::string{footer} + support::little(footer.size(), 4) + "PAR1";
}

// Fields 1 to 4 of the least footer: version 1, an empty schema, no rows, and the row groups given.
std::string footer_with(std::string_view groups) {
    return std::string("\x15\x02\x19\x0C\x16\x00", 6) + std::string{groups} + '\0';
}

// A column chunk whose data is said to lie `at` and to take `size` bytes (both below 64).
std::string one_column(int at, int size, std::string_view before = {}) {
    const std::string data =
        std::string("\x76", 1) + static_cast<char>(size * 2) + "\x26" + static_cast<char>(at * 2) + '\0';
    const std::string meta = (before.empty() ? std::string("\x3C") : std::string{before} + "\x2C") + data;
    return "\x19\x1C\x19\x1C" + meta + '\0' + '\0';
}

}  // namespace

TEST_CASE("whole parquet files of three writers are sound") {
    for (const char* name : k_files) {
        const auto verdict = structure_of("metrics.parquet", golden_structure(name));
        INFO(name << ": " << verdict.detail);
        CHECK(verdict.state == Structure::sound);
        CHECK(verdict.format == "parquet");
    }
    CHECK(structure_of("a.parquet", around(footer_with("\x19\x0C"))).state == Structure::sound);
}

TEST_CASE("every cut of a parquet file is found") {
    for (const char* name : k_files) {
        const std::string whole = golden_structure(name);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const auto verdict = structure_of("a.parquet", std::string_view{whole}.substr(0, length));
            if (verdict.state != Structure::broken) FAIL(name << " cut at " << length << ": " << verdict.detail);
        }
    }
}

TEST_CASE("a flipped bit in a parquet file's marks and in the length of its footer is found") {
    for (const char* name : k_files) {
        const std::string whole = golden_structure(name);
        for (const std::size_t at : support::flips_that_pass("a.parquet", whole)) {
            INFO(name << ", byte " << at);
            CHECK(at >= 4);
            CHECK(at < whole.size() - 8);
        }
    }
}

TEST_CASE("pages must lie inside the file") {
    CHECK(structure_of("a.parquet", around(footer_with(one_column(4, 5)))).state == Structure::sound);
    const auto past = structure_of("a.parquet", around(footer_with(one_column(4, 6))));
    CHECK(past.state == Structure::broken);
    CHECK(past.detail == "its footer tells of columns outside the file");
    CHECK(structure_of("a.parquet", around(footer_with(one_column(3, 5)))).state == Structure::broken);
    CHECK(structure_of("a.parquet", around(footer_with(one_column(10, 0)))).state == Structure::broken);
    // Columns may lie in another file, which the chunk names.
    const std::string elsewhere(
        "\x18\x01"
        "f",
        3);
    CHECK(structure_of("a.parquet", around(footer_with(one_column(50, 60, elsewhere)))).state == Structure::sound);
}

TEST_CASE("footers that contradict themselves are broken") {
    const std::string good = footer_with("\x19\x0C");
    CHECK(structure_of("a.parquet", around(good + "more")).state == Structure::broken);
    CHECK(structure_of("a.parquet", around(good.substr(0, 4) + '\0')).detail ==
          "its footer lacks what every reader needs");
    CHECK(structure_of("a.parquet", around("")).state == Structure::broken);
    CHECK(structure_of("a.parquet", around(std::string(200, '\x1C'))).state == Structure::broken);
    CHECK(structure_of("a.parquet", around(std::string(200, '\xFF'))).state == Structure::broken);
    CHECK(structure_of("a.parquet", "PAR1PAR1").state == Structure::broken);
    const std::string sealed = "PARE" + good + support::little(good.size(), 4) + "PARE";
    CHECK(structure_of("a.parquet", sealed).state == Structure::unknown_format);
}
