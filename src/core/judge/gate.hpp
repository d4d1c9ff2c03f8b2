// The gate: whether an irreversible verb may run (docs/gate.md). Pure: facts in, a decision with its reasons out. What
// is unknown is never fine. It opens by proof, or by names: data given up with --lose, a live run with --kill-run, a
// finding with --accept. No flag opens it as a whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/judge/coverage.hpp"
#include "core/judge/undeclared.hpp"
#include "core/model/box_process.hpp"
#include "core/model/run.hpp"

namespace drawhitch::judge {

// What the endpoint that answers is, as proven at that moment.
enum class Identity {
    proven,       // it holds a pinned host key (and the root's mark, where there is one)
    not_proven,   // another key, another mark
    unreachable,  // nothing answered
};

enum class CodeState {
    same,       // the release on the box has the recorded tree hash
    different,  // it has another one
    none,       // the run was launched without code
    unknown,    // could not be hashed
};

// Wanted by the roster, and no regular file.
struct NoFile {
    std::string path{};    // absolute on the box
    std::string kind{};    // "link", "pipe", "socket", "device"
    std::string target{};  // of a link, as it stands there
    model::RosterClass wanted{model::RosterClass::must};
    bool leads_out{false};  // a link to something that dies and is judged by no roster of the run
};

struct GateRun {
    // Of another open lease of the same machine, by its box's name: what ends the machine ends its runs, too. Empty: of
    // the lease that is to end.
    std::string lease{};
    std::string name{};
    model::Verdict verdict{};
    bool has_roster{false};   // some pattern was declared
    bool scratch{false};      // declared as a whole: nobody needs its outputs
    bool never_began{false};  // claimed, and its launch was interrupted before it began
    bool killed{false};       // by this teardown, after it was named with --kill-run
    bool scanned{false};      // `units` is complete
    bool vanished{false};     // its directory is gone from the box, although the project's root is there
    // With `vanished`, and where nothing dies: what the ledger knows to be unproven, in words; empty: nothing.
    std::string unproven{};
    bool left_nothing{false};           // judge/results.hpp
    std::string work_dir{};             // absolute on the box
    std::vector<UnitStanding> units{};  // the log and the roster's; without a roster its files are undeclared ones
    std::vector<NoFile> no_files{};     // what the roster names and no pull can bring
    CodeState code{CodeState::unknown};
    std::string code_recorded{};
    std::string code_found{};
};

// A run of a lease that has ended, which may still lie on the box: its files are asked about, and can still be pulled.
struct OldRun {
    std::string lease{};  // as a command takes it: "b1@3"
    std::string name{};
    std::string work_dir{};  // absolute on the box
};

// One storage tier under the verb.
struct GateTier {
    std::string name{};
    std::string path{};
    bool destroyed{false};
    bool scanned{false};  // every entry was seen, or told about as unreadable
    bool bills_after{false};
    std::optional<double> price_month{};  // for the whole tier
};

struct GateVerb {
    std::string name{};   // "terminate"
    bool has_api{false};  // false: the user does it by hand, so the meter runs on until then
    bool stops_compute{true};
    bool costs{true};  // false: the machine is the user's own, and ending the lease stops no meter
    std::vector<std::string> leaves_billing{};  // side meters, in words
};

// A run of a lease that has ended, which lay under the same root: what it left is gone, and was neither proven nor
// given up when that lease ended.
struct EarlierRun {
    std::int64_t lease{0};
    std::string name{};
    std::string unproven{};  // what of it, in words
};

// What the user gave up by name.
struct Waivers {
    std::vector<std::string> lose{};  // clean absolute paths on the box
    // Names of runs. A run that is killed goes on writing its log to the end, so what no pull has of its log and record
    // is given up with it; its results are not.
    std::vector<std::string> kill_runs{};
    std::vector<std::string> accept{};  // rules: the id of a reason, or id:subject
};

struct GateFacts {
    std::string box{};
    std::string home{};  // the login user's; may be empty
    Identity identity{Identity::unreachable};
    std::string elsewhere{};      // the command that says where it answers now; empty: it cannot have moved
    bool is_here{false};          // the box is this very machine
    bool mark_missing{false};     // the lease's mark was under the root, and is not there now
    std::chrono::seconds age{0};  // of the oldest of these facts
    GateVerb verb{};
    std::vector<GateTier> tiers{};
    bool runs_known{false};  // `runs` has every run of the lease, and of the other open ones there
    std::vector<GateRun> runs{};
    std::vector<EarlierRun> earlier{};
    std::vector<OldRun> old_runs{};
    std::vector<UndeclaredGroup> undeclared{};
    std::vector<GivenUp> given_up{};  // what --lose covered among undeclared files
    bool processes_known{false};
    std::vector<model::BoxProcess> processes{};  // of ours, owned by no run
    std::optional<double> price_hour{};
    std::string currency{"USD"};
    std::vector<std::string> notes{};  // for the plan; they decide nothing
    Waivers waivers{};
    std::vector<std::string> named_before{};  // those of the waivers that were at stake once, as the ledger knows
};

// Facts older than this are not "checked at that moment".
inline constexpr std::chrono::seconds k_gate_facts_fresh{600};

// One more way on, which only a person can choose.
struct Way {
    std::string when{};     // "it has ended"
    std::string command{};  // to type then
    bool operator==(const Way&) const = default;
};

// Why the gate is closed. `id` is stable and is what --accept names, where it can be accepted.
struct Reason {
    std::string id{};
    std::string subject{};  // a run, path or pid; may be empty
    std::string text{};     // one line
    std::string next{};     // the exact command to type; it saves or waits where anything can be saved or waited for
    std::vector<std::string> further{};  // commands beside it, where it takes one for each file
    std::string instead{};               // for who does not want to wait; may be empty
    bool acceptable{false};
    // For whoever shows many reasons in few lines.
    std::string run{};                   // the run it is about ("r1", of another lease "b1/r1"); empty: the box
    std::string item{};                  // what it is about, in a list of such things
    std::uint64_t files{0};              // of undeclared ones
    std::uint64_t bytes{0};              //
    std::vector<NamedFile> listed{};     // undeclared files by name, if not too many
    std::vector<std::string> give_up{};  // flag and word, over and over: what would open it by name; empty: nothing
    std::vector<Way> ways{};             // besides `next`
    // The directory of the run, where that run has ended: several --lose words within it may be told as the one
    // directory above them, for all that is at stake below it stands among the reasons. Empty: each word by itself.
    std::string within{};
    bool operator==(const Reason&) const = default;
};

enum class Fate {
    dies_proven,    // a copy stands elsewhere
    dies_given_up,  // named by the user
    dies_declared,  // scratch, or `nice` and not pulled
    survives,
};
struct FateLine {
    Fate fate{Fate::survives};
    std::string what{};
};

// What goes on costing.
struct Billing {
    std::string what{};
    std::optional<double> per_day{};
    std::optional<double> per_month{};
    bool in_words{false};  // the profile's own words, which have no price
};

enum class Confirmation {
    yes_no,      // all that dies is proven or declared
    typed_name,  // something unproven dies
};

struct Gate {
    bool open{false};
    bool nothing_dies{false};  // the verb destroys no tier: what is not pulled stays where it is
    std::vector<Reason> reasons{};
    std::string again{};  // the command for another try, with every name that met something
    std::vector<FateLine> fates{};
    std::vector<Billing> billing{};
    std::vector<std::string> remarks{};  // shown before the question; they close nothing
    Confirmation confirmation{Confirmation::typed_name};
};

Gate judge_gate(const GateFacts& facts);

// The rule that accepts the loss of an earlier run: "gone-earlier:LEASE/RUN".
std::string rule_of(const EarlierRun& run);

}  // namespace drawhitch::judge
