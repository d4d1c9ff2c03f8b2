#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::structure_of;

namespace {

using Number = std::function<std::string(std::uint64_t, std::size_t)>;

struct Tensor {
    std::string name{};
    std::vector<std::uint64_t> shape{};
    std::uint32_t type{0};
    std::uint64_t offset{0};
};

// A file with one key of each kind that matters, and the tensors given.
struct Gguf {
    Number number{support::little};
    std::uint64_t version{3};
    std::uint64_t alignment{32};
    std::vector<Tensor> tensors{{"a", {64}, 0, 0}, {"b", {32, 2}, 8, 256}};
    std::size_t data{256 + 96};  // 64 floats; 2 blocks of 34 bytes, padded

    [[nodiscard]] std::string text(std::string_view value) const {
        return number(value.size(), 8) + std::string{value};
    }
    [[nodiscard]] std::string bytes() const {
        std::string file = "GGUF" + number(version, 4) + number(tensors.size(), 8) + number(4, 8);
        file += text("general.alignment") + number(4, 4) + number(alignment, 4);
        file += text("general.name") + number(8, 4) + text("a small one");
        file += text("is.tied") + number(7, 4) + number(1, 1);
        file += text("tokens") + number(9, 4) + number(8, 4) + number(2, 8) + text("<s>") + text("</s>");
        for (const Tensor& tensor : tensors) {
            file += text(tensor.name) + number(tensor.shape.size(), 4);
            for (const std::uint64_t length : tensor.shape)
                file += number(length, 8);
            file += number(tensor.type, 4) + number(tensor.offset, 8);
        }
        while (file.size() % alignment != 0)
            file += '\0';
        return file + std::string(data, 'w');
    }
};

}  // namespace

TEST_CASE("whole gguf files of both versions and both byte orders are sound") {
    for (const Number& number : {Number{support::little}, Number{support::big}}) {
        for (const std::uint64_t version : {2U, 3U}) {
            Gguf file{};
            file.number = number;
            file.version = version;
            const auto verdict = structure_of("m.gguf", file.bytes());
            INFO(verdict.detail);
            CHECK(verdict.state == Structure::sound);
            CHECK(verdict.format == "gguf");
        }
    }
    Gguf only_keys{};
    only_keys.tensors.clear();
    only_keys.data = 0;
    CHECK(structure_of("vocabulary.gguf", only_keys.bytes()).state == Structure::sound);
}

TEST_CASE("no part of a gguf file passes as the whole") {
    CHECK(support::cuts_that_pass("m.gguf", Gguf{}.bytes()).empty());
    const std::string whole = Gguf{}.bytes();
    CHECK(structure_of("m.gguf", whole.substr(0, whole.size() - 40)).state == Structure::broken);
}

TEST_CASE("a changed byte in a gguf header is found where it tells of places and sizes") {
    const std::string whole = Gguf{}.bytes();
    const auto unseen = support::flips_that_pass("m.gguf", whole);
    // Names, texts and data are protected by nothing; counts, types, lengths, shapes and offsets by each other.
    const std::size_t head = 4 + 4 + 8 + 8;
    for (const std::size_t at : unseen) {
        INFO("byte " << at);
        // Version 3 and 2 differ in one bit, and are both right.
        if (at < head) CHECK(at == 4);
    }
}

TEST_CASE("gguf headers that contradict the file are broken, and strange ones are not judged") {
    struct Row {
        const char* why{};
        std::function<void(Gguf&)> change{};
        Structure state{Structure::broken};
    };
    const Row rows[] = {
        {"overlap", [](Gguf& f) { f.tensors[1].offset = 224; }},
        {"off the alignment", [](Gguf& f) { f.tensors[1].offset = 257; }},
        {"outside the file", [](Gguf& f) { f.tensors[1].offset = 1ULL << 60U; }},
        {"larger than the data",
         [](Gguf& f) {
             f.tensors[1].shape = {32, 20};
         }},
        {"a shape that overflows",
         [](Gguf& f) {
             f.tensors[1].shape = {1ULL << 40U, 1ULL << 40U};
         }},
        {"a shape that does not fit its blocks", [](Gguf& f) { f.tensors[1].shape = {31}; }},
        {"too many dimensions",
         [](Gguf& f) {
             f.tensors[1].shape = {2, 2, 2, 2, 2};
         }},
        {"alignment of no power of two", [](Gguf& f) { f.alignment = 48; }},
        {"data missing", [](Gguf& f) { f.data = 100; }},
        {"version 0", [](Gguf& f) { f.version = 0; }},
        {"a later version", [](Gguf& f) { f.version = 4; }, Structure::unknown_format},
        {"an unknown type of tensor", [](Gguf& f) { f.tensors[1].type = 999; }, Structure::unknown_format},
        {"bytes behind the last tensor", [](Gguf& f) { f.data += 64; }, Structure::unknown_format},
        {"a cut in the last padding", [](Gguf& f) { f.data -= 5; }, Structure::unknown_format},
    };
    for (const Row& row : rows) {
        Gguf file{};
        row.change(file);
        const auto verdict = structure_of("m.gguf", file.bytes());
        INFO(row.why << ": " << verdict.detail);
        CHECK(verdict.state == row.state);
        CHECK_FALSE(verdict.detail.empty());
    }
}

TEST_CASE("a gguf file that claims endless lists is broken at once") {
    Gguf file{};
    const std::string head = "GGUF" + support::little(3, 4) + support::little(0, 8) + support::little(1, 8);
    const std::string deep = [&] {
        std::string value = file.text("deep") + support::little(9, 4);
        for (int i = 0; i < 100; ++i)
            value += support::little(9, 4) + support::little(1, 8);
        return value;
    }();
    CHECK(structure_of("m.gguf", head + deep).state == Structure::broken);
    const std::string wide =
        file.text("wide") + support::little(9, 4) + support::little(10, 4) + support::little(~0ULL, 8);
    CHECK(structure_of("m.gguf", head + wide + std::string(64, 'x')).state == Structure::broken);
    const std::string many = "GGUF" + support::little(3, 4) + support::little(~0ULL, 8) + support::little(~0ULL, 8);
    CHECK(structure_of("m.gguf", many).state == Structure::broken);
}
