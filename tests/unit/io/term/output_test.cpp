#include "io/term/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/fd.hpp"
#include "io/term/width.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::term;
using support::TempDir;

namespace {

// Writes with `body` into a file and returns what stands there.
template <class Body>
std::string written(Format format, Body body, const Summary& summary = {}) {
    const TempDir dir;
    const std::string path = dir / "out";
    const UniqueFd fd{::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)};
    Output out{OutputOptions{.fd = fd.get(), .format = format, .command = "pull"}};
    body(out);
    out.finish(summary);
    CHECK(out.status());
    return support::read_file(path);
}

void two_rows(Output& out) {
    RowWriter rows = out.rows("files", {{.key = "path", .title = "PATH"}, {.key = "bytes", .title = "SIZE"}});
    rows.add({Cell::name("a"), Cell::bytes(1)});
    rows.add({Cell::name("b"), Cell::bytes(2048)});
}

}  // namespace

TEST_CASE("the envelope is one JSON object with all its members, also when nothing was found") {
    const auto json = nlohmann::json::parse(written(Format::json, [](Output&) {}));
    CHECK(json ==
          nlohmann::json::parse(
              R"({"schema":1,"command":"pull","data":{},"warnings":[],"next":[],"error":null,"ok":true,"exit":0})"));
}

TEST_CASE("rows and values become members of data") {
    const auto json = nlohmann::json::parse(written(Format::json, [](Output& out) {
        out.text("for people only");
        two_rows(out);
        out.value("wire_bytes", "On the wire", Cell::bytes(10));
        out.value("at", "At", Cell::time({0, 0}, {5, 0}));
        out.table("none", {{.key = "x", .title = "X"}}, {});
    }));
    CHECK(json["data"]["files"].dump() == R"([{"bytes":1,"path":"a"},{"bytes":2048,"path":"b"}])");
    CHECK(json["data"]["wire_bytes"] == 10);
    CHECK(json["data"]["at_age"] == 5);
    CHECK(json["data"]["none"].empty());
}

TEST_CASE("an error lands in the envelope and its next command leads the list") {
    const Error error = Error{Code::host_key, "another key"}.because("it changed").then("drawhitch doctor b1");
    const auto json = nlohmann::json::parse(written(
        Format::json, two_rows, Summary{.exit = 10, .warnings = {"w"}, .next = {"drawhitch ls"}, .error = &error}));
    CHECK(json["ok"] == false);
    CHECK(json["exit"] == 10);
    CHECK(json["error"]["id"] == "E-HOSTKEY");
    CHECK(json["error"]["why"] == "it changed");
    CHECK(json["next"] == nlohmann::json{"drawhitch doctor b1", "drawhitch ls"});
    CHECK(json["warnings"] == nlohmann::json{"w"});
    CHECK(json["data"]["files"].size() == 2);
}

TEST_CASE("JSON lines are whole objects, the result last") {
    const std::string text = written(Format::jsonl, [](Output& out) {
        two_rows(out);
        out.event_line(Json::object().set("kind", "note"));
        out.json("receipt", "r1");
    });
    std::vector<nlohmann::json> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        lines.push_back(nlohmann::json::parse(text.substr(at, text.find('\n', at) - at)));
    }
    REQUIRE(lines.size() == 4);
    CHECK(lines[1]["value"]["bytes"] == 2048);
    CHECK(lines[2]["type"] == "event");
    CHECK(lines[3]["type"] == "result");
    CHECK(lines[3]["data"]["receipt"] == "r1");
}

TEST_CASE("a pipe gets tab-separated rows, a terminal an aligned table") {
    CHECK(written(Format::tsv, two_rows) == "a\t1\nb\t2048\n");
    CHECK(written(Format::table, two_rows) == "PATH  SIZE\na     1 B\nb     2.0 KiB\n");
}

TEST_CASE("a long table is laid out by its first rows and never kept whole") {
    const std::string text = written(Format::table, [](Output& out) {
        RowWriter rows = out.rows("n", {{.key = "n", .title = "N", .align = Align::right}});
        for (int i = 0; i < 1000; ++i)
            rows.add({Cell::integer(i)});
    });
    CHECK(std::ranges::count(text, '\n') == 1001);
    CHECK(text.ends_with("\n998\n999\n"));
}

TEST_CASE("a reader that went away is noticed and is no failure") {
    std::signal(SIGPIPE, SIG_IGN);
    auto pipe = make_pipe();
    REQUIRE(pipe);
    pipe->read.reset();
    Output out{OutputOptions{.fd = pipe->write.get(), .format = Format::tsv}};
    out.raw("x\n");
    CHECK(out.reader_gone());
    out.finish({});
    CHECK(out.status());
}

TEST_CASE("an output that cannot be written is a failure") {
    const UniqueFd full{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    REQUIRE(full);
    Output out{OutputOptions{.fd = full.get(), .format = Format::tsv}};
    out.raw("x\n");
    REQUIRE_FALSE(out.status());
    CHECK(out.status().error().code == Code::no_space);
}

TEST_CASE("a line is broken at the terminal's width, below its text, and never between backticks") {
    const std::string line =
        "  unknown-run-live: /data/runs/r1: a run that this ledger does not know, which still runs (process 4711): "
        "wait for "
        "its end, `drawhitch watch` from the laptop that started it";
    CHECK(broken_at(line, 80) ==
          "  unknown-run-live: /data/runs/r1: a run that this ledger does not know, which\n"
          "    still runs (process 4711): wait for its end, `drawhitch watch` from the\n"
          "    laptop that started it");
    CHECK(broken_at(line, 60) ==
          "  unknown-run-live: /data/runs/r1: a run that this ledger\n"
          "    does not know, which still runs (process 4711): wait for\n"
          "    its end, `drawhitch watch` from the laptop that started\n"
          "    it");
    CHECK(broken_at("  dies, proven    r1: " + std::string(50, 'x') + " and more words", 60) ==
          "  dies, proven    r1:\n                  " + std::string(50, 'x') + "\n                  and more words");
    CHECK(broken_at("ends with `two words` here", 14) == "ends with\n  `two words`\n  here");
    CHECK(broken_at("an open ` tick ends a line", 12) == "an open `\n  tick ends\n  a line");
    CHECK(broken_at(line, 0) == line);
    CHECK(broken_at("", 3).empty());
    CHECK(broken_at("   ", 2) == "   ");
}

TEST_CASE("words are broken for a terminal, and a pipe gets the line") {
    const std::string line = "one two three four five";
    CHECK(written(Format::tsv, [&](Output& out) { out.words(line); }) == line + "\n");
    CHECK(written(Format::json, [&](Output& out) { out.words(line); }).find("three") == std::string::npos);
}
