#include "core/judge/gate.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "gate_facts.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::judge {

namespace {

using model::VerdictKind;

// One thing that is wrong, the reason it must give, and the names that open the gate again (if names can).
struct Flaw {
    std::string reason{};
    std::string fact{};  // what it writes: two flaws of one fact replace each other
    std::function<void(GateFacts&)> make{};
    std::function<void(Waivers&)> name{};
    bool takes_units{false};  // its name gives up a whole work tree
};

std::vector<Flaw> flaws() {
    const auto lose = [](const std::string& path) { return [path](Waivers& w) { w.lose.push_back(path); }; };
    const auto accept = [](const std::string& rule) { return [rule](Waivers& w) { w.accept.push_back(rule); }; };
    const auto kill = [](Waivers& w) { w.kill_runs.emplace_back("r1"); };
    const auto verdict_is = [](VerdictKind kind) { return [kind](GateFacts& f) { f.runs[0].verdict.kind = kind; }; };
    std::vector<Flaw> list{
        {"host-identity", "identity", [](GateFacts& f) { f.identity = Identity::not_proven; }, {}},
        {"unreachable", "identity", [](GateFacts& f) { f.identity = Identity::unreachable; }, {}},
        {"stale", "age", [](GateFacts& f) { f.age = std::chrono::seconds{601}; }, {}},
        {"stale", "age", [](GateFacts& f) { f.age = std::chrono::seconds{-1}; }, {}},
        {"runs-unknown", "runs", [](GateFacts& f) { f.runs_known = false; }, {}},
        {"scan-incomplete", "scan", [](GateFacts& f) { f.tiers[0].scanned = false; }, accept("scan-incomplete:disk")},
        {"processes-unknown", "list", [](GateFacts& f) { f.processes_known = false; }, accept("processes-unknown")},
        {"process", "process", [](GateFacts& f) { f.processes = {process(77)}; }, accept("process:77")},
        {"code-unknown", "code", [](GateFacts& f) { f.runs[0].code = CodeState::unknown; }, accept("code-unknown:r1")},
        {"undeclared", "files", [](GateFacts& f) { f.undeclared = {group("/root/notes")}; }, lose("/root/notes")},
        {"no-mark", "mark", [](GateFacts& f) { f.mark_missing = true; }, accept("no-mark")},
        {"gone-earlier", "earlier",
         [](GateFacts& f) {
             f.earlier = {{3, "r1", "r1: 1 of 2 files is not proven"}};
         },
         accept("gone-earlier:3/r1")},
    };
    list.push_back({"not-looked-at", "run scan", [](GateFacts& f) { f.runs[0].scanned = false; },
                    lose("/data/runs/r1/work"), true});
    list.push_back({"unreadable", "files",
                    [](GateFacts& f) {
                        f.undeclared = {group("/root/secret")};
                        f.undeclared[0].unreadable = true;
                    },
                    lose("/root/secret")});
    list.push_back({"no-roster", "files",
                    [](GateFacts& f) {
                        f.runs[0].has_roster = false;
                        f.undeclared = {group("/data/runs/r1/work/out")};
                    },
                    lose("/data/runs/r1/work/out")});
    const std::vector<std::pair<Standing, std::string>> standings{
        {Standing::unproven, "not-pulled"},  {Standing::mislaid, "mislaid"},       {Standing::changed, "changed"},
        {Standing::unstable, "unstable"},    {Standing::incomplete, "incomplete"}, {Standing::broken, "broken"},
        {Standing::unknown, "not-looked-at"}};
    for (const auto& [standing, reason] : standings) {
        const std::string name = "x-" + std::string{name_of(standing)};
        list.push_back({reason, name,
                        [name, standing = standing](GateFacts& f) { f.runs[0].units.push_back(unit(name, standing)); },
                        lose("/data/runs/r1/work/" + name)});
    }
    list.push_back({"copy-dies", "x-copy-dies",
                    [](GateFacts& f) {
                        f.runs[0].units.push_back(unit("x-copy-dies", Standing::mislaid));
                        f.runs[0].units.back().copy_dies = true;
                    },
                    lose("/data/runs/r1/work/x-copy-dies")});
    for (const auto kind : {VerdictKind::queued, VerdictKind::starting, VerdictKind::running, VerdictKind::stalled,
                            VerdictKind::done_but_up})
        list.push_back({"run-live", "verdict", verdict_is(kind), kill});
    for (const auto kind : {VerdictKind::unknown, VerdictKind::unreachable})
        list.push_back({"run-unknown", "verdict", verdict_is(kind), kill});
    return list;
}

}  // namespace

