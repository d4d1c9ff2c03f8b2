#include "core/plan/gate_text.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "core/plan/teardown.hpp"

namespace drawhitch::plan {

namespace {

using judge::GateFacts;
using judge::Standing;

// One finished run with a roster and nothing wrong.
GateFacts clear() {
    GateFacts facts{};
    facts.box = "b1";
    facts.home = "/root";
    facts.identity = judge::Identity::proven;
    facts.verb = {"terminate", false, true, true, {}};
    facts.tiers = {{"disk", "/", true, true, false, {}}};
    facts.runs_known = facts.processes_known = true;
    judge::GateRun run{};
    run.name = "r1";
    run.verdict.kind = model::VerdictKind::done;
    run.has_roster = run.scanned = true;
    run.work_dir = "/data/runs/r1/work";
    run.code = judge::CodeState::same;
    facts.runs = {run};
    return facts;
}

judge::UnitStanding unit(const std::string& name, Standing standing = Standing::unproven) {
    return {name, "/data/runs/r1/work/" + name, model::RosterClass::must, 1, 100, standing, {}, {}, false, false};
}

std::vector<std::string> lines_of(const GateFacts& facts) {
    return gate_lines(judge::judge_gate(facts));
}

}  // namespace

TEST_CASE("units of a run that lack a copy are one line and one command") {
    GateFacts facts = clear();
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
        facts.runs[0].units.push_back(unit(name));
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "  not-pulled: 7 units of run r1 have no proven copy: a, b, c, d, e and 2 more");
    CHECK(lines[1] == "      drawhitch pull b1 r1");
    CHECK(lines[2] == "      or give it up: drawhitch down b1 --lose /data/runs/r1/work");
}

TEST_CASE("all that is wrong with a run stands together, and each command is typed once") {
    GateFacts facts = clear();
    facts.runs[0].units = {unit("a"), unit("b", Standing::changed)};
    facts.runs[0].has_roster = false;
    facts.undeclared = {
        {"/data/runs/r1/work/x", 1, 8, {}, "n", false, {{"/data/runs/r1/work/x/n", 8}}},
        {"/root", 2, 12, {}, "b", false, {{"/root/a b", 8}, {"/root/b", 4}}},
        {"/data/runs/r1/work/y", 2, 8, {}, "m", false, {{"/data/runs/r1/work/y/m", 8}, {"/data/runs/r1/work/y/n", 0}}}};
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 13);
    CHECK(lines[0].starts_with("  not-pulled: r1: a "));
    CHECK(lines[1].starts_with("  changed: r1: b "));
    CHECK(lines[2].starts_with("  no-roster: run r1 "));
    CHECK(lines[3] ==
          "  undeclared: 3 files, 16 B that nothing explains, in /data/runs/r1/work/x, /data/runs/r1/work/y");
    CHECK(lines[4] == "      drawhitch pull b1 r1");
    CHECK(lines[5] == "      drawhitch pull b1 r1 --out '**'");
    CHECK(lines[6].starts_with("      or give it up: drawhitch down b1 --lose "));
    CHECK(lines[7].starts_with("  undeclared: /root: 2 files, 12 B "));
    CHECK(lines[8] == "        /root/a b  8 B");
    CHECK(lines[10] == "      drawhitch cp 'b1:/root/a b' pulls/b1/_box/root/");
    CHECK(lines[11] == "      drawhitch cp b1:/root/b pulls/b1/_box/root/");
    CHECK(lines[12] == "      or give it up: drawhitch down b1 --lose '/root/a b' --lose /root/b");
}

TEST_CASE("what one ended run leaves is given up by the directory that holds it, and by nothing above the run") {
    GateFacts facts = clear();
    facts.runs[0].units = {unit("ckpt/a"), unit("ckpt/b")};
    const auto last = [&] { return lines_of(facts).back(); };
    CHECK(last() == "      or give it up: drawhitch down b1 --lose /data/runs/r1/work/ckpt");
    facts.runs[0].units.push_back(unit("ckpt2/c"));
    CHECK(last() == "      or give it up: drawhitch down b1 --lose /data/runs/r1/work");
    facts.runs[0].units.push_back(unit("log"));
    facts.runs[0].units.back().path = "/data/runs/r1/log";
    CHECK(last() == "      or give it up: drawhitch down b1 --lose /data/runs/r1");
    const auto told = told_names(judge::judge_gate(facts));
    CHECK(std::ranges::find(told, "/data/runs/r1") != told.end());
    CHECK(std::ranges::find(told, "/data/runs/r1/work/ckpt/b") != told.end());
    // It opens what it is said to open.
    facts.waivers.lose = {"/data/runs/r1"};
    CHECK(judge::judge_gate(facts).open);
    // A run that lives may make more there than was seen.
    facts.waivers.lose.clear();
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    CHECK(last().find(" --lose /data/runs/r1/work/ckpt/a --lose /data/runs/r1/work/ckpt/b ") != std::string::npos);
}

