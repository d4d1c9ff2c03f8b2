#include <catch2/catch_test_macros.hpp>
#include <random>

#include "core/parse/structure.hpp"
#include "support/memory_reader.hpp"

using namespace drawhitch;
using model::Structure;

namespace {

parse::StructureVerdict verdict(std::string_view name, std::string_view bytes) {
    support::MemoryReader reader{bytes};
    auto result = parse::check_structure(name, reader);
    REQUIRE(result);
    return *result;
}

// What a trainer writes at its end.
constexpr std::string_view k_state = R"({
  "best_metric": NaN, "loss": [1.5e-05, -Infinity, Infinity, -0, 12345678901234567890123],
  "name": "a \"quoted\" \\ \u00e9 {[", "empty": {}, "none": [], "deep": [[{"a": [null, true, false]}]]
})";

}  // namespace

TEST_CASE("JSON as programs write it is sound") {
    const std::string_view rows[] = {
        k_state,
        "{}",
        "[]\n",
        "\"text\"",
        "12",
        "-1.5E+3 ",
        "null",
        "NaN\n",
        "-Infinity",
        "\xEF\xBB\xBF{\"with\": \"a mark\"}",
        "{\"a\": 1}\n{\"a\": 2}\n",
        "{\"a\": 1}{\"a\": 2}",
        "\"caf\xe9, not UTF-8\"",
        "\"a raw\nline end\"",
    };
    for (const std::string_view text : rows) {
        INFO(text);
        CHECK(verdict("a.json", text).state == Structure::sound);
    }
    CHECK(verdict("A.JSON", "{\"a\": 1}\n{\"a\": 2}\n").format == "json lines");
}

TEST_CASE("a JSON file that was cut anywhere is broken") {
    for (std::size_t size = 0; size < k_state.size() - 1; ++size) {
        INFO(k_state.substr(0, size));
        const auto found = verdict("trainer_state.json", k_state.substr(0, size));
        CHECK(found.state == Structure::broken);
        CHECK(!found.detail.empty());
    }
    for (const std::string_view word : {"t", "nul", "-", "-Inf", "Na", "1.", "2e", "2e-", "\"", "\"\\"}) {
        INFO(word);
        CHECK(verdict("a.json", word).state == Structure::broken);
    }
}

TEST_CASE("data that was never written is broken JSON") {
    CHECK(verdict("a.json", "").state == Structure::broken);
    CHECK(verdict("a.json", " \n").state == Structure::broken);
    CHECK(verdict("a.json", std::string(4096, '\0')).state == Structure::broken);
    CHECK(verdict("a.jsonl", std::string(4096, '\0')).state == Structure::broken);
    CHECK(verdict("a.json", "{\"a\": \"b" + std::string(100, '\0')).state == Structure::broken);
    CHECK(verdict("a.json", "{\"a\": 1}" + std::string(100, '\0')).state == Structure::broken);
}

TEST_CASE("what is no JSON is not judged, and the place is told") {
    const std::string_view rows[] = {
        "// a comment\n{}",
        "{\"a\": 1,}",
        "{'a': 1}",
        "{a: 1}",
        "[1 2]",
        "{\"a\" 1}",
        "]",
        "{]",
        "tru e",
        "nulll",
        "[1, , 2]",
        "{\"a\": 1} # x",
        "+1",
        "1-",
        "hello",
        ":",
        ",",
        "{\"a\":}",
        "\xFF\xFE{\0}\0",
    };
    for (const std::string_view text : rows) {
        INFO(text);
        // "1-" could go on as no number either; it is only said that it ends too early.
        const auto found = verdict("a.json", text);
        CHECK(found.state == (text == "1-" ? Structure::broken : Structure::unknown_format));
        CHECK(!found.detail.empty());
    }
    CHECK(verdict("a.json", "{\"a\": 1,}").detail.find("byte 8") != std::string::npos);
    CHECK(verdict("a.json", std::string(100'000, '[')).state == Structure::unknown_format);
}

TEST_CASE("of several values in a file, the last one may be cut: that is told and no damage") {
    const auto found = verdict("log.json", "{\"step\": 1}\n{\"step\": 2");
    CHECK(found.state == Structure::unknown_format);
    CHECK(found.detail == "its last value is cut short");
}

TEST_CASE("JSON lines are whole line by line, and half a line is told with its number") {
    CHECK(verdict("a.jsonl", "").state == Structure::sound);
    CHECK(verdict("a.jsonl", "{\"a\": NaN}\r\n\n[1]\n3").state == Structure::sound);
    CHECK(verdict("a.ndjson", "{\"a\": 1}\n").state == Structure::sound);
    const std::string line = "{\"step\": 12, \"loss\": [0.5, NaN], \"tag\": \"x\"}";
    for (std::size_t size = 1; size < line.size(); ++size) {
        INFO(size);
        const auto cut = verdict("a.jsonl", line + "\n" + line + "\n" + line.substr(0, size));
        CHECK(cut.state == Structure::unknown_format);
        CHECK(cut.detail == "its last line, 3, is cut short");
    }
    for (const std::string& torn : {line.substr(0, 9) + line, line.substr(0, 20), std::string("plain words")}) {
        INFO(torn);
        const auto found = verdict("a.jsonl", line + "\n" + torn + "\n" + line + "\n");
        CHECK(found.state == Structure::unknown_format);
        CHECK(found.detail == "line 2 is no whole JSON value");
    }
    CHECK(verdict("a.jsonl", line + "\nwords").detail == "line 2 is no whole JSON value");
}

TEST_CASE("JSON of many pieces is judged as of one, and no bytes whatever stop the check") {
    std::string large = "[";
    while (large.size() < 700'000)
        large += "{\"key\": \"value \\\" \\\\ value\", \"n\": -12.5e-3},\n";
    CHECK(verdict("a.json", large + "0]").state == Structure::sound);
    CHECK(verdict("a.json", large + "0").state == Structure::broken);
    constexpr unsigned k_seed = 20260;
    std::mt19937 random{k_seed};
    constexpr std::string_view k_alphabet = "{}[]:,\"\\ \n-1eINt\x80";
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (std::size_t length = random() % 24; text.size() < length;)
            text += k_alphabet[random() % k_alphabet.size()];
        INFO("seed " << k_seed << ": " << text);
        const auto found = verdict(round % 2 == 0 ? "a.json" : "a.jsonl", text);
        CHECK((found.state == Structure::sound || !found.detail.empty()));
    }
}