TEST_CASE("a damaged unit closes the gate with the whole one that was received and saved before it") {
    GateFacts facts = clear();
    const auto add = [&](const std::string& name, Standing standing, std::int64_t saved) {
        facts.runs[0].units.push_back(unit(name, standing));
        facts.runs[0].units.back().saved = {saved, 0};
    };
    add("ckpt-1.pt", Standing::received, 100);
    add("ckpt-2.pt", Standing::survives, 200);
    add("ckpt-3.pt", Standing::unproven, 300);
    add("ckpt-4.pt", Standing::broken, 400);
    const Gate gate = judge_gate(facts);
    const auto reason = std::ranges::find(gate.reasons, "broken", &Reason::id);
    REQUIRE(reason != gate.reasons.end());
    CHECK(reason->text ==
          "r1: ckpt-4.pt was pulled, and its structure is damaged: the copy on the box is the bad one; "
          "ckpt-1.pt, saved before it, is whole");
}

TEST_CASE("the gate opens when all is proven, and asks yes or no") {
    const Gate gate = judge_gate(clear());
    CHECK(gate.open);
    CHECK(gate.reasons.empty());
    CHECK(gate.confirmation == Confirmation::yes_no);
    REQUIRE(gate.fates.size() == 1);
    CHECK(gate.fates[0].fate == Fate::dies_proven);
    CHECK(gate.fates[0].what == "r1: 2 files, 200 B with a proven copy");
}

TEST_CASE("the page about the gate names every reason there is, and no other") {
    const std::string page = support::read_file(support::source_dir() + "/docs/gate.md");
    std::string code{};
    for (const char* file : {"gate.cpp", "gate_runs.cpp", "gate_loose.cpp"})
        code += support::read_file(support::source_dir() + "/src/core/judge/" + file);
    std::set<std::string> explained{};
    for (std::size_t at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1)) {
        const std::size_t start = at + 4;
        explained.insert(page.substr(start, page.find('`', start) - start));
    }
    std::set<std::string> given{};
    const auto skip_blanks = [&code](std::size_t at) { return code.find_first_not_of(" \n", at); };
    for (const std::string call : {"close(", "find(", "say(", "close_run("}) {
        for (std::size_t at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
            std::size_t start = skip_blanks(at + call.size());
            if (code.substr(start, 4) == "run,") start = skip_blanks(start + 4);
            if (code[start] != '"') continue;
            given.insert(code.substr(start + 1, code.find('"', start + 1) - start - 1));
        }
    }
    given.erase("host-identity");  // the command ends with an error before it gets that far
    CHECK(explained == given);
    CHECK(given.size() >= 19);
}

TEST_CASE("facts nobody filled in leave the gate closed") {
    const Gate gate = judge_gate(GateFacts{});
    CHECK_FALSE(gate.open);
    CHECK(has_reason(gate, "unreachable"));
    CHECK(has_reason(gate, "runs-unknown"));
    GateFacts run_only = clear();
    run_only.runs = {GateRun{}};
    CHECK_FALSE(judge_gate(run_only).open);
}

TEST_CASE("each single flaw closes the gate with its own reason and a command to type") {
    for (const Flaw& flaw : flaws()) {
        GateFacts facts = clear();
        flaw.make(facts);
        const Gate gate = judge_gate(facts);
        CAPTURE(flaw.reason);
        CHECK_FALSE(gate.open);
        CHECK(has_reason(gate, flaw.reason));
        for (const Reason& reason : gate.reasons) {
            CHECK(reason.next.starts_with("drawhitch "));
            CHECK_FALSE(reason.text.empty());
        }
    }
}

