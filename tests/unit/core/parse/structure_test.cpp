#include "core/parse/structure.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "support/memory_reader.hpp"
#include "support/paths.hpp"
#include "support/structure_cases.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using model::Structure;
using support::MemoryReader;

namespace {

std::string golden(const std::string& name) {
    return support::read_file(support::source_dir() + "/tests/golden/structure/" + name);
}

parse::StructureVerdict verdict(std::string_view name, std::string_view bytes) {
    MemoryReader reader{bytes};
    auto result = parse::check_structure(name, reader);
    REQUIRE(result);
    return *result;
}

std::string safetensors(const std::string& header, std::size_t data_size) {
    std::string file;
    for (unsigned i = 0; i < 8; ++i)
        file += static_cast<char>(header.size() >> (8U * i));
    return file + header + std::string(data_size, 'x');
}

// Changes little-endian bytes in place.
std::string with(std::string bytes, std::size_t at, std::initializer_list<int> values) {
    for (int value : values)
        bytes[at++] = static_cast<char>(value);
    return bytes;
}

}  // namespace

TEST_CASE("whole files of known formats are sound") {
    const auto torch = verdict("m.pt", golden("model_bf16_a.pt"));
    CHECK(torch.state == Structure::sound);
    CHECK(torch.format == "torch zip");
    CHECK(verdict("a.npz", golden("arrays_stored.npz")).state == Structure::sound);
    CHECK(verdict("a.NPZ", golden("arrays_deflated.npz")).state == Structure::sound);
    CHECK(verdict("m.safetensors", golden("model.safetensors")).state == Structure::sound);
    CHECK(verdict("e.safetensors", safetensors("{}", 0)).state == Structure::sound);
}

TEST_CASE("files of other formats are not judged") {
    CHECK(verdict("notes.txt", "hello").state == Structure::unknown_format);
    CHECK(verdict("notes.txt", "").state == Structure::unknown_format);
    const auto pickle = verdict("old.pth", std::string_view("\x80\x02}q\x00.", 6));
    CHECK(pickle.state == Structure::unknown_format);
    CHECK(pickle.format == "pickle");
    CHECK(pickle.detail.find("unverifiable") != std::string::npos);
    CHECK(verdict("own.bin", "whatever").state == Structure::unknown_format);
}

TEST_CASE("an old-style torch pickle is recognised by its magic number, under every name it has, and never judged") {
    const std::string whole = golden("legacy.pth");
    for (const char* name : {"old.pth", "old.pt", "pytorch_model.bin", "optimizer.pkl", "step.ckpt"}) {
        const auto found = verdict(name, whole);
        CHECK(found.state == Structure::unknown_format);
        CHECK(found.format == "torch pickle");
        CHECK(found.detail.find("unverifiable") != std::string::npos);
    }
    for (std::size_t length = 1; length < whole.size(); ++length)
        CHECK(verdict("old.pth", std::string_view{whole}.substr(0, length)).state == Structure::unknown_format);
}

TEST_CASE("every cut of a small torch checkpoint is found, and every flipped bit of its entries") {
    const std::string whole = golden("small.pt");
    CHECK(support::cuts_that_pass("m.pt", whole).empty());
    const std::size_t pickle = whole.find("\x80\x02");
    REQUIRE(pickle != std::string::npos);
    for (const std::size_t at : support::flips_that_pass("m.pt", whole)) {
        INFO("byte " << at);
        CHECK((at < pickle || at > pickle + 100));
    }
}

TEST_CASE("a torch archive without its version record is broken, and only under torch's names") {
    const std::string whole = golden("no_version.pt");
    CHECK(verdict("m.pt", whole).state == Structure::broken);
    CHECK(verdict("m.pt", whole).detail == "torch's version record is missing");
    CHECK(verdict("m.zip", whole).state == Structure::sound);
}

