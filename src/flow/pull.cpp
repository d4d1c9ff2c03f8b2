#include "flow/pull.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "core/plan/crew_size.hpp"
#include "flow/bandwidth.hpp"
#include "flow/lease_word.hpp"
#include "flow/pull_task.hpp"
#include "flow/run/claim.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

Result<model::Run> run_to_pull(const Deps& deps, const model::Lease& lease, const std::string& name) {
    if (!name.empty()) return deps.ledger.run_by_name(lease.id, name);
    TRY_ASSIGN(auto runs, deps.ledger.runs(lease.id));
    if (runs.empty()) {
        return Error{Code::not_found, "no run was ever started on " + lease.name}.then("drawhitch run " + lease.name +
                                                                                       " -- COMMAND");
    }
    return std::move(runs.back());
}

Status Pull::begin() {
    TRY_ASSIGN(lease_, lease_to_read(deps_.ledger, options_.box));
    TRY_ASSIGN(run_, run_to_pull(deps_, lease_, options_.run));
    run_.spec.roster.insert(run_.spec.roster.end(), options_.declare.begin(), options_.declare.end());
    report_.lease = lease_.name;
    report_.run = run_.spec.name;
    report_.directory = options_.to;
    if (options_.to.empty()) {
        TRY_ASSIGN(report_.directory, default_pull_directory(deps_, lease_, run_.spec.name));
    }
    return ok();
}

Result<std::optional<PullReport>> Pull::round() {
    TRY(begin());
    TRY(look());
    if (selection_.units.empty()) return std::optional<PullReport>{};
    // What cannot be pulled, or is not there yet, is told in the end.
    selection_.left_out.clear();
    TRY(find_own());
    auto done = fetch();
    if (!done) return here_it_fits(std::move(done).error());
    note_done(*done, *followed_);
    if (done->problem) done->problem = here_it_fits(std::move(*done->problem));
    return std::optional{std::move(*done)};
}

Result<PullReport> Pull::run() {
    TRY(begin());
    TRY(look());
    if (selection_.units.empty() && selection_.left_out.empty()) return nothing_matches();
    report_.left_out = selection_.left_out;
    report_.unmatched = selection_.unmatched;
    report_.no_roster = has_no_roster(run_.spec, options_);
    TRY(find_own());
    auto done = deps_.dry_run ? show_plan() : fetch();
    if (!done) return here_it_fits(std::move(done).error());
    if (done->problem) done->problem = here_it_fits(std::move(*done->problem));
    if (done && !done->problem) {
        done->problem = unmatched_problem(word_of(lease_), run_.spec, options_, done->unmatched);
        if (done->problem && !done->no_roster) done->problem = advised(std::move(*done->problem));
    }
    return done;
}

// What keeps this machine from taking the files has a cure of its own.
Error Pull::here_it_fits(Error error) const {
    if (!error.next.empty()) return error;
    struct rlimit most {};
    const bool limited = ::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
    const bool over = limited && std::ranges::any_of(report_.files, [&](const PulledFile& file) {
                          return file.entry.size > most.rlim_cur;
                      });
    if (error.code == Code::local_io && over) {
        error.why = "this shell lets no file grow beyond " + human_bytes(most.rlim_cur) +
                    "; the same pull goes on where it stopped once that limit is gone";
        error.next = "ulimit -f unlimited";
    } else if (error.code == Code::read_only) {
        error.why = "nothing can be written there; another directory takes the files as well";
        error.next =
            "drawhitch pull " + shell_word(word_of(lease_)) + " " + shell_word(run_.spec.name) + " --to DIRECTORY";
    }
    return error;
}

// Questions to the box, asked again over a new connection where one is lost.
Status Pull::ask(const Look& question) {
    TRY_ASSIGN(Looked looked, look_linked(
                                  op_, [this](const Op& op) { return dial(op); }, Persistence{},
                                  std::exchange(link_, std::nullopt), question));
    link_ = std::move(looked.link);
    lost_.sent += looked.lost.sent;
    lost_.received += looked.lost.received;
    lost_.connections += looked.lost.connections;
    reconnects_ += looked.reconnects;
    return ok();
}

Status Pull::look() {
    const Activity scanning{op_.events, "look at " + lease_.name + " " + run_.spec.name, EventUnit::none};
    RunFiles files{};
    const model::Roster wanted = roster();
    const bool scratch = std::ranges::find(options_.classes, model::RosterClass::scratch) != options_.classes.end();
    TRY(ask([&](const Op& op, Link& link) -> Status {
        TRY_ASSIGN(files, scan_run_files(op, *link.agent, link.root, {wanted, scratch, followed_ != nullptr}));
        return ok();
    }));
    if (auto met = check_declared(files, options_.declare); !met) {
        TRY(look_beside());
        return advised(std::move(met).error());
    }
    if (!deps_.dry_run && !options_.declare.empty()) TRY(deps_.ledger.declare_roster(run_.id, options_.declare));
    remember_all(files);
    if (followed_ != nullptr) {
        const UnitTests tests = settled_tests(files, *followed_);
        TRY_ASSIGN(selection_, select_units(std::move(files), wanted, options_, tests));
        return ok();
    }
    TRY_ASSIGN(selection_, select_units(std::move(files), wanted, options_));
    const bool nothing = selection_.units.empty() && selection_.left_out.empty();
    const bool gap = std::ranges::find(selection_.unmatched, model::RosterClass::must, &model::RosterItem::wanted) !=
                     selection_.unmatched.end();
    return nothing || gap ? look_beside() : ok();
}