TEST_CASE("a flaw is opened by its name alone, and then the box's name must be typed") {
    for (const Flaw& flaw : flaws()) {
        if (!flaw.name) continue;
        GateFacts facts = clear();
        flaw.make(facts);
        flaw.name(facts.waivers);
        const Gate gate = judge_gate(facts);
        CAPTURE(flaw.reason, gate.reasons.empty() ? "" : gate.reasons[0].text);
        CHECK(gate.open);
        CHECK(gate.confirmation == Confirmation::typed_name);
    }
}

TEST_CASE("what no name may open stays closed whatever is named") {
    for (const Flaw& flaw : flaws()) {
        if (flaw.name) continue;
        GateFacts facts = clear();
        flaw.make(facts);
        facts.waivers.accept = {flaw.reason, flaw.reason + ":box-3", flaw.reason + ":"};
        facts.waivers.lose = {"/"};
        facts.waivers.kill_runs = {"r1"};
        CAPTURE(flaw.reason);
        CHECK_FALSE(judge_gate(facts).open);
    }
}

TEST_CASE("flaws never mend each other: any two keep both reasons") {
    const auto all = flaws();
    for (const Flaw& one : all) {
        for (const Flaw& two : all) {
            if (one.fact == two.fact) continue;
            GateFacts facts = clear();
            one.make(facts);
            two.make(facts);
            const Gate gate = judge_gate(facts);
            CAPTURE(one.reason, two.reason);
            CHECK_FALSE(gate.open);
            CHECK(has_reason(gate, one.reason));
            CHECK(has_reason(gate, two.reason));
        }
    }
}

TEST_CASE("naming one flaw leaves every other one closed") {
    const auto all = flaws();
    long pairs = 0;
    for (const Flaw& one : all) {
        for (const Flaw& two : all) {
            // Two flaws that write one fact cannot be there together; a work tree that is given up takes its units
            // along.
            if (!one.name || one.fact == two.fact || one.takes_units) continue;
            GateFacts facts = clear();
            two.make(facts);
            one.make(facts);
            one.name(facts.waivers);
            CAPTURE(one.reason, two.reason);
            CHECK_FALSE(judge_gate(facts).open);
            ++pairs;
        }
    }
    CHECK(pairs > 200);
}

TEST_CASE("a name that meets nothing keeps the gate closed") {
    for (const auto& name : std::vector<std::function<void(Waivers&)>>{
             [](Waivers& w) { w.lose = {"/data/runs/r1/wrok"}; }, [](Waivers& w) { w.kill_runs = {"r9"}; },
             [](Waivers& w) { w.accept = {"process:78"}; }}) {
        GateFacts facts = clear();
        name(facts.waivers);
        const Gate gate = judge_gate(facts);
        CHECK_FALSE(gate.open);
        CHECK(has_reason(gate, "no-such-name"));
    }
}

TEST_CASE("a name that was at stake once is no slip of the pen") {
    GateFacts facts = clear();
    facts.waivers.lose = {"/root/notes", "/root/nots"};
    facts.named_before = {"/root/notes"};
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 1);
    CHECK(gate.reasons[0].subject == "/root/nots");
    CHECK(gate.remarks ==
          std::vector<std::string>{"--lose /root/notes is not needed any more: it was at stake before"});
    facts.waivers.lose = {"/root/notes"};
    CHECK(judge_gate(facts).open);
    // It is no licence for anything: what is at stake is still asked about.
    facts.undeclared = {group("/root/other")};
    CHECK_FALSE(judge_gate(facts).open);
}

