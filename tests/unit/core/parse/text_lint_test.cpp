#include "core/parse/text_lint.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch::parse;

TEST_CASE("scripts that another system's editor spoiled are found, other files are left alone") {
    struct Row {
        std::string path{};
        std::string head{};
        bool executable{false};
        std::vector<Flaw> flaws{};
    };
    const std::string bom = "\xEF\xBB\xBF";
    const std::vector<Row> rows = {
        {"run.sh", "#!/bin/sh\necho\n", true, {}},
        {"run.sh", "#!/bin/sh\necho\n", false, {Flaw::not_executable}},
        {"run.sh", "echo\r\n", false, {Flaw::crlf}},
        {"run.sh", "#!/usr/bin/env python3\r\nx\r\n", true, {Flaw::shebang_cr, Flaw::crlf}},
        {"tool", "#!/usr/bin/python3\r\n", false, {Flaw::shebang_cr, Flaw::crlf, Flaw::not_executable}},
        {"run.sh", bom + "#!/bin/sh\n", true, {Flaw::bom}},
        {"train.py", bom + "import x\r\n", false, {Flaw::bom, Flaw::crlf}},
        {"Makefile", "all:\r\n", false, {Flaw::crlf}},
        {"notes.txt", "a\r\n", false, {}},
        {"data.csv", bom + "a\r\n", false, {}},
        {"tool.py", std::string("#!/bin/sh\r\n\0", 12), false, {}},
        {"empty.sh", "", false, {}},
        {"bar.sh", "echo a\rb\n", false, {}},
        {"one-line", "#!/bin/sh\r", true, {Flaw::shebang_cr}},
    };
    for (const Row& row : rows) {
        INFO(row.path << ": " << row.head);
        CHECK(lint(row.path, row.head, row.executable) == row.flaws);
    }
}

TEST_CASE("fixing line ends changes text only, keeps lone carriage returns, and twice is the same as once") {
    struct Row {
        std::string before{};
        std::string after{};
    };
    const std::vector<Row> rows = {
        {"a\r\nb\r\n", "a\nb\n"},
        {"\xEF\xBB\xBF#!/bin/sh\n", "#!/bin/sh\n"},
        {"a\r\r\nb", "a\nb"},
        {"50%\r100%\r\n", "50%\r100%\n"},
        {"a\r", "a\r"},
        {"a\r\nb\r", "a\nb\r"},
        {"", ""},
        {std::string("a\r\n\0", 4), std::string("a\r\n\0", 4)},
    };
    for (const Row& row : rows) {
        INFO(row.before);
        const std::string fixed = fix_eol(row.before);
        CHECK(fixed == row.after);
        CHECK(fix_eol(fixed) == fixed);
        CHECK(needs_fix(row.before) == (fixed != row.before));
        CHECK_FALSE(needs_fix(fixed));
    }
}

TEST_CASE("what fixing mends is no longer found") {
    const std::string spoiled = "\xEF\xBB\xBF#!/bin/sh\r\necho x\r\n";
    CHECK(lint("run.sh", spoiled, true).size() == 3);
    CHECK(lint("run.sh", fix_eol(spoiled), true).empty());
}
