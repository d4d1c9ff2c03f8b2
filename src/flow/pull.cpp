#include "flow/pull.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "flow/box.hpp"
#include "flow/lease_word.hpp"
#include "flow/name_check.hpp"
#include "flow/pull_beside.hpp"
#include "flow/pull_owner.hpp"
#include "flow/pull_parts.hpp"
#include "flow/run/claim.hpp"
#include "flow/transfer/pull_files.hpp"
#include "io/disk/name_rules.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"

namespace drawhitch::flow {

namespace {

Result<model::Run> run_to_pull(const Deps& deps, const model::Lease& lease, const std::string& name) {
    if (!name.empty()) return deps.ledger.run_by_name(lease.id, name);
    TRY_ASSIGN(auto runs, deps.ledger.runs(lease.id));
    if (runs.empty()) {
        return Error{Code::not_found, "no run was ever started on " + lease.name}.then("drawhitch run " + lease.name +
                                                                                       " -- COMMAND");
    }
    return std::move(runs.back());
}

PulledFile file_of(const proto::FileEntry& entry, const plan::Unit& unit) {
    PulledFile file{};
    file.entry.unit = unit.name;
    file.entry.path = entry.path;
    file.entry.size = entry.size;
    file.entry.mtime = wall_of(entry.mtime_ns);
    file.entry.wanted = unit.wanted;
    file.mode = entry.mode & 0777U;
    return file;
}

void take_digests(PulledFile& file, const proto::Digest& root, const proto::Digest& sha256) {
    file.entry.root = root.hex();
    file.entry.sha256 = sha256.hex();
}

class Pull {
  public:
    Pull(const Op& op, Deps& deps, const PullOptions& options) : op_(op), deps_(deps), options_(options) {}