TEST_CASE("of a box that does not answer both ways out are told, and no name is called wrong") {
    GateFacts facts = clear();
    facts.identity = Identity::unreachable;
    facts.runs.clear();
    facts.tiers.clear();
    facts.elsewhere = "drawhitch adopt box-3 ssh -p PORT root@203.0.113.7";
    facts.waivers.lose = {"/root/notes"};
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 1);
    CHECK(gate.reasons[0].id == "unreachable");
    CHECK(gate.reasons[0].ways == std::vector<Way>{{"it has ended", "drawhitch lease close box-3"},
                                                   {"it answers at another port or address now", facts.elsewhere}});
    CHECK(gate.again == "drawhitch down box-3 --lose /root/notes");
}

TEST_CASE("of a run declared scratch all that dies is one line") {
    GateFacts facts = clear();
    facts.runs[0].scratch = true;
    facts.runs[0].units.clear();
    for (const char* name : {"a", "b", "c", "d"})
        facts.runs[0].units.push_back(unit(name, Standing::unproven));
    const Gate gate = judge_gate(facts);
    CHECK(gate.open);
    REQUIRE(std::ranges::count(gate.fates, Fate::dies_declared, &FateLine::fate) == 1);
    CHECK(std::ranges::find(gate.fates, Fate::dies_declared, &FateLine::fate)->what ==
          "r1: a, b, c and 1 more (4 files, 400 B), scratch");
}

TEST_CASE("a name given for what is safe anyway does no harm") {
    GateFacts facts = clear();
    facts.waivers.lose = {"/data/runs/r1/work/ckpt/a.pt"};
    facts.waivers.kill_runs = {"r1"};
    const Gate gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.confirmation == Confirmation::yes_no);
}

TEST_CASE("a name reaches what lies below it by component, not by prefix") {
    GateFacts facts = clear();
    facts.undeclared = {group("/data2")};
    facts.waivers.lose = {"/data"};
    CHECK_FALSE(judge_gate(facts).open);
    facts.undeclared = {group("/data/x/y")};
    CHECK(judge_gate(facts).open);
}

TEST_CASE("a name above a run's directory does not give up what the run must leave behind") {
    GateFacts facts = clear();
    facts.runs[0].units.push_back(unit("best.pt", Standing::unproven));
    facts.undeclared = {group("/data")};
    for (const char* above : {"/", "/data", "/data/runs"}) {
        facts.waivers.lose = {above};
        const Gate gate = judge_gate(facts);
        CHECK_FALSE(gate.open);
        CHECK(has_reason(gate, "not-pulled"));
    }
    facts.waivers.lose = {"/data/runs/r1", "/data"};
    CHECK(judge_gate(facts).open);
}

TEST_CASE("a name above a run without a roster does not give up its files") {
    GateFacts facts = clear();
    facts.runs[0].has_roster = false;
    facts.undeclared = {group("/data/runs/r1/work/out")};
    facts.waivers.lose = {"/data/runs"};
    CHECK(has_reason(judge_gate(facts), "undeclared"));
    CHECK(has_reason(judge_gate(facts), "no-roster"));
    facts.waivers.lose = {"/data/runs/r1/work/out"};
    CHECK(judge_gate(facts).open);
}

TEST_CASE("what the roster names and no pull can bring is told, and a link out of the run closes the gate") {
    GateFacts facts = clear();
    const std::string work = "/data/runs/r1/work/";
    using model::RosterClass;
    facts.runs[0].no_files = {{work + "last.pt", "link", "a.pt", RosterClass::must, false},
                              {work + "sock", "socket", "", RosterClass::must, false},
                              {work + "plots", "link", "/scratch/plots", RosterClass::nice, true}};
    Gate gate = judge_gate(facts);
    CHECK(gate.open);
    REQUIRE(gate.remarks.size() == 3);
    CHECK(gate.remarks[0] == "r1: last.pt is a link to a.pt: only files are pulled");
    CHECK(gate.remarks[1] == "r1: sock is a socket: only files are pulled");
    facts.runs[0].no_files.push_back({work + "ckpt", "link", "/scratch/ckpt", RosterClass::must, true});
    gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 1);
    CHECK(gate.reasons[0].id == "not-pullable");
    CHECK(gate.reasons[0].text.find("ckpt is a link to /scratch/ckpt") != std::string::npos);
    CHECK(gate.reasons[0].next == "drawhitch down box-3 --lose " + work + "ckpt");
    facts.waivers.lose = {work + "ckpt"};
    gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.confirmation == Confirmation::typed_name);
}

