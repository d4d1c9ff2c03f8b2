#include <zlib.h>
#include <zstd.h>

#include <catch2/catch_test_macros.hpp>

#include "support/structure_cases.hpp"
#include "support/tar_builder.hpp"

using namespace drawhitch;
using model::Structure;
using support::structure_of;

namespace {

std::string gzipped(const std::string& text) {
    z_stream stream{};
    REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(::deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(out.size() - stream.avail_out);
    ::deflateEnd(&stream);
    return out;
}

std::string unzstd(const std::string& packed) {
    std::string out(10'000, '\0');
    const std::size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0) return ZSTD_getErrorName(size);
    return out.substr(0, size);
}

std::string noise(std::size_t size) {
    std::string bytes;
    std::uint32_t state = 17;
    while (bytes.size() < size) {
        state = state * 1664525U + 1013904223U;
        bytes += static_cast<char>(state >> 24U);
    }
    return bytes;
}

}  // namespace

TEST_CASE("whole gzip files are sound: of one member, of several, and with zeros behind them") {
    const std::string one = gzipped("step 1 loss 0.5\n");
    CHECK(structure_of("train.log.gz", one).state == Structure::sound);
    CHECK(structure_of("train.log.gz", one).format == "gzip");
    CHECK(structure_of("train.log.gz", one + gzipped("step 2\n")).state == Structure::sound);
    CHECK(structure_of("train.log.gz", one + std::string(300'000, '\0')).state == Structure::sound);
    CHECK(structure_of("noise.gz", gzipped(noise(900'000))).state == Structure::sound);
    CHECK(structure_of("zeros.gz", gzipped(std::string(3'000'000, '\0'))).state == Structure::sound);
    CHECK(structure_of("a.npy.gz", support::golden_structure("text.gz")).state == Structure::sound);
}

TEST_CASE("no part of a gzip file passes, and a flipped bit is found where it changes what is unpacked") {
    const std::string whole = support::golden_structure("text.gz");
    CHECK(support::cuts_that_pass("a.gz", whole).empty());
    const std::size_t name_end = whole.find('\0', 10);
    for (const std::size_t at : support::flips_that_pass("a.gz", whole)) {
        INFO("byte " << at);
        // Flags, time, system and name of the file say nothing about its content, nor do the bits that fill the last
        // byte in front of CRC and length.
        CHECK(((at >= 3 && at <= name_end) || at == whole.size() - 9));
    }
    const auto later = structure_of("a.gz", gzipped("a") + gzipped("b").substr(0, 12));
    CHECK(later.state == Structure::broken);
    CHECK(structure_of("a.gz", gzipped("a") + "text").state == Structure::unknown_format);
    CHECK(structure_of("a.gz", gzipped("a") + std::string(400'000, '\0') + "text").state == Structure::unknown_format);
    // As a download leaves it that was unpacked on its way.
    CHECK(structure_of("a.csv.gz", "text").state == Structure::unknown_format);
    CHECK(structure_of("a.gz", std::string(500, '\0')).state == Structure::broken);
    CHECK(structure_of("a.gz", "").state == Structure::broken);
}

TEST_CASE("zstd files are unpacked to their end, with the checksum where there is one") {
    const std::string whole = support::golden_structure("text.zst");
    CHECK(structure_of("a.zst", whole).state == Structure::sound);
    CHECK(structure_of("a.zst", whole + whole).state == Structure::sound);
    // A frame that unpackers pass over.
    const std::string skipped = support::little(0x184D2A50, 4) + support::little(3, 4) + "abc";
    CHECK(structure_of("a.zst", whole + skipped).state == Structure::sound);
    CHECK(support::cuts_that_pass("a.zst", whole).empty());
    CHECK(support::cuts_that_pass("a.zst", whole + whole) == std::vector<std::size_t>{whole.size()});
    CHECK(structure_of("a.zst", whole + "text").state == Structure::unknown_format);
    CHECK(structure_of("a.zst", "text that is none").state == Structure::unknown_format);
    CHECK(structure_of("a.zst", skipped + whole).state == Structure::sound);
    CHECK(structure_of("a.zst", std::string(500, '\0')).state == Structure::broken);
    CHECK(structure_of("a.zst", "").state == Structure::broken);
}

TEST_CASE("what passes of a damaged zstd file with a checksum unpacks to the same content") {
    const std::string whole = support::golden_structure("text.zst");
    const std::string content = unzstd(whole);
    REQUIRE(content.starts_with("step 0 loss"));
    std::size_t passed = 0;
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string bad = whole;
        bad[bit / 8] = static_cast<char>(static_cast<unsigned char>(bad[bit / 8]) ^ (1U << (bit % 8)));
        if (!support::passes("a.zst", bad)) continue;
        ++passed;
        INFO("bit " << bit);
        CHECK(unzstd(bad) == content);
    }
    // Bits that fill bytes up, and codes that nothing uses.
    CHECK(passed < 40);
}

TEST_CASE("no check asks for more than 1 MiB of a file at once") {
    const std::string large = noise(3'000'000);
    const std::string tar = support::tar_member("a", large) + support::tar_end();
    const std::pair<const char*, std::string> files[] = {
        {"a.tar", tar},
        {"a.tgz", gzipped(tar)},
        {"a.gz", gzipped(large)},
        {"a.json", "\"" + std::string(3'000'000, 'x') + "\""},
        {"a.pt", support::golden_structure("model_bf16_a.pt")},
    };
    for (const auto& [name, bytes] : files) {
        support::MemoryReader reader{bytes};
        const auto verdict = parse::check_structure(name, reader);
        INFO(name);
        REQUIRE(verdict);
        CHECK(verdict->state == Structure::sound);
        CHECK(reader.largest() <= (1U << 20U));
    }
}

TEST_CASE("packed tar archives are checked as both") {
    using support::tar_end;
    using support::tar_member;
    const std::string members = tar_member("a.txt", "some text") + tar_member("b", noise(5000));
    const std::string whole = gzipped(members + tar_end());
    CHECK(structure_of("a.tar.gz", whole).state == Structure::sound);
    CHECK(structure_of("a.tgz", whole).format == "tar gzip");
    for (std::size_t length = 0; length < whole.size(); length += 7)
        CHECK(structure_of("a.tgz", whole.substr(0, length)).state == Structure::broken);
    // The packing is whole, what is in it is not: a tar that died in front of gzip.
    CHECK(structure_of("a.tar.gz", gzipped(members)).state == Structure::broken);
    CHECK(structure_of("a.tar.gz", gzipped(members.substr(0, 3000))).state == Structure::broken);
    CHECK(structure_of("a.gz", gzipped(members)).state == Structure::sound);
    const std::string golden = support::golden_structure("gnu.tar.zst");
    CHECK(structure_of("a.tar.zst", golden).state == Structure::sound);
    CHECK(structure_of("a.tzst", golden).format == "tar zstd");
    CHECK(support::cuts_that_pass("a.tzst", golden).empty());
}
