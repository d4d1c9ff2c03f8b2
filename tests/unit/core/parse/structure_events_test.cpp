#include <catch2/catch_test_macros.hpp>

#include "core/parse/structure_bytes.hpp"
#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::structure_of;

namespace {

constexpr std::string_view k_name = "logs/events.out.tfevents.1700000000.box.17.0";

std::string masked_crc(std::string_view bytes) {
    const std::uint32_t crc = parse::crc32c(0, bytes);
    return support::little(((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U, 4);
}

std::string record(std::string_view data) {
    const std::string length = support::little(data.size(), 8);
    return length + masked_crc(length) + std::string{data} + masked_crc(data);
}

}  // namespace

TEST_CASE("CRC-32C gives the values of its specification") {
    CHECK(parse::crc32c(0, "123456789") == 0xE3069283U);
    CHECK(parse::crc32c(0, std::string(32, '\0')) == 0x8A9136AAU);
    CHECK(parse::crc32c(parse::crc32c(0, "1234"), "56789") == 0xE3069283U);
}

TEST_CASE("whole event files are sound, by whatever name TensorBoard gave them") {
    const std::string whole = record("the first event") + record("the second");
    CHECK(structure_of(k_name, whole).state == Structure::sound);
    CHECK(structure_of(k_name, whole).format == "event records");
    const std::string golden = support::golden_structure("events.out.tfevents.1795898013.vm.532.0");
    CHECK(structure_of("events.out.tfevents.1795898013.vm.532.0", golden).state == Structure::sound);
    CHECK(support::flips_that_pass(k_name, golden).empty());
    CHECK(structure_of("train.tfrecord", record("one") + record("")).state == Structure::sound);
    const std::string long_one(700'000, 'x');
    CHECK(structure_of(k_name, record("first") + record(long_one) + record("last")).state == Structure::sound);
}

TEST_CASE("a record that is cut short at the end of an event file is told as its tail, wherever it is cut") {
    const std::string first = record("a first event") + record("and another");
    const std::string whole = first + record("the last event");
    for (std::size_t length = first.size() + 1; length < whole.size(); ++length) {
        const auto verdict = structure_of(k_name, whole.substr(0, length));
        INFO("cut at " << length << ": " << verdict.detail);
        CHECK(verdict.state == Structure::unknown_format);
        CHECK(verdict.detail.starts_with("its last record is cut short"));
        CHECK(verdict.detail.ends_with("2 whole ones lie before it"));
    }
    CHECK(structure_of(k_name, first).state == Structure::sound);
    CHECK(structure_of(k_name, "").state == Structure::unknown_format);
}

TEST_CASE("every flipped bit of an event file is found") {
    CHECK(support::flips_that_pass(k_name, record("the first event") + record("the second")).empty());
    const auto verdict = structure_of(k_name, record("a") + std::string(100, '\0') + record("b"));
    CHECK(verdict.state == Structure::broken);
    CHECK(verdict.detail == "the CRC of the length of record 2, at byte 17, is wrong");
}