    Result<PullReport> run() {
        TRY_ASSIGN(lease_, lease_to_read(deps_.ledger, options_.box));
        TRY_ASSIGN(run_, run_to_pull(deps_, lease_, options_.run));
        run_.spec.roster.insert(run_.spec.roster.end(), options_.declare.begin(), options_.declare.end());
        report_.lease = lease_.name;
        report_.run = run_.spec.name;
        report_.directory = options_.to;
        if (options_.to.empty()) {
            TRY_ASSIGN(report_.directory, default_pull_directory(deps_, lease_, run_.spec.name));
        }
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

  private:
    // What keeps this machine from taking the files has a cure of its own.
    [[nodiscard]] Error here_it_fits(Error error) const {
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
    Status ask(const Look& question) {
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

    Status look() {
        const Activity scanning{op_.events, "look at " + lease_.name + " " + run_.spec.name, EventUnit::none};
        RunFiles files{};
        TRY(ask([&](const Op& op, Link& link) -> Status {
            TRY_ASSIGN(files, scan_run_files(op, *link.agent, link.root, roster()));
            return ok();
        }));
        if (auto met = check_declared(files, options_.declare); !met) {
            TRY(look_beside());
            return advised(std::move(met).error());
        }
        if (!deps_.dry_run && !options_.declare.empty()) TRY(deps_.ledger.declare_roster(run_.id, options_.declare));
        remember_all(files);
        TRY_ASSIGN(selection_, select_units(std::move(files), roster(), options_));
        const bool nothing = selection_.units.empty() && selection_.left_out.empty();
        const bool gap = std::ranges::find(selection_.unmatched, model::RosterClass::must,
                                           &model::RosterItem::wanted) != selection_.unmatched.end();
        return nothing || gap ? look_beside() : ok();
    }

    // What the run has made that nobody named: the next line to type, where a pattern met nothing.
    Status look_beside() {
        if (options_.all) return ok();
        return ask([&](const Op& op, Link& link) -> Status {
            TRY_ASSIGN(beside_, unnamed_outputs(op, *link.agent, link.root, deps_.ledger, run_, options_.patterns));
            return ok();
        });
    }

    [[nodiscard]] Error advised(Error error) const {
        return advise_outputs(std::move(error), word_of(lease_), run_.spec.name, options_, beside_);
    }

    // Nobody should fetch for an hour what lies on the next shelf.
    Status tell_elsewhere() {
        std::vector<model::ManifestEntry> fetched;
        for (const std::size_t index : item_files_) {
            if (report_.files[index].entry.path.starts_with(k_run_prefix)) continue;  // small, and wanted everywhere
            fetched.push_back(report_.files[index].entry);
            fetched.back().mtime = wall_of(selection_.entries[index].mtime_ns);
        }
        TRY_ASSIGN(report_.elsewhere, copies_elsewhere(deps_.ledger, run_.id, report_.directory, fetched));
        for (const ElsewhereCopy& copy : report_.elsewhere)
            op_.warn("a proven copy of " + counted(copy.files, "file") + ", " + human_bytes(copy.bytes) + ", of " +
                     run_.spec.name + " lies in " + printable(copy.directory) + " already; this pull " +
                     (deps_.dry_run ? "would make" : "makes") + " another in " + printable(report_.directory));
        return ok();
    }

    // The lease's root first: its mark proves that this is the disk we know.
    Result<Link> dial(const Op& op) {
        TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease()));
        auto box = std::make_shared<Box>(std::move(connected));
        TRY(box->open_root(op, false));
        agent::Agent& agent = box->agent();
        const auto root = agent.open_root(op, run_.spec.run_dir, false);
        if (!root && root.error().code == Code::not_found) return unbegun().value_or(root.error());
        if (!root) return root.error();
        // Connections of a transfer are made by several threads.
        const std::lock_guard lock{lease_mutex_};
        lease_ = box->lease();
        return Link{std::move(box), &agent, *root, std::nullopt};
    }

    [[nodiscard]] model::Lease lease() const {
        const std::lock_guard lock{lease_mutex_};
        return lease_;
    }

    [[nodiscard]] std::optional<Error> unbegun() const {
        return unbegun_problem(word_of(lease_), run_, op_.clock.wall());
    }

    [[nodiscard]] model::Roster roster() const {
        return options_.all ? model::Roster{{"**", model::RosterClass::must}} : run_.spec.roster;
    }

    [[nodiscard]] Error nothing_matches() const {
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

    // What is here already and equal is kept; `items_` is the rest.
    Status compare() {
        for (const plan::Unit& unit : selection_.units) {
            for (const std::size_t index : unit.files) {
                report_.files.resize(std::max(report_.files.size(), index + 1));
                report_.files[index] = file_of(selection_.entries[index], unit);
            }
        }
        std::map<std::string, plan::LocalFile> local;
        if (auto root = disk::Root::open(report_.directory)) {
            TRY_ASSIGN(local, local_files(op_, *root, selection_.entries));
            for (const proto::FileEntry& entry : selection_.entries)
                if (auto found = root->stat_entry(entry.path)) present_.emplace(entry.path, *found);
            notes_ = disk::read_landing_notes(*root, landing_id());
        }
        std::vector<std::size_t> asked = plan::candidates(selection_.entries, local);
        std::erase_if(asked, [this](std::size_t index) { return selection_.being_written[index]; });
        if (!asked.empty()) {
            TRY(ask([&](const Op& op, Link& link) {
                return add_digests(op, *link.agent, link.root, selection_.entries, {asked, options_.rehash});
            }));
        }
        for (std::size_t i = 0; i < selection_.entries.size(); ++i) {
            sort_out(i, local);
        }
        TRY(find_owners(local));
        return in_the_way_.empty() ? ok() : refuse_to_overwrite();
    }

    void sort_out(std::size_t index, const std::map<std::string, plan::LocalFile>& local) {
        proto::FileEntry& entry = selection_.entries[index];
        PulledFile& file = report_.files[index];
        if (entry.type == proto::FileType::unknown) {
            file.state = FileState::vanished;
            file.why = "it is gone from the box";
            return;
        }
        if (std::string problem = name_problem(entry.path); !problem.empty()) {
            file.state = FileState::failed;
            file.why = std::move(problem);
            return;
        }
        const auto here = local.find(entry.path);
        if (entry.root && here != local.end() && here->second.root == entry.root) {
            file.state = FileState::kept;
            file.entry.size = entry.size;
            take_digests(file, *entry.root, here->second.sha256);
            return;
        }
        PullItem item{};
        item.source = entry;
        item.source.path = box_path(entry.path);
        item.target = entry.path;
        item.growing = selection_.being_written[index];
        item.doubt = !item.growing && is_young(entry, selection_.box_seconds);
        items_.push_back(std::move(item));
        item_files_.push_back(index);
        report_.planned_bytes += entry.size;
    }

    // Of each file that is to land under a name that is taken: whose is what lies there now.
    Status find_owners(const std::map<std::string, plan::LocalFile>& local) {
        if (present_.empty()) return ok();
        TRY_ASSIGN(const disk::Root root, disk::Root::open(report_.directory));
        for (const PullItem& item : items_) {
            TRY(op_.check());
            const auto taken = present_.find(item.target);
            if (taken == present_.end() || S_ISDIR(taken->second.st_mode)) continue;
            const auto read = local.find(item.target);
            const auto digest = read == local.end() ? std::nullopt : read->second.root;
            TRY_ASSIGN(const Whose whose,
                       whose_is(op_, deps_.ledger, run_.id, notes_, {root, item.target, taken->second, digest}));
            if (whose == Whose::ours) {
                ours_[item.target] = disk::stamp_of(taken->second);
            } else if (whose == Whose::another_run || !own_directory_) {
                in_the_way_.push_back(item.target);
            } else if (deps_.dry_run) {
                report_.moved_aside.push_back({item.target, disk::aside_path(root, item.target, will_land())});
            }
        }
        return ok();
    }

    // The names of this pull, for as long as it lives.
    [[nodiscard]] disk::NameTaken will_land() const {
        auto names = std::make_shared<std::set<std::string_view>>();
        for (const PulledFile& file : report_.files)
            names->insert(file.entry.path);
        return [names](std::string_view path) { return names->contains(path); };
    }

    // A directory that a pull of this run worked in may be filled again, also where nothing was certified then. A
    // private directory is left by one that was interrupted.
    Status find_own() {
        TRY_ASSIGN(const bool ours, deps_.ledger.received_into(run_.id, report_.directory));
        const std::string left = report_.directory + "/.drawhitch/" + landing_id();
        own_directory_ = ours || ::access(left.c_str(), F_OK) == 0;
        if (own_directory_) return ok();
        TRY_ASSIGN(const auto held, deps_.ledger.held_files(run_.id));
        const auto first = held.lower_bound(report_.directory + "/");
        own_directory_ = first != held.end() && first->first.starts_with(report_.directory + "/");
        return ok();
    }

    [[nodiscard]] Error refuse_to_overwrite() const {
        const std::string others =
            in_the_way_.size() == 1 ? "" : " and " + std::to_string(in_the_way_.size() - 1) + " more";
        return Error{Code::exists, printable(report_.directory) +
                                       " has files that no pull of this run made and that differ: " +
                                       printable(in_the_way_.front()) + others + "; nothing was changed"}
            .then("drawhitch pull " + word_of(lease_) + " " + run_.spec.name + " --to " +
                  shell_word(report_.directory + "-2"));
    }

    Status refuse_collisions(const parse::NameRules& rules) const {
        std::vector<std::string> paths;
        for (const proto::FileEntry& entry : selection_.entries)
            paths.push_back(entry.path);
        paths.insert(paths.end(),
                     {std::string{plan::k_manifest_name}, std::string{plan::k_sums_name}, proto::k_private_dir});
        return check_names(paths, rules, report_.directory);
    }

    // The destination's own rules, unless the user said which count.
    Result<parse::NameRules> name_rules(const disk::Root& root) const {
        if (options_.names) return *options_.names;
        TRY_ASSIGN(const disk::NameBehaviour found, disk::probe_names(root));
        return parse::NameRules{found.ignores_case, found.ignores_unicode_form};
    }

    Result<PullReport> show_plan() {
        if (options_.names) TRY(refuse_collisions(*options_.names));
        TRY(compare());
        TRY(tell_elsewhere());
        for (const std::size_t index : item_files_) {
            report_.files[index].planned = true;
        }
        if (const auto root = disk::Root::open(report_.directory)) {
            for (const PullItem& item : items_)
                report_.held_bytes += disk::Landing::held_of(*root, landing_id(), item.target, part_plan(item));
        }
        report_.planned_bytes -= std::min(report_.held_bytes, report_.planned_bytes);
        return std::move(report_);
    }

    // One pull works in a directory at a time, whatever its run. What was made for this one goes again when nothing
    // came.
    Result<PullReport> fetch() {
        const FreshDirectories fresh{report_.directory};
        TRY_ASSIGN(disk::Root root, disk::Root::create(report_.directory));
        auto lock = ledger::FileLock::pull_target(op_, deps_.ledger.state_dir(), report_.directory,
                                                  "drawhitch pull " + word_of(lease_) + " " + run_.spec.name);
        if (!lock) return std::move(lock).error().while_("pulling into " + printable(report_.directory));
        TRY_ASSIGN(const parse::NameRules rules, name_rules(root));
        TRY(refuse_collisions(rules));
        TRY(compare());
        TRY(tell_elsewhere());
        TRY(hold_found());
        selection_.entries = {};  // there may be hundreds of thousands, and all that counts is in the report now
        TRY_ASSIGN(const auto landing, disk::Landing::open(std::move(root), landing_id()));
        const disk::Root& records = landing->destination();
        report_.moved_aside = notes_.aside;  // by a pull that was killed before it could tell
        if (!items_.empty()) {
            TRY(landing->keep_others({std::exchange(ours_, {}), will_land()}));
            const Dial dial = [this](const Op& op) { return this->dial(op); };
            const PullOutcome outcome = pull_files(op_, {dial, std::move(*link_)}, *landing, std::exchange(items_, {}),
                                                   PullLimits{.connections = deps_.connector.most_at_once(lease_)});
            take(outcome);
            for (disk::MovedAside& moved : landing->moved_aside())
                report_.moved_aside.push_back(std::move(moved));
            if (outcome.stopped && !brought_anything()) {
                TRY(landing->discard());
                return *outcome.stopped;
            }
        } else {
            add(report_.tally.wire, link_->agent->session().traffic());
            count_lost();
        }
        TRY(certify_units(op_, deps_, records, selection_, report_));
        if (report_.problem && report_.problem->next.empty()) advise(*report_.problem);
        TRY(record(records));
        // Parts of files that failed wait for the next attempt.
        const bool leftovers = any(FileState::failed) || any(FileState::unfinished) || any(FileState::changing);
        if (!leftovers || landing->held_bytes() == 0) TRY(landing->discard());
        return std::move(report_);
    }

    // What a live run is still writing is whole when it has ended.
    void advise(Error& problem) const {
        if (any(FileState::displaced)) {
            problem.next = pull_command(options_, word_of(lease_), run_.spec.name);
        } else if (any(FileState::unsettled) || any(FileState::changing)) {
            problem.why = "the run is still writing: watch ends when it has ended; then pull again";
            problem.next = "drawhitch watch " + shell_word(word_of(lease_)) + " " + shell_word(run_.spec.name);
        } else {
            advise_damaged(problem, word_of(lease_), run_.spec, report_);
        }
    }

    // The state of what was found equal, as it was before it was read.
    Status hold_found() {
        std::vector<ledger::HeldFile> found;
        for (const PulledFile& file : report_.files) {
            const auto here = present_.find(file.entry.path);
            if (file.state != FileState::kept || here == present_.end()) continue;
            found.push_back(held(file, false));
            found.back().stamp = disk::stamp_of(here->second);
        }
        present_ = {};
        return deps_.ledger.hold_files(run_.id, found);
    }

    // All that was put here, certified or not. A state is noted where nobody can have written since.
    Status hold_landed(const disk::Root& records) {
        std::vector<ledger::HeldFile> landed;
        for (const PulledFile& file : report_.files) {
            if (file.state != FileState::pulled && file.state != FileState::unsettled) continue;
            landed.push_back(held(file, true));
            const auto found = records.stat_entry(file.entry.path);
            if (!found || !S_ISREG(found->st_mode)) continue;
            const disk::Stamp stamp = disk::stamp_of(*found);
            if (stamp.size == file.entry.size && wall_of(stamp.mtime_ns) == file.entry.mtime)
                landed.back().stamp = stamp;
        }
        return deps_.ledger.hold_files(run_.id, landed);
    }

    [[nodiscard]] ledger::HeldFile held(const PulledFile& file, bool written) const {
        return {run_.id, report_.directory + "/" + file.entry.path, file.entry.root, written, file.entry.size, {}};
    }

    Status record(const disk::Root& records) {
        TRY(hold_landed(records));
        const Status written =
            write_records(records, {lease_.name, run_.spec.name, run_.spec.work_dir, op_.clock.wall()}, report_);
        // A full disk that stopped the pull takes no list either; what stopped it is told, with what ran out.
        if (!written && report_.problem && report_.problem->code == written.error().code) return *report_.problem;
        TRY(written);
        return record_receipt();
    }

    [[nodiscard]] std::string landing_id() const { return pull_landing_id(lease_, run_); }

    void count_lost() {
        report_.tally.wire.sent += lost_.sent;
        report_.tally.wire.received += lost_.received;
        report_.tally.wire.connections += lost_.connections;
        report_.tally.reconnects += reconnects_;
    }

    // What is here, or at least lies in a part for the next attempt.
    bool brought_anything() const {
        return report_.tally.fetched > 0 || report_.tally.resumed > 0 || any(FileState::kept);
    }

    [[nodiscard]] bool any(FileState state) const {
        return std::ranges::find(report_.files, state, &PulledFile::state) != report_.files.end();
    }

    void take(const PullOutcome& outcome) {
        report_.tally = outcome.tally;
        count_lost();
        report_.problem = outcome.stopped;
        for (std::size_t i = 0; i < outcome.results.size(); ++i) {
            const PullResult& result = outcome.results[i];
            PulledFile& file = report_.files[item_files_[i]];
            file.state = result.state;
            file.why = result.why;
            file.code = result.code;
            if (result.state != FileState::pulled && result.state != FileState::unsettled) continue;
            file.entry.size = result.size;
            file.entry.mtime = wall_of(result.mtime_ns);
            file.mode = result.mode & 0777U;
            take_digests(file, result.root, result.sha256);
        }
    }

    // A damaged file is in the receipt as such: it is what the box has, and nobody may call it proof.
    static bool belongs_to_receipt(const PulledFile& file) {
        return file.certified || file.structure == model::Structure::broken;
    }

    // A pull of a part must not look like one of the whole: the ledger's list has all that the roster matched.
    void remember_all(const RunFiles& files) {
        const bool narrowed = !options_.patterns.empty() || !options_.classes.empty() || options_.newest > 0;
        if (!narrowed) return;
        for (const plan::Unit& unit : files.units) {
            for (const std::size_t index : unit.files)
                matched_.push_back(file_of(files.entries[index], unit).entry);
        }
    }

    // What the roster matched and this pull did not prove: without digests.
    std::vector<model::ManifestEntry> unproven() {
        std::set<std::string_view> told;
        std::vector<model::ManifestEntry> list;
        for (const PulledFile& file : report_.files) {
            told.insert(file.entry.path);
            if (belongs_to_receipt(file) || file.state == FileState::vanished) continue;
            list.push_back(file.entry);
            list.back().root.clear();
            list.back().sha256.clear();
        }
        for (model::ManifestEntry& entry : matched_)
            if (!told.contains(entry.path)) list.push_back(std::move(entry));
        // Links and pipes hold nothing; what could not be read may.
        for (const proto::FileEntry& entry : selection_.left_out)
            if (entry.error != 0) list.push_back(file_of(entry, {.name = entry.path}).entry);
        return list;
    }

    Status record_receipt() {
        model::Receipt receipt{};
        receipt.lease = lease_.id;
        receipt.run = run_.id;
        receipt.directory = report_.directory;
        std::vector<model::ManifestEntry> manifest;
        for (const PulledFile& file : report_.files) {
            if (belongs_to_receipt(file)) manifest.push_back(file.entry);
        }
        const std::size_t proven = manifest.size();
        for (model::ManifestEntry& entry : unproven())
            manifest.push_back(std::move(entry));
        TRY(deps_.ledger.add_manifest(run_.id, manifest));
        if (proven == 0) return ok();
        receipt.files.reserve(proven);
        for (const PulledFile& file : report_.files) {
            if (!belongs_to_receipt(file)) continue;
            const std::string path = report_.directory + "/" + file.entry.path;
            receipt.files.push_back({std::move(manifest[receipt.files.size()]), path, file.structure});
        }
        TRY_ASSIGN(report_.receipt, deps_.ledger.add_receipt(std::move(receipt)));
        return ok();
    }

    const Op& op_;
    Deps& deps_;
    const PullOptions& options_;
    model::Lease lease_{};
    mutable std::mutex lease_mutex_{};
    model::Run run_{};
    std::map<std::string, struct stat> present_{};  // entries whose path is taken here
    disk::LandingNotes notes_{};                    // of a pull that was killed here
    bool own_directory_{false};                     // pulls of this run have worked here
    std::map<std::string, disk::Stamp> ours_{};     // what may be replaced, in the state in which it was looked at
    std::vector<std::string> in_the_way_{};         // entries whose local file is neither equal nor ours nor movable
    std::vector<model::ManifestEntry> matched_{};   // all that the roster matched, where the user narrowed it
    std::vector<plan::ProposedPattern> beside_{};   // what the run has made and nobody named, where that is advice
    Selection selection_{};
    std::optional<Link> link_{};
    Wire lost_{};                  // over connections that were lost before any data flowed
    std::uint32_t reconnects_{0};  // of those
    std::vector<PullItem> items_{};
    std::vector<std::size_t> item_files_{};  // per item: its index in the report
    PullReport report_{};
};

}  // namespace

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
