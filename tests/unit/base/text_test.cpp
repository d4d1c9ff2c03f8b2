#include "base/text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch;

TEST_CASE("a word of a command to type is quoted only where a shell would read something into it") {
    CHECK(shell_word("/data/a-1.pt") == "/data/a-1.pt");
    CHECK(shell_word("process:77") == "process:77");
    CHECK(shell_word("a b") == "'a b'");
    CHECK(shell_word("$(x)") == "'$(x)'");
    CHECK(shell_word("~x") == "'~x'");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("\xff") == "'\xff'");
}

TEST_CASE("shell quoting keeps every byte inside one word") {
    CHECK(shell_quote("plain") == "'plain'");
    CHECK(shell_quote("") == "''");
    CHECK(shell_quote("it's $HOME\n`x`") == "'it'\\''s $HOME\n`x`'");
}

TEST_CASE("text for the terminal carries no control, no direction override and no broken UTF-8") {
    struct Row {
        std::string bytes{};
        std::string shown{};
    };
    const std::vector<Row> rows = {
        {"plain \xc3\xa9 \xe6\x96\x87", "plain \xc3\xa9 \xe6\x96\x87"},
        {"a\x1b[31mb", "a\\x1b[31mb"},
        {"tab\tline\n", "tab\\x09line\\x0a"},
        {"del\x7f", "del\\x7f"},
        {"c1 \xc2\x9b", "c1 \\xc2\\x9b"},
        {"rtl \xe2\x80\xae.gpj", "rtl \\xe2\\x80\\xae.gpj"},
        {"cut \xe6\x96", "cut \\xe6\\x96"},
        {"overlong \xc0\xaf", "overlong \\xc0\\xaf"},
        {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
        {"too big \xf4\x90\x80\x80", "too big \\xf4\\x90\\x80\\x80"},
    };
    for (const Row& row : rows) {
        CHECK(printable(row.bytes) == row.shown);
        CHECK(is_valid_utf8(printable(row.bytes)));
    }
}

TEST_CASE("hex goes both ways and refuses what is no hex") {
    const std::string bytes("\x00\x7f\xff", 3);
    CHECK(hex(bytes) == "007fff");
    CHECK(unhex("007FfF") == bytes);
    CHECK(unhex("0").empty());
    CHECK(unhex("0g").empty());
}

TEST_CASE("base64 pads as RFC 4648 says") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xff\xfe") == "//4=");
}

TEST_CASE("sizes are shown in binary units with at most three digits that matter") {
    CHECK(human_bytes(0) == "0 B");
    CHECK(human_bytes(1023) == "1023 B");
    CHECK(human_bytes(1024) == "1.0 KiB");
    CHECK(human_bytes(1536) == "1.5 KiB");
    CHECK(human_bytes(512ULL << 20U) == "512 MiB");
    CHECK(human_bytes((1ULL << 20U) - 1) == "1.0 MiB");
    CHECK(human_bytes(~0ULL) == "16.0 EiB");
}

TEST_CASE("splitting keeps empty fields and trimming removes only white space at the ends") {
    CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
    CHECK(split("", ',') == std::vector<std::string_view>{""});
    CHECK(trim(" \t a b \r\n") == "a b");
    CHECK(trim(" \n").empty());
    const std::vector<std::string> parts{"a", "b"};
    CHECK(join(parts, ", ") == "a, b");
}

TEST_CASE("a plain name cannot be an option, hidden, empty or a path") {
    CHECK(is_plain_name("exp-1.b_2"));
    for (const char* bad : {"", "-x", ".hidden", "a/b", "a b", "\xc3\xa9", "a\n", ".."})
        CHECK_FALSE(is_plain_name(bad));
}

TEST_CASE("a count and its noun agree") {
    CHECK(counted(0, "file") == "0 files");
    CHECK(counted(1, "file") == "1 file");
    CHECK(counted(2, "file") == "2 files");
    CHECK(counted(1, "entry", "entries") == "1 entry");
    CHECK(counted(3, "entry", "entries") == "3 entries");
}
