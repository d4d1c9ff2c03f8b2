#include "flow/down/collect.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "core/judge/processes.hpp"
#include "core/judge/tier_map.hpp"
#include "core/parse/survey.hpp"
#include "core/plan/survey_script.hpp"
#include "flow/down/copied.hpp"
#include "flow/down/explain_releases.hpp"
#include "flow/down/named_before.hpp"
#include "flow/down/others.hpp"
#include "flow/down/own_state.hpp"
#include "flow/down/run_standing.hpp"
#include "flow/down/tier_scan.hpp"
#include "flow/endpoint_of.hpp"
#include "flow/kept_copies.hpp"
#include "flow/overview.hpp"
#include "flow/push.hpp"
#include "flow/root_mark.hpp"
#include "flow/run/claim.hpp"
#include "flow/same_machine.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

using judge::Explained;

constexpr milliseconds k_survey_patience{60'000};
// Between adopting a box and looking at its clock some seconds passed, in which nobody worked there.
constexpr std::int64_t k_clock_slack = 5;

// What one connection for scripts tells: how the runs stand and which processes live.
struct Talk {
    std::vector<RunView> views{};
    bool runs_known{false};
    model::ProcessSurvey survey{};
};

class Collector {
  public:
    Collector(Deps& deps, const model::Lease& lease, const model::Profile& profile, const judge::Waivers& waivers)
        : deps_(deps), lease_(lease), profile_(profile) {
        collected_.facts.box = lease.name;
        collected_.facts.waivers = waivers;
        collected_.facts.price_hour = lease.price_hour;
        collected_.facts.currency = lease.currency;
        collected_.facts.elsewhere = adopt_elsewhere(lease);
    }

    Result<Collected> go(const Op& op);

  private:
    Result<Talk> talk(const Op& op);
    Status look(const Op& op, const Talk& talk);
    judge::Explanations explanations(const Talk& talk) const;
    void explain_root(const model::Lease& lease, judge::Explanations& why) const;
    Status explain_secrets(judge::Explanations& why) const;
    Status look_at_runs(const Op& op, BoxRoots& roots, const judge::TierMap& tiers, const Talk& talk,
                        judge::Explanations& why);
    Status judge_processes(const Talk& talk, const judge::TierMap& tiers);
    void fill_verb(const model::MeterVerb& verb);
    Status find_earlier();
    Result<bool> was_here(const model::Lease& other) const;
    Status note_elsewhere(const model::Lease& other);
    Status note_ended(const Op& op, transport::Transport& transport);
    Status look_at_mark(const Op& op, BoxRoots& roots);
    Status miss_earlier(const Op& op, BoxRoots& roots, DyingPlaces& dying);
    Status explain_earlier(const Op& op, RunStanding& standing, judge::Explanations& why) const;

    Deps& deps_;
    const model::Lease& lease_;
    const model::Profile& profile_;
    WallTime began_{};                     // of the first lease that worked under this root, or works on this machine
    std::vector<LeaseBeside> beside_{};    // open leases that may be about this machine
    std::vector<OtherLease> others_{};     // those of them that are
    std::vector<model::Lease> ended_{};    // under other roots, of machines with other keys
    std::vector<model::Run> elsewhere_{};  // of ended leases, under other roots of this machine
    bool inherited_{false};                // somebody whom this ledger does not know had worked under the root before
    std::vector<std::int64_t> leases_{};   // this one, and those before it under this root
    std::vector<model::Run> earlier_{};    // runs of other leases, which lie under this root
    std::vector<model::Run> replaced_{};   // of other leases, whose directory a run of this lease has now
    Collected collected_{};
};

// The mark under the root is handed on when a box is adopted again. What an ended lease left there is not older than
// this one: it dies unseen unless it is looked at, and what was lost of it unseen is told.
Status Collector::find_earlier() {
    began_ = lease_.began;
    leases_ = {lease_.id};
    TRY_ASSIGN(beside_, open_beside(deps_.ledger, lease_));
    const auto is_beside = [this](const model::Lease& other) {
        return std::ranges::any_of(beside_, [&](const LeaseBeside& open) { return open.lease.id == other.id; });
    };
    TRY_ASSIGN(inherited_, root_was_inherited(deps_.ledger, lease_));
    if (lease_.root_nonce.empty()) return ok();
    TRY_ASSIGN(const auto leases, deps_.ledger.leases(ledger::Which::all));
    for (const model::Lease& other : leases) {
        if (other.id == lease_.id || is_beside(other)) continue;
        TRY_ASSIGN(const bool here, was_here(other));
        if (!here) {
            TRY(note_elsewhere(other));
            continue;
        }
        leases_.push_back(other.id);
        TRY_ASSIGN(const bool inherited, root_was_inherited(deps_.ledger, other));
        inherited_ = inherited_ || inherited;
        if (other.root_nonce == lease_.root_nonce) began_ = std::min(began_, other.began);
        TRY_ASSIGN(const auto runs, deps_.ledger.runs(other.id));
        for (const model::Run& run : runs) {
            const auto same_place = std::ranges::find_if(
                collected_.runs, [&](const model::Run& mine) { return mine.spec.run_dir == run.spec.run_dir; });
            if (same_place == collected_.runs.end()) {
                earlier_.push_back(run);
                collected_.facts.old_runs.push_back(
                    {other.name + "@" + std::to_string(other.id), run.spec.name, run.spec.work_dir});
            }
            // A claim that never began may be refused there: then the name is still the other's.
            if (same_place != collected_.runs.end() && same_place->identity.pid != 0) replaced_.push_back(run);
        }
    }
    return ok();
}

// What an ended lease left under another root was its own to decide about: it is known, and no more than that.
Status Collector::note_elsewhere(const model::Lease& other) {
    TRY_ASSIGN(const bool same, same_machine(deps_.ledger, lease_, other));
    if (!same) {
        ended_.push_back(other);
        return ok();
    }
    TRY_ASSIGN(const auto runs, deps_.ledger.runs(other.id));
    elsewhere_.insert(elsewhere_.end(), runs.begin(), runs.end());
    return ok();
}

// One disk may have been reached by many keys: under a root the mark tells whose it was.
Status Collector::note_ended(const Op& op, transport::Transport& transport) {
    TRY_ASSIGN(const auto here, carry_marks(op, ended_, transport));
    for (std::size_t i = 0; i < ended_.size(); ++i) {
        if (!here[i]) continue;
        TRY_ASSIGN(const auto runs, deps_.ledger.runs(ended_[i].id));
        elsewhere_.insert(elsewhere_.end(), runs.begin(), runs.end());
    }
    return ok();
}

// Whether the other lease worked under this root of this machine: the mark says so, or, where the root was made anew
// since, its place and the machine's key.
Result<bool> Collector::was_here(const model::Lease& other) const {
    if (other.root_nonce == lease_.root_nonce) return true;
    if (other.state != model::LeaseState::closed || other.root != lease_.root) return false;
    return same_machine(deps_.ledger, lease_, other);
}

// The root must be the one we know, or nothing that is not there may be taken for gone.
Status Collector::look_at_mark(const Op& op, BoxRoots& roots) {
    const auto mark = roots.mark(op);
    if (!mark && ends_the_look(mark.error())) return mark.error();
    if (mark && *mark == RootMark::foreign) {
        return Error{Code::host_key,
                     "the project's directory on " + lease_.name + " carries another lease's mark; nothing was changed"}
            .because(printable(lease_.root) + " was made by another adopt")
            .then("drawhitch doctor " + shell_word(lease_.name));
    }
    collected_.facts.mark_missing = !mark || *mark == RootMark::missing;
    return ok();
}

// What is gone of them, and was never proven nor given up.
Status Collector::miss_earlier(const Op& op, BoxRoots& roots, DyingPlaces& dying) {
    std::vector<model::Run> missed = replaced_;
    for (const model::Run& run : earlier_) {
        TRY(op.check());
        const auto root = roots.open(op, run.spec.run_dir);
        if (!root && ends_the_look(root.error())) return root.error();
        if (!root && root.error().code == Code::not_found) missed.push_back(run);
    }
    for (const model::Run& run : missed) {
        TRY_ASSIGN(const bool given_up, was_given_up(deps_.ledger, run.lease, run.spec.name));
        if (given_up) continue;
        TRY_ASSIGN(const auto manifest, deps_.ledger.latest_manifest(run.id));
        TRY_ASSIGN(const KeptCopies kept, kept_copies(op, deps_.ledger, run.id, CopyCheck::thorough, &dying));
        const auto risk = risk_of(run, manifest, kept.here);
        if (risk) collected_.facts.earlier.push_back({run.lease, run.spec.name, risk->reason});
    }
    return ok();
}

// What their receipts hold is explained; the rest is as undeclared as any other file.
Status Collector::explain_earlier(const Op& op, RunStanding& standing, judge::Explanations& why) const {
    for (const model::Run& run : earlier_) {
        TRY(op.check());
        TRY_ASSIGN(const judge::GateRun found, standing.look(op, {run, run.verdict, std::nullopt}, why));
        for (const judge::UnitStanding& unit : found.units) {
            if (judge::is_covered(unit.standing) || unit.wanted != model::RosterClass::must) continue;
            std::erase_if(why.files, [&](const auto& entry) { return judge::is_inside(entry.first, unit.path); });
        }
        why.runs.push_back(run.spec.run_dir);
    }
    return ok();
}

void Collector::fill_verb(const model::MeterVerb& verb) {
    judge::GateVerb& gate = collected_.facts.verb;
    gate.name = "terminate";
    gate.has_api = false;
    gate.stops_compute = std::ranges::find(verb.stops, model::Meter::compute) != verb.stops.end();
    gate.leaves_billing = verb.leaves_billing;
    gate.costs = !verb.stops.empty();
}

// One connection: the verdicts of all runs, and the processes of ours.
Result<Talk> Collector::talk(const Op& op) {
    Talk talk{};
    TRY_ASSIGN(auto transport, deps_.connector.to(op, lease_));
    if (collected_.runs.empty()) {
        talk.runs_known = true;
    } else {
        auto views = poll_runs(op, deps_, lease_, collected_.runs, {.over = transport.get()});
        if (!views) return std::move(views).error();
        talk.runs_known = views->size() == collected_.runs.size();
        talk.views = std::move(*views);
    }
    TRY_ASSIGN(others_, look_at_others(op, deps_, beside_, *transport));
    TRY(note_ended(op, *transport));
    for (const OtherLease& other : others_) {
        began_ = std::min(began_, other.lease.began);
        leases_.push_back(other.lease.id);
        talk.runs_known = talk.runs_known && other.runs_known;
    }
    plan::SurveySpec spec{};
    spec.nonce = random_hex(8);
    // Clocks differ: a day more is asked for, and cut off when the box's clock is known. Where somebody else worked
    // before, his run may be alive still.
    spec.since = inherited_ ? 0 : began_.seconds - 86'400;
    const auto answer =
        transport::run_script(op.within(k_survey_patience), *transport, plan::survey_script(spec), {}, {});
    if (!answer && !is_unreachable(answer.error()) && answer.error().code != Code::deadline) return answer.error();
    if (answer) talk.survey = parse::survey(answer->out, spec.nonce);
    return talk;
}

void Collector::explain_root(const model::Lease& lease, judge::Explanations& why) const {
    if (lease.root.empty()) return;
    const std::string& root = lease.root;
    why.written.push_back(root);
    for (const std::string_view name : {k_current, std::string_view{"lease-nonce"}})
        why.files[root + "/" + std::string{name}] = Explained::ours;
    if (!lease.helper_path.empty()) why.files[lease.helper_path] = Explained::ours;
}

Status Collector::explain_secrets(judge::Explanations& why) const {
    std::vector<std::int64_t> leases{lease_.id};
    for (const OtherLease& other : others_)
        leases.push_back(other.lease.id);
    for (const std::int64_t lease : leases) {
        TRY_ASSIGN(const auto files, deps_.ledger.volatile_files(lease));
        for (const ledger::VolatileFile& file : files)
            why.files[file.path] = Explained::ours;
    }
    return ok();
}

judge::Explanations Collector::explanations(const Talk& talk) const {
    judge::Explanations why{};
    why.home = talk.survey.home;
    why.given_up = collected_.facts.waivers.lose;
    const std::int64_t ahead = talk.survey.now.seconds - collected_.looked_at.seconds;
    why.since = began_;
    if (talk.survey.complete) why.since.seconds += ahead;
    why.since.seconds -= k_clock_slack;
    explain_root(lease_, why);
    for (const OtherLease& other : others_)
        explain_root(other.lease, why);
    if (inherited_) why.inherited.push_back(lease_.root);
    for (const auto* runs : {&collected_.runs, &elsewhere_})
        for (const model::Run& run : *runs)
            why.runs.push_back(run.spec.run_dir);
    for (const OtherLease& other : others_)
        for (const RunView& view : other.views)
            why.runs.push_back(view.run.spec.run_dir);
    return why;
}

Status Collector::judge_processes(const Talk& talk, const judge::TierMap& tiers) {
    collected_.facts.processes_known = talk.survey.complete;
    judge::ProcessPolicy policy{};
    policy.since = began_;
    policy.since.seconds += talk.survey.now.seconds - collected_.looked_at.seconds - k_clock_slack;
    policy.wiped = tiers.wiped();
    policy.surviving = tiers.surviving();
    std::vector<const RunView*> views{};
    for (const RunView& view : talk.views)
        views.push_back(&view);
    for (const OtherLease& other : others_)
        for (const RunView& view : other.views)
            views.push_back(&view);
    for (const RunView* view : views) {
        // Not asked about: the claim's token is in the environment of all that the run started.
        if (!view->facts) {
            TRY_ASSIGN(const std::string token, known_token(deps_.ledger, view->run.lease, view->run.spec.name));
            if (!token.empty()) policy.tokens.push_back(token);
            continue;
        }
        const model::RunFacts& facts = *view->facts;
        if (facts.start) policy.tokens.push_back(facts.start->token);
        for (const model::ProcessFacts& member : facts.members)
            policy.owned.push_back(member.pid);
        const auto& wrapper = facts.at_wrapper_pid;
        if (facts.start && wrapper && wrapper->start_ticks == facts.start->wrapper_ticks)
            policy.owned.push_back(wrapper->pid);
    }
    collected_.facts.processes = judge::unowned(talk.survey.processes, policy);
    return ok();
}

// The lease's own runs, and those of the other leases that end with the machine.
Status Collector::look_at_runs(const Op& op, BoxRoots& roots, const judge::TierMap& tiers, const Talk& talk,
                               judge::Explanations& why) {
    RunStanding standing{deps_, roots, lease_, tiers, profile_.paths.scratch};
    for (const RunView& view : talk.views) {
        TRY(op.check());
        TRY_ASSIGN(judge::GateRun run, standing.look(op, view, why));
        collected_.facts.runs.push_back(std::move(run));
    }
    TRY(explain_earlier(op, standing, why));
    if (tiers.dies(lease_.root)) TRY(explain_releases(op, deps_, roots, lease_, leases_, why));
    for (const OtherLease& other : others_) {
        RunStanding its{deps_, roots, other.lease, tiers, profile_.paths.scratch};
        for (const RunView& view : other.views) {
            TRY(op.check());
            TRY_ASSIGN(judge::GateRun run, its.look(op, view, why));
            run.lease = other.lease.name;
            collected_.facts.runs.push_back(std::move(run));
        }
        if (other.lease.root != lease_.root && tiers.dies(other.lease.root))
            TRY(explain_releases(op, deps_, roots, other.lease, leases_, why));
    }
    return ok();
}

// The long look over the helper: runs first, because they explain files, then the tiers.
Status Collector::look(const Op& op, const Talk& talk) {
    judge::GateFacts& facts = collected_.facts;
    const model::MeterVerb* verb = model::find_verb(profile_, model::Verb::terminate);
    if (verb == nullptr) return Error{Code::config, "the profile of " + lease_.name + " does not say how it ends"};
    const judge::TierMap tiers{profile_, *verb, talk.survey.home};
    judge::Explanations why = explanations(talk);
    TRY(explain_secrets(why));
    facts.runs_known = talk.runs_known;
    facts.home = talk.survey.home;
    if (!tiers.any_dies()) {
        for (const RunView& view : talk.views) {
            judge::GateRun run{};
            run.name = view.run.spec.name;
            run.verdict = view.verdict;
            TRY_ASSIGN(const auto manifest, deps_.ledger.latest_manifest(view.run.id));
            TRY_ASSIGN(const KeptCopies kept, kept_copies(op, deps_.ledger, view.run.id, CopyCheck::quick));
            if (const auto risk = risk_of(view.run, manifest, kept.here)) run.unproven = risk->reason;
            run.never_began = view.never_began;
            facts.runs.push_back(std::move(run));
        }
        for (const judge::Tier& tier : tiers.tiers())
            facts.tiers.push_back({tier.name, tier.path, false, false, tier.bills_after, {}});
        facts.identity = judge::Identity::proven;
        return ok();
    }
    TRY(judge_processes(talk, tiers));
    BoxRoots roots{deps_, lease_};
    TRY(roots.connect(op));
    facts.identity = judge::Identity::proven;
    TRY(look_at_mark(op, roots));
    TRY(look_at_runs(op, roots, tiers, talk, why));
    TRY_ASSIGN(const Copied copied, read_copied(op, deps_, leases_));
    DyingPlaces dying{lease_, tiers};
    facts.is_here = dying.is_this_machine();
    TRY_ASSIGN(facts.notes, explain_copied(op, roots, {tiers, dying, !deps_.dry_run}, copied, why));
    TRY(miss_earlier(op, roots, dying));
    judge::Undeclared undeclared{why};
    TierScan scan{roots, tiers, talk.survey.home, undeclared};
    const auto unplaced = tiers.unplaced();
    for (const judge::Tier& tier : tiers.tiers()) {
        judge::GateTier row{tier.name, tier.path, tier.destroyed, false, tier.bills_after, {}};
        if (tier.destroyed && std::ranges::find(unplaced, tier.name) == unplaced.end()) {
            const Activity looking{op.events, "looking at " + tier.name};
            TRY_ASSIGN(row.scanned, scan.look(op, tier));
        }
        facts.tiers.push_back(std::move(row));
    }
    TRY(check_own_state(op, roots, undeclared));
    facts.undeclared = undeclared.groups();
    facts.given_up = undeclared.given_up();
    return ok();
}

Result<Collected> Collector::go(const Op& op) {
    collected_.looked_at = op.clock.wall();
    TRY_ASSIGN(collected_.runs, deps_.ledger.runs(lease_.id));
    TRY(find_earlier());
    if (const auto* verb = model::find_verb(profile_, model::Verb::terminate)) fill_verb(*verb);
    auto told = talk(op);
    const Status looked = told ? look(op, *told) : Status{told.error()};
    if (!looked && !is_unreachable(looked.error())) return looked.error();
    if (!looked) {
        op.warn(looked.error().message);
        collected_.facts.identity = judge::Identity::unreachable;
    }
    std::vector<std::string> names = collected_.facts.waivers.lose;
    for (const auto* more : {&collected_.facts.waivers.kill_runs, &collected_.facts.waivers.accept})
        names.insert(names.end(), more->begin(), more->end());
    TRY_ASSIGN(collected_.facts.named_before, named_before(deps_.ledger, lease_, collected_.runs, names));
    collected_.facts.age = std::chrono::seconds{op.clock.wall().seconds - collected_.looked_at.seconds};
    return std::move(collected_);
}

}  // namespace

Result<Collected> collect(const Op& op, Deps& deps, const model::Lease& lease, const model::Profile& profile,
                          const judge::Waivers& waivers) {
    return Collector{deps, lease, profile, waivers}.go(op);
}

}  // namespace drawhitch::flow
