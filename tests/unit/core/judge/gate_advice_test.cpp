// What the gate advises: saving comes before giving up, and every line can be typed as it stands.
#include "core/judge/gate.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/text.hpp"
#include "gate_facts.hpp"

namespace drawhitch::judge {

namespace {

// What would be given up, as it is typed.
std::string names_of(const Reason& reason) {
    std::string text;
    for (const std::string& word : reason.give_up)
        text += (text.empty() ? "" : " ") + shell_word(word);
    return text;
}

}  // namespace

TEST_CASE("what can be saved is saved before it is given up") {
    GateFacts facts = clear();
    facts.undeclared = {group("/root/notes")};
    CHECK(judge_gate(facts).reasons.at(0).next == "drawhitch cp box-3:/root/notes pulls/box-3/_box/root/");
    facts.undeclared = {{"/a b", 1, 1, {1700000000, 0}, "a b", false, {{"/a b", 1}}}};
    CHECK(judge_gate(facts).reasons.at(0).next == "drawhitch cp 'box-3:/a b' pulls/box-3/_box/");
    // Two files of a home directory are no reason to copy all of it, but each can be copied.
    facts.undeclared = {{"/root", 2, 7, {}, "b", false, {{"/root/a", 3}, {"/root/b", 4}}}};
    CHECK(judge_gate(facts).reasons.at(0).next == "drawhitch cp box-3:/root/a pulls/box-3/_box/root/");
    CHECK(judge_gate(facts).reasons.at(0).further ==
          std::vector<std::string>{"drawhitch cp box-3:/root/b pulls/box-3/_box/root/"});
    // Of very many the first are told.
    facts.undeclared = {{"/root", 30, 7, {}, "b", false, {}}};
    for (int at = 0; at < 30; ++at)
        facts.undeclared[0].listed.push_back({"/root/" + std::to_string(at), 1});
    CHECK(judge_gate(facts).reasons.at(0).further.size() == 7);
    facts.old_runs = {{"old@3", "r 1", "/data/old/runs/r 1/work"}};
    facts.undeclared = {group("/data/old/runs/r 1/work/out")};
    CHECK(judge_gate(facts).reasons.at(0).next == "drawhitch pull old@3 'r 1' --all");
    facts = clear();
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    const Reason live = judge_gate(facts).reasons.at(0);
    CHECK(live.next == "drawhitch watch box-3 r1");
    CHECK(live.instead == "drawhitch stop-run box-3 r1");
}

TEST_CASE("for stray files the advice names the files, never the directory that holds more than they") {
    GateFacts facts = clear();
    facts.undeclared = {
        {"/root", 2, 107, {1700000000, 0}, ".gitconfig", false, {{"/root/.gitconfig", 100}, {"/root/a b", 7}}}};
    CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose /root/.gitconfig --lose '/root/a b'");
    CHECK(judge_gate(facts).reasons.at(0).listed.size() == 2);
    facts.undeclared = {{"/stray", 1, 1, {1700000000, 0}, "stray", false, {{"/stray", 1}}}};
    CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose /stray");
    facts.undeclared = {group("/root/notes")};
    CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose /root/notes");
}

TEST_CASE("a directory of many files is advised only where nothing else lies below it") {
    GateFacts facts = clear();
    facts.home = "/home/u";
    const auto many = [](const std::string& directory) {
        return UndeclaredGroup{directory, 300, 4096, {1700000000, 0}, "x", false, {{directory + "/x", 8}}};
    };
    facts.undeclared = {many("/home/u/notes")};
    CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose /home/u/notes");
    facts.undeclared.push_back(many("/home/u/notes/deep"));
    CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose /home/u/notes/x");
    for (const char* wide : {"/home/u", "/data"}) {
        facts.undeclared = {many(wide)};
        CAPTURE(wide);
        CHECK(names_of(judge_gate(facts).reasons.at(0)) == "--lose " + std::string{wide} + "/x");
    }
}

TEST_CASE("what a run made beside its roster is its own, and the advice is to pull all of it") {
    GateFacts facts = clear();
    facts.undeclared = {group("/data/runs/r1/work/out")};
    Reason reason = judge_gate(facts).reasons.at(0);
    CHECK(reason.run == "r1");
    CHECK(reason.next == "drawhitch pull box-3 r1 --all");
    facts.runs[0].has_roster = false;
    for (const Reason& each : judge_gate(facts).reasons)
        CHECK(each.next == "drawhitch pull box-3 r1 --out '**'");
    facts.undeclared = {group("/data/runs/r1/beside")};  // no pull reaches it
    facts.runs[0].has_roster = true;
    reason = judge_gate(facts).reasons.at(0);
    CHECK(reason.next == "drawhitch cp box-3:/data/runs/r1/beside pulls/box-3/_box/data/runs/r1/");
    CHECK(names_of(reason) == "--lose /data/runs/r1/beside");
}

TEST_CASE("the next command keeps every name that met something") {
    GateFacts facts = clear();
    facts.undeclared = {group("/root/notes"), group("/root/more")};
    facts.processes = {process(7)};
    facts.waivers.lose = {"/root/notes", "/typo"};
    facts.waivers.accept = {"process:7"};
    const Gate gate = judge_gate(facts);
    CHECK(gate.again == "drawhitch down box-3 --lose /root/notes --accept process:7");
    REQUIRE(gate.reasons.size() == 2);
    CHECK(names_of(gate.reasons[0]) == "--lose /root/more");
    CHECK(gate.reasons[1].id == "no-such-name");
    CHECK(gate.reasons[1].next == gate.again);
}

TEST_CASE("a result that may not be read is told with the command that lets it be read") {
    GateFacts facts = clear();
    facts.runs[0].units.push_back(unit("key.bin", Standing::unknown));
    facts.runs[0].units.back().refused = true;
    const Reason reason = judge_gate(facts).reasons.at(0);
    CHECK(reason.next == "drawhitch exec box-3 -- chmod -R u+rX /data/runs/r1/work/key.bin");
    CHECK(reason.give_up == std::vector<std::string>{"--lose", "/data/runs/r1/work/key.bin"});
}

TEST_CASE("giving up a live run takes its own name, and a run of another lease is asked about by that lease's box") {
    GateFacts facts = clear();
    facts.runs[0].verdict.kind = model::VerdictKind::running;
    facts.runs[0].units = {unit("a.pt", Standing::unproven)};
    facts.runs.push_back(facts.runs[0]);
    facts.runs[1].lease = "b1";
    facts.runs[1].work_dir = "/data/other/runs/r1/work";
    facts.runs[1].units[0].path = "/data/other/runs/r1/work/a.pt";
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 4);
    CHECK(gate.reasons[0].give_up == std::vector<std::string>{"--kill-run", "r1"});
    CHECK(gate.reasons[1].next == "drawhitch pull box-3 r1");
    CHECK(gate.reasons[2].subject == "b1/r1");
    CHECK(gate.reasons[2].next == "drawhitch watch b1 r1");
    CHECK(gate.reasons[2].give_up.empty());
    CHECK(gate.reasons[3].next == "drawhitch pull b1 r1");
    CHECK(gate.reasons[3].run == "b1/r1");
    // The other one is neither killed nor given up by the names of this one.
    facts.waivers = {{"/data/runs/r1/work/a.pt"}, {"r1"}, {}};
    CHECK(judge_gate(facts).reasons.size() == 2);
}

TEST_CASE("names of the box are shown escaped and typed quoted") {
    GateFacts facts = clear();
    facts.undeclared = {group("/data/a b\x1b[31m")};
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 1);
    CHECK(gate.reasons[0].text.find('\x1b') == std::string::npos);
    CHECK(gate.reasons[0].next.find("'box-3:/data/a b") != std::string::npos);
}

}  // namespace drawhitch::judge
