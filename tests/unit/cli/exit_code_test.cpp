#include "cli/exit_code.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::cli;

TEST_CASE("the classes that scripts rely on have the documented exit codes") {
    struct Row {
        Code code{Code::internal};
        int exit{0};
    };
    for (const Row row :
         {Row{Code::usage, 2},       Row{Code::config, 2},       Row{Code::not_trusted, 2}, Row{Code::skipped, 3},
          Row{Code::gate_closed, 4}, Row{Code::refused, 5},      Row{Code::link_lost, 5},   Row{Code::dns, 5},
          Row{Code::integrity, 6},   Row{Code::unhealthy, 7},    Row{Code::provider, 8},    Row{Code::unconfirmed, 9},
          Row{Code::host_key, 10},   Row{Code::auth, 10},        Row{Code::no_space, 11},   Row{Code::no_inodes, 11},
          Row{Code::job_failed, 12}, Row{Code::job_stalled, 13}, Row{Code::internal, 70},   Row{Code::deadline, 124},
          Row{Code::cancelled, 130}, Row{Code::ledger, 1}}) {
        CHECK(exit_code_of(row.code) == row.exit);
    }
}

TEST_CASE("every class of error has its own id and an exit code that is documented") {
    std::set<std::string_view> ids;
    for (const CodeRow& row : code_rows()) {
        CHECK(ids.insert(id(row.code)).second);
        CHECK(std::ranges::count(exit_rows(), row.exit, &ExitRow::exit) == 1);
        CHECK_FALSE(row.meaning.empty());
    }
}

TEST_CASE("docs/exit-codes.md states the tables of the program, row by row") {
    const std::string page = support::read_file(support::source_dir() + "/docs/exit-codes.md");
    const std::size_t guide = page.find("## It said this");  // a third table, of advice
    REQUIRE(guide != std::string::npos);
    const std::string document = page.substr(0, guide);
    std::size_t rows = 0;
    for (const ExitRow& row : exit_rows()) {
        const std::string line = "| " + std::to_string(row.exit) + " | " + std::string{row.meaning} + " |\n";
        CAPTURE(line);
        CHECK(document.find(line) != std::string::npos);
        ++rows;
    }
    for (const CodeRow& row : code_rows()) {
        const std::string line = "| " + std::string{id(row.code)} + " | " + std::to_string(row.exit) + " | " +
                                 std::string{row.meaning} + " |\n";
        CAPTURE(line);
        CHECK(document.find(line) != std::string::npos);
        ++rows;
    }
    std::size_t lines = 0;
    for (std::size_t at = document.find("\n| "); at != std::string::npos; at = document.find("\n| ", at + 1))
        ++lines;
    CHECK(lines == rows + 2);  // and two headings
}