TEST_CASE("accepting a process does not accept another one") {
    GateFacts facts = clear();
    facts.processes = {process(77), process(770)};
    facts.waivers.accept = {"process:77"};
    const Gate gate = judge_gate(facts);
    REQUIRE(gate.reasons.size() == 1);
    CHECK(gate.reasons[0].subject == "770");
    facts.waivers.accept = {"process"};
    CHECK_FALSE(judge_gate(facts).open);
}

TEST_CASE("units that are nice to have or scratch may die, and are told about") {
    GateFacts facts = clear();
    facts.runs[0].units.push_back(unit("plots", Standing::unproven, model::RosterClass::nice));
    Gate gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.confirmation == Confirmation::typed_name);
    facts = clear();
    facts.runs[0].units.push_back(unit("tmp", Standing::unknown, model::RosterClass::scratch));
    gate = judge_gate(facts);
    CHECK(gate.open);
    CHECK(gate.confirmation == Confirmation::yes_no);
    CHECK(gate.fates[0].what == "r1: tmp (1 file, 100 B), scratch");
}

TEST_CASE("a run declared scratch as a whole needs no roster and no scan, but must have ended") {
    GateFacts facts = clear();
    GateRun& run = facts.runs[0];
    run.has_roster = run.scanned = false;
    run.scratch = true;
    run.units = {unit("x", Standing::unproven)};
    CHECK(judge_gate(facts).open);
    run.verdict.kind = VerdictKind::running;
    CHECK_FALSE(judge_gate(facts).open);
}

TEST_CASE("a run without a roster never opens the gate by itself, only by names") {
    GateFacts facts = clear();
    facts.runs[0].has_roster = false;
    const Gate closed = judge_gate(facts);  // all is pulled, and nobody said that this is all
    REQUIRE(closed.reasons.size() == 1);
    CHECK(closed.reasons[0].id == "no-roster");
    CHECK(closed.reasons[0].next == "drawhitch pull box-3 r1 --out '**'");
    facts.waivers.lose = {"/data/runs/r1/work"};
    CHECK(judge_gate(facts).open);
    facts.runs[0].units[1].standing = Standing::unproven;
    CHECK(judge_gate(facts).open);
    facts.waivers.lose = {"/data/runs/r1/work/ckpt"};
    CHECK(has_reason(judge_gate(facts), "no-roster"));
    facts.runs[0].units[1].standing = Standing::received;
    CHECK(judge_gate(facts).open);
    facts.undeclared = {group("/data/runs/r1")};  // joined with its neighbours
    CHECK(has_reason(judge_gate(facts), "no-roster"));
}

TEST_CASE("a run that is killed takes the end of its own log along, and nothing else") {
    GateFacts facts = clear();
    GateRun& run = facts.runs[0];
    run.verdict.kind = VerdictKind::running;
    run.units[1].standing = Standing::unstable;
    run.units[1].record = true;
    CHECK_FALSE(judge_gate(facts).open);
    facts.waivers.kill_runs = {"r1"};
    CHECK(judge_gate(facts).open);
    run.units[0].standing = Standing::unstable;
    CHECK(has_reason(judge_gate(facts), "unstable"));
    run.units[0].standing = Standing::received;
    // Once it has ended, the name alone gives up nothing any more, unless this teardown killed it.
    run.verdict.kind = VerdictKind::failed;
    CHECK(has_reason(judge_gate(facts), "unstable"));
    run.killed = true;
    CHECK(judge_gate(facts).open);
    CHECK(judge_gate(facts).confirmation == Confirmation::typed_name);
}

}  // namespace drawhitch::judge