TEST_CASE("a checkpoint that was never written is broken") {
    CHECK(verdict("m.pt", "").state == Structure::broken);
    CHECK(verdict("m.pt", std::string(100'000, '\0')).state == Structure::broken);
    CHECK(verdict("m.npz", "").state == Structure::broken);
    CHECK(verdict("m.safetensors", "").state == Structure::broken);
}

TEST_CASE("every prefix of a small file is broken") {
    for (const char* name : {"arrays_stored.npz", "arrays_deflated.npz", "model.safetensors"}) {
        const std::string whole = golden(name);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const auto found = verdict(name, std::string_view{whole}.substr(0, length));
            if (found.state != Structure::broken) FAIL(name << " cut at " << length << " passes");
        }
    }
}

TEST_CASE("prefixes of a real checkpoint are broken") {
    const std::string whole = golden("model_bf16_a.pt");
    for (std::size_t length = 1; length < whole.size(); length += 40'009) {
        CHECK(verdict("m.pt", std::string_view{whole}.substr(0, length)).state == Structure::broken);
    }
    CHECK(verdict("m.pt", std::string_view{whole}.substr(0, whole.size() - 1)).state == Structure::broken);
}

TEST_CASE("a flipped bit in the data of an archive is found, and one anywhere does no harm") {
    for (const char* name : {"arrays_stored.npz", "arrays_deflated.npz"}) {
        const std::string whole = golden(name);
        const std::size_t first_data = 30 + std::string_view{"weights.npy"}.size();
        std::size_t missed = 0;
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (unsigned bit = 0; bit < 8; ++bit) {
                std::string bad = whole;
                bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ (1U << bit));
                const auto found = verdict(name, bad);
                if (found.state == Structure::sound) ++missed;
                if (at >= first_data && at < first_data + 400 && found.state != Structure::broken) {
                    FAIL(name << ": bit " << bit << " of byte " << at << " passes");
                }
            }
        }
        // Dates, attributes, flags and version numbers are protected by nothing (8 bytes in each of 2 local headers, 18
        // in each of 2 rows), nor are the unused last bits of a deflate stream.
        CHECK(missed <= 2 * 8 * (8 + 18) + 2 * 7);
    }
}

TEST_CASE("an archive with zip64 sizes, offsets and end records is checked like any other") {
    const std::string whole = golden("arrays_zip64.npz");
    REQUIRE(whole.find("PK\x06\x06") != std::string::npos);
    CHECK(verdict("a.npz", whole).state == Structure::sound);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto found = verdict("a.npz", std::string_view{whole}.substr(0, length));
        if (found.state != Structure::broken) FAIL("cut at " << length << " passes");
    }
    const std::size_t directory = whole.find("PK\x01\x02");
    const std::size_t end = whole.find("PK\x06\x06");
    for (const std::size_t at : support::flips_that_pass("a.npz", whole)) {
        // Of the end records only the versions of the program say nothing, and some count their parts from 0.
        INFO("byte " << at);
        CHECK((at < end || (at >= end + 12 && at < end + 16) || at == end + 56 + 16));
    }
    // Of the zip64 end record: rows, size and place of the directory; of its locator: the place of that record.
    for (const std::size_t field : {end + 32, end + 40, end + 48, end + 56 + 8})
        CHECK(verdict("a.npz", with(whole, field, {0x7F, 0x7F})).state == Structure::broken);
    // Of the directory's first row: the sizes that stand in its zip64 field.
    const std::size_t wide = directory + 46 + std::string_view{"weights.npy"}.size() + 4;
    for (const std::size_t field : {wide, wide + 8})
        CHECK(verdict("a.npz", with(whole, field, {0x7F})).state == Structure::broken);
}

TEST_CASE("damage at random places of a real checkpoint is found") {
    const std::string whole = golden("model_bf16_a.pt");
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random{seed};
    std::size_t found = 0;
    constexpr std::size_t k_rounds = 150;
    for (std::size_t i = 0; i < k_rounds; ++i) {
        std::string bad = whole;
        bad[random() % bad.size()] ^= 0x10;
        if (verdict("m.pt", bad).state == Structure::broken) ++found;
    }
    // 64-byte alignment padding and dates (under 0.3 % of this file) are protected by nothing.
    CHECK(found >= k_rounds - 5);
}