// What the run has made that nobody named: the next line to type, where a pattern met nothing.
Status Pull::look_beside() {
    if (options_.all) return ok();
    return ask([&](const Op& op, Link& link) -> Status {
        TRY_ASSIGN(beside_, unnamed_outputs(op, *link.agent, link.root, deps_.ledger, run_, options_.patterns));
        return ok();
    });
}

Error Pull::advised(Error error) const {
    return advise_outputs(std::move(error), word_of(lease_), run_.spec.name, options_, beside_);
}

// A first pull brings something, and what lies between two pulls of a run may be nothing.
bool Pull::expects_much() const {
    if (deps_.dry_run || followed_ != nullptr) return false;
    const auto known = deps_.ledger.latest_manifest(run_.id);
    return known && !known->has_value();
}

// The first connection, and what replaces one that was lost; further ones were perhaps begun beside the first.
Result<Link> Pull::dial(const Op& op) {
    if (early_) {
        TRY_ASSIGN(auto begun, early_->take(op));
        if (begun) return std::move(*begun);
        return connect(op, lease(), {});
    }
    early_.emplace(op_, [this, lease = lease()](const Op& theirs) {
        transport::Milestones milestones{};
        milestones.before_login = [this](const Op& waits) { return early_->turn(waits); };
        return connect(theirs, lease, {.beside = true, .milestones = std::move(milestones)});
    });
    transport::Milestones milestones{};
    milestones.logged_in = [this] { early_->let_in(); };
    if (expects_much() && Box::expects_helper(deps_, lease_)) {
        milestones.connected = [this, most = most_connections(deps_, lease_)](std::chrono::nanoseconds trip) {
            constexpr std::uint64_t k_much = std::numeric_limits<std::uint64_t>::max();
            early_->begin(std::min(most, plan::CrewSize::by_distance(plan::Way::pull, trip.count(), k_much)));
        };
    }
    return connect(op, lease(), {.beside = false, .milestones = std::move(milestones)});
}

// The lease's root first: its mark proves that this is the disk we know.
Result<Link> Pull::connect(const Op& op, const model::Lease& lease, const Connecting& how) {
    TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease, how));
    auto box = std::make_shared<Box>(std::move(connected));
    TRY(box->open_root(op, false));
    agent::Agent& agent = box->agent();
    const auto root = agent.open_root(op, run_.spec.run_dir, false);
    if (!root && root.error().code == Code::not_found) return unbegun().value_or(root.error());
    if (!root) return root.error();
    if (!how.beside) {
        // Connections of a transfer are made by several threads.
        const std::lock_guard lock{lease_mutex_};
        lease_ = box->lease();
    }
    return Link{std::move(box), &agent, *root, std::nullopt};
}

model::Lease Pull::lease() const {
    const std::lock_guard lock{lease_mutex_};
    return lease_;
}

std::optional<Error> Pull::unbegun() const {
    return unbegun_problem(word_of(lease_), run_, op_.clock.wall());
}

model::Roster Pull::roster() const {
    return options_.all ? model::Roster{{"**", model::RosterClass::must}} : run_.spec.roster;
}

Error Pull::nothing_matches() const {
    if (auto problem = unbegun(); problem && options_.patterns.empty()) return std::move(*problem);
    if (options_.patterns.empty() && beside_.empty()) {
        return Error{Code::not_found, "run " + run_.spec.name + " has made nothing yet that its roster names"}.then(
            "drawhitch ps " + word_of(lease_) + " " + run_.spec.name);
    }
    if (options_.patterns.empty())
        return advised({Code::not_found, "run " + run_.spec.name + " has made nothing yet that its roster names"});
    Error error{Code::not_found, "nothing of run " + run_.spec.name + " matches " + quoted_list(options_.patterns)};
    if (options_.all) return error;
    PullOptions wider = options_;
    wider.all = true;
    error.why = "a pattern selects among the files of the run's roster; --all looks at every file it has made";
    error.next = pull_command(wider, word_of(lease_), run_.spec.name);
    return advised(std::move(error));
}

Result<std::string> default_pull_directory(const Deps& deps, const model::Lease& lease, const std::string& run) {
    TRY_ASSIGN(const auto leases, deps.ledger.leases(ledger::Which::all));
    const bool earlier = std::ranges::any_of(
        leases, [&](const model::Lease& other) { return other.name == lease.name && other.id < lease.id; });
    const std::string& configured = deps.project.values.pull.dir;
    const std::string base = configured.starts_with('/') ? configured : deps.project.directory + "/" + configured;
    // '@' is in no box's name.
    return base + "/" + lease.name + (earlier ? "@" + std::to_string(lease.id) : "") + "/" + run;
}

std::string pull_landing_id(const model::Lease& lease, const model::Run& run) {
    return "pull-" + proto::sha256(lease.name + '\0' + run.spec.run_dir).hex().substr(0, 16);
}

Result<PullReport> pull(const Op& op, Deps& deps, const PullOptions& options) {
    return Pull{op, deps, options}.run();
}

}  // namespace drawhitch::flow
