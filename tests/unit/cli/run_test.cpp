#include "cli/run.hpp"

#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/fd.hpp"
#include "cli/context.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::cli;
using support::TempDir;

namespace {

Result<Outcome> fails(Context& context, const Parsed&) {
    context.op.warn("look out");
    context.out.json("tried", true);
    return Error{Code::gate_closed, "the gate is closed; nothing was destroyed"}
        .because("r1 still runs\nbest.pt is not covered")
        .then("drawhitch pull b1")
        .while_("closing b1");
}
Result<Outcome> throws(Context&, const Parsed&) {
    throw std::runtime_error{"impossible\x1b"};
}
Result<Outcome> hands_on(Context&, const Parsed&) {
    return Outcome{.exit = 42, .next = {"drawhitch ls"}};
}
Result<Outcome> waits(Context& context, const Parsed&) {
    context.op.clock.sleep(milliseconds{10'000}, context.op.cancel);
    TRY(context.op.check());
    return Outcome{};
}
Result<Outcome> needs_answer(Context& context, const Parsed&) {
    TRY_ASSIGN(const bool yes, context.prompt.yes_no(context.op, "Stop b1?", "drawhitch stop b1 --yes"));
    context.out.json("answer", yes);
    return Outcome{};
}

const Registry& registry() {
    static const Registry k_registry{{
        CommandRow{.verb = "fails", .handler = fails},
        CommandRow{.verb = "throws", .handler = throws},
        CommandRow{.verb = "hands-on", .handler = hands_on},
        CommandRow{.verb = "waits", .handler = waits},
        CommandRow{.verb = "asks", .handler = needs_answer},
    }};
    return k_registry;
}

struct Ran {
    int exit{0};
    std::string out{};
    std::string err{};
};

Ran ran(const std::vector<std::string>& words, std::map<std::string, std::string> variables = {}) {
    const TempDir dir;
    const UniqueFd out{::open((dir / "out").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)};
    const UniqueFd err{::open((dir / "err").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)};
    support::FakeClock clock;
    Cancel cancel;
    term::EchoGuard echo;
    const Surroundings around{[&variables](const std::string& name) -> std::optional<std::string> {
                                  const auto at = variables.find(name);
                                  return at == variables.end() ? std::nullopt : std::optional{at->second};
                              },
                              out.get(),
                              err.get(),
                              clock,
                              cancel,
                              echo};
    Ran result;
    result.exit = run(registry(), words, around);
    result.out = support::read_file(dir / "out");
    result.err = support::read_file(dir / "err");
    return result;
}

}  // namespace

TEST_CASE("an error has its one shape, after warnings, and decides the exit code") {
    const Ran result = ran({"fails"});
    CHECK(result.exit == 4);
    CHECK(result.out.empty());
    CHECK(result.err ==
          "warning: look out\n"
          "error[E-GATE]: the gate is closed; nothing was destroyed\n"
          "while: closing b1\n"
          "why: r1 still runs\n"
          "why: best.pt is not covered\n"
          "next: drawhitch pull b1\n");
}

TEST_CASE("with --json everything lands in the envelope") {
    const Ran result = ran({"fails", "--json"});
    CHECK(result.exit == 4);
    const auto json = nlohmann::json::parse(result.out);
    CHECK(json["command"] == "fails");
    CHECK(json["data"]["tried"] == true);
    CHECK(json["warnings"] == nlohmann::json{"look out"});
    CHECK(json["next"] == nlohmann::json{"drawhitch pull b1"});
    CHECK(json["error"]["id"] == "E-GATE");
    CHECK(json["error"]["context"] == nlohmann::json{"closing b1"});
    CHECK(json["exit"] == 4);
}

TEST_CASE("words that cannot be parsed are told in the envelope, too") {
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"--json", "nonsense"}, {"fails", "--json", "--odd"}, {"--json"}}) {
        const Ran result = ran(words);
        CHECK(result.exit == 2);
        const auto json = nlohmann::json::parse(result.out);
        CHECK(json["error"]["id"] == "E-USAGE");
        CHECK(json["ok"] == false);
    }
    CHECK(nlohmann::json::parse(ran({"nonsense"}, {{"DRAWHITCH_JSON", "1"}}).out)["exit"] == 2);
    CHECK(ran({"fails", "--json", "--jsonl"}).exit == 2);
}

TEST_CASE("an exception is an internal error and says what to report") {
    const Ran result = ran({"throws"});
    CHECK(result.exit == 70);
    CHECK(result.err.starts_with("error[E-INTERNAL]: internal error in throws: impossible\\x1b\n"));
    CHECK(result.err.ends_with("next: drawhitch version --json\n"));
}

TEST_CASE("a handler may hand on an exit code and say what comes next") {
    const Ran result = ran({"hands-on"});
    CHECK(result.exit == 42);
    CHECK(result.err == "next: drawhitch ls\n");
    CHECK(ran({"hands-on", "-q"}).err.empty());
}

TEST_CASE("--timeout bounds every command with exit code 124") {
    CHECK(ran({"waits"}).exit == 0);
    CHECK(ran({"waits", "--timeout", "9s"}).exit == 124);
    CHECK(ran({"waits"}, {{"DRAWHITCH_TIMEOUT", "9s"}}).exit == 124);
}

TEST_CASE("--no-input turns a question into an error with the flag to use; -y answers it") {
    const Ran refused = ran({"asks", "--no-input"});
    CHECK(refused.exit == 2);
    CHECK(refused.err.ends_with("next: drawhitch stop b1 --yes\n"));
    CHECK(nlohmann::json::parse(ran({"asks", "-y", "--json"}).out)["data"]["answer"] == true);
}

TEST_CASE("colour is off in files, on when asked for, and NO_COLOR is respected") {
    CHECK(ran({"fails"}).err.find('\x1b') == std::string::npos);
    CHECK(ran({"fails", "--color", "always"}).err.find("\x1b[1;31merror[E-GATE]:\x1b[0m") != std::string::npos);
    CHECK(ran({"fails"}, {{"CLICOLOR_FORCE", "1"}}).err.find("\x1b[1;31m") != std::string::npos);
    CHECK(ran({"fails"}, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}).err.find('\x1b') == std::string::npos);
}

TEST_CASE("no words at all show what there is and count as wrong usage") {
    const Ran result = ran({});
    CHECK(result.exit == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find("usage: drawhitch [global options] COMMAND") != std::string::npos);
}