TEST_CASE("an archive that lies about its sizes is broken") {
    const std::string whole = golden("arrays_stored.npz");
    const std::size_t end = whole.size() - 22;
    CHECK(verdict("a.npz", with(whole, end + 8, {0xFF, 0x7F, 0xFF, 0x7F})).state == Structure::broken);
    CHECK(verdict("a.npz", with(whole, end + 12, {0xFF, 0xFF, 0xFF, 0x7F})).state == Structure::broken);
    CHECK(verdict("a.npz", with(whole, end + 16, {0, 0, 0, 0})).state == Structure::broken);
    CHECK(verdict("a.npz", whole + "trailing bytes").state == Structure::broken);
}

TEST_CASE("two entries on the same bytes are refused: that is how bombs are built") {
    std::string whole = golden("arrays_stored.npz");
    // The second row of the directory, made a copy of the first with another name of the same length.
    const std::size_t end = whole.size() - 22;
    const std::size_t second = end - (46 + std::string_view{"bias.npy"}.size());
    const std::size_t first = second - (46 + std::string_view{"weights.npy"}.size());
    std::string forged = whole.substr(0, first) + whole.substr(first, second - first) +
                         whole.substr(first, second - first) + whole.substr(end);
    const std::size_t new_end = forged.size() - 22;
    const std::size_t directory = new_end - first;
    forged = with(forged, new_end + 12,
                  {static_cast<int>(directory & 0xFF), static_cast<int>((directory >> 8U) & 0xFF), 0, 0});
    const auto found = verdict("a.zip", forged);
    CHECK(found.state == Structure::broken);
    CHECK(found.detail == "two entries share the same bytes");
}

TEST_CASE("safetensors headers that contradict the file are broken") {
    struct Row {
        const char* why;
        std::string file;
    };
    const std::string one = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    const Row rows[] = {
        {"data missing", safetensors(one, 7)},
        {"data too long", safetensors(one, 9)},
        {"shape larger than span", safetensors(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)},
        {"gap", safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)},
        {"overlap", safetensors(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},
                                    "b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                                8)},
        {"end before begin", safetensors(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[8,0]}})", 8)},
        {"overflowing shape",
         safetensors(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4,2],"data_offsets":[0,8]}})", 8)},
        {"unknown type", safetensors(R"({"a":{"dtype":"Q7","shape":[8],"data_offsets":[0,8]}})", 8)},
        {"no shape", safetensors(R"({"a":{"dtype":"U8","data_offsets":[0,8]}})", 8)},
        {"negative", safetensors(R"({"a":{"dtype":"U8","shape":[-8],"data_offsets":[0,8]}})", 8)},
        {"not JSON", safetensors(R"({"a":)", 8)},
        {"not an object", safetensors("[]", 8)},
        {"deep", safetensors(std::string(5000, '['), 8)},
        {"header past the end", with(safetensors(one, 8), 0, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F})},
        {"tensor is a text", safetensors(R"({"a":"b"})", 0)},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(verdict("m.safetensors", row.file).state == Structure::broken);
    }
    CHECK(verdict("m.safetensors", safetensors(one, 8)).state == Structure::sound);
}

TEST_CASE("a flipped byte in a safetensors header never passes as another layout of the same size") {
    const std::string whole = golden("model.safetensors");
    for (std::size_t at = 0; at < 8; ++at) {
        CHECK(verdict("m.safetensors", with(whole, at, {static_cast<unsigned char>(whole[at]) ^ 0x21})).state ==
              Structure::broken);
    }
}

TEST_CASE("a read that fails ends the check with its own error") {
    class Failing final : public parse::Reader {
      public:
        [[nodiscard]] std::uint64_t size() const override { return 4096; }
        Result<std::size_t> read_at(std::uint64_t, std::span<char>) override {
            return Error{Code::cancelled, "cancelled"};
        }
    };
    for (const char* name : {"a.pt", "a.npz", "a.safetensors"}) {
        Failing reader;
        const auto result = parse::check_structure(name, reader);
        REQUIRE(!result);
        CHECK(result.error().code == Code::cancelled);
    }
}

TEST_CASE("names from the file are escaped in what is said about it") {
    std::string bad = golden("arrays_stored.npz");
    const std::size_t end = bad.size() - 22;
    const std::size_t row_name = end - std::string_view{"bias.npy"}.size();
    bad[row_name] = '\x1b';
    const auto found = verdict("a.npz", bad);
    CHECK(found.state == Structure::broken);
    CHECK(found.detail.find('\x1b') == std::string::npos);
}