TEST_CASE("both ways on with a box that is gone stand below the reason") {
    GateFacts facts = clear();
    facts.identity = judge::Identity::unreachable;
    facts.runs.clear();
    facts.tiers.clear();
    facts.elsewhere = "drawhitch adopt b1 ssh -p PORT root@203.0.113.7";
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 4);
    CHECK(lines[1] == "      drawhitch doctor b1");
    CHECK(lines[2] == "      if it has ended: drawhitch lease close b1");
    CHECK(lines[3] == "      if it answers at another port or address now: " + facts.elsewhere);
    CHECK(is_command(lines[1]));
    CHECK_FALSE(is_command(lines[0]));
    CHECK(stays_whole(lines[1]));
    CHECK_FALSE(stays_whole(lines[0]));
    CHECK(stays_whole("        /data/one file.csv  1 KiB"));
    CHECK_FALSE(stays_whole("                  the disk: 0.10 USD a day"));
}

TEST_CASE("processes are one line with the name of each") {
    GateFacts facts = clear();
    facts.processes = {{77, 1, "python3", "serve.py", "/data", {}, {}, false, false, {}},
                       {78, 1, "cc1plus", "src", "/data", {}, {}, false, false, {}}};
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "  process: 2 processes belong to no run: 77 (python3 running serve.py), 78 (cc1plus)");
    CHECK(lines[1] == "      drawhitch down b1 --accept process:77 --accept process:78");
}

TEST_CASE("of a long list no name is advised that is not shown") {
    GateFacts facts = clear();
    facts.undeclared = {{"/root", 300, 1200, {}, "x", false, {{"/root/x", 4}, {"/root/y", 4}}}};
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 7);
    CHECK(lines[3] == "        and 298 more, which the next look names");
    CHECK(lines[5] == "      drawhitch cp b1:/root/y pulls/b1/_box/root/");
    CHECK(lines[6] == "      or give it up: drawhitch down b1 --lose /root/x --lose /root/y");
}

TEST_CASE("of a live run waiting comes first, and ending it is said as the other way") {
    GateFacts facts = clear();
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 3);
    CHECK(lines[1] == "      drawhitch watch b1 r1");
    CHECK(lines[2] == "      or at once: drawhitch stop-run b1 r1");
}

TEST_CASE("what a live run left behind is given up together with the run") {
    GateFacts facts = clear();
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    facts.runs[0].units.push_back(unit("a"));
    CHECK(lines_of(facts).back() ==
          "      or give it up: drawhitch down b1 --kill-run r1 --lose " + facts.runs[0].units.back().path);
}

TEST_CASE("of more names than anybody reads the first are advised, and the command goes on from there") {
    GateFacts facts = clear();
    for (std::int64_t pid = 100; pid < 130; ++pid)
        facts.processes.push_back({pid, 1, "python3", "serve.py", "/data", {}, {}, false, false, {}});
    const auto lines = lines_of(facts);
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].starts_with("      or give the first 24 up: drawhitch down b1 --accept process:100 "));
    CHECK(lines[1].ends_with(" --accept process:123"));
    CHECK(gate_next(judge::judge_gate(facts)).starts_with("drawhitch down b1 --accept process:100"));
}

TEST_CASE("the last advice saves something if anything can be saved, else it names all groups") {
    GateFacts facts = clear();
    facts.undeclared = {{"/root", 2, 12, {}, "b", false, {{"/root/a b", 8}, {"/root/b", 4}}}};
    facts.processes = {{77, 1, "python3", "serve.py", "/data", {}, {}, false, false, {}}};
    const std::string all = "drawhitch down b1 --lose '/root/a b' --lose /root/b --accept process:77";
    judge::Gate gate = judge::judge_gate(facts);
    CHECK(gate_next(gate) == "drawhitch cp 'b1:/root/a b' pulls/b1/_box/root/");
    CHECK(gate_lines(gate).back() == "  all of this is given up by: " + all);
    facts.undeclared.push_back({"/root/notes", 1, 5, {}, "n", false, {{"/root/notes/n", 5}}});
    gate = judge::judge_gate(facts);
    CHECK(gate_next(gate).starts_with("drawhitch cp "));
    CHECK(gate_lines(gate).back().ends_with("--accept process:77"));
    // What a pull brings is never given up in one go with the rest.
    facts.runs[0].units = {unit("a")};
    gate = judge::judge_gate(facts);
    CHECK(gate_next(gate) == "drawhitch pull b1 r1");
    CHECK(gate_lines(gate).back().find("all of this") == std::string::npos);
}

TEST_CASE("as many reasons are counted as are told") {
    GateFacts facts = clear();
    for (const char* name : {"a", "b", "c"})
        facts.runs[0].units.push_back(unit(name));
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    facts.undeclared = {{"/root", 2, 12, {}, "b", false, {{"/root/a", 8}, {"/root/b", 4}}}};
    const judge::Gate gate = judge::judge_gate(facts);
    CHECK(gate.reasons.size() == 5);
    CHECK(told_reasons(gate) == 3);
}

TEST_CASE("what keeps billing is said once, with the rest below it") {
    GateFacts facts = clear();
    facts.price_hour = 2.0;
    facts.verb.leaves_billing = {"ask whoever rents it to you"};
    const auto lines = teardown_lines("b1", "USD", judge::judge_gate(facts));
    int said = 0;
    for (const std::string& line : lines)
        said += line.find("keeps billing") != std::string::npos ? 1 : 0;
    CHECK(said == 1);
    CHECK(lines.at(2) == "                  ask whoever rents it to you");
}

}  // namespace drawhitch::plan
