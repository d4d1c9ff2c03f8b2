#include "core/parse/survey.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;

namespace {

const std::string k_text =
    "motd\n\n=n0=B box\nnow=1700000100\nhome=/root\nbooted=1700000000\nhertz=100\n\n=n0=E box rc=0\n"
    "\n=n0=B processes\nprocess=7 1 S 500 0\nname=python3\nscript=a.py\ntoken=7f3a\ncwd=/data\n"
    "process=8 7 Z 600 1\nname=sh\ncwd=\n\n=n0=E processes rc=0\n\n=n0=Z\n";

}  // namespace

TEST_CASE("a survey is read whole") {
    const auto seen = parse::survey(k_text, "n0");
    REQUIRE(seen.complete);
    CHECK(seen.home == "/root");
    CHECK(seen.now.seconds == 1'700'000'100);
    REQUIRE(seen.processes.size() == 2);
    CHECK(seen.processes[0].name == "python3");
    CHECK(seen.processes[0].started.seconds == 1'700'000'005);
    CHECK(seen.processes[1].zombie);
    CHECK(seen.processes[1].survey);
    CHECK(seen.processes[1].directory.empty());
}

TEST_CASE("a survey cut at any place is not complete") {
    for (std::size_t size = 0; size + 1 < k_text.size(); ++size)
        CHECK_FALSE(parse::survey(k_text.substr(0, size), "n0").complete);
    CHECK_FALSE(parse::survey(k_text, "n1").complete);
}

TEST_CASE("a survey that makes no sense is not complete, and no byte crashes it") {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = k_text;
        text.replace(text.find(from), from.size(), to);
        return parse::survey(text, "n0").complete;
    };
    CHECK(with("name=python3", "name=python3?"));
    CHECK_FALSE(with("hertz=100", "hertz=0"));
    CHECK_FALSE(with("booted=1700000000", "booted="));
    CHECK_FALSE(with("now=1700000100", "now=soon"));
    CHECK_FALSE(with("7 1 S 500 0", "7 1 S 500"));
    CHECK_FALSE(with("7 1 S 500 0", "7 1 S -5 0"));
    CHECK_FALSE(with("processes rc=0", "processes rc=1"));
    for (std::size_t at = 0; at < k_text.size(); ++at) {
        for (const char byte : {'\0', '\xff', '\n', '='}) {
            std::string text = k_text;
            text[at] = byte;
            (void)parse::survey(text, "n0");
        }
    }
}
