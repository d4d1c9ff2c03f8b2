#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "flow/bandwidth.hpp"
#include "flow/lease_word.hpp"
#include "flow/pull_task.hpp"
#include "flow/transfer/pull_files.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::uint64_t k_least_told = 1U << 20U;  // a directory with less is not worth a line

}  // namespace

// One pull works in a directory at a time, whatever its run. What was made for this one goes again when nothing
// came.
Result<PullReport> Pull::fetch() {
    const FreshDirectories fresh{report_.directory};
    TRY_ASSIGN(disk::Root root, disk::Root::create(report_.directory));
    auto lock = ledger::FileLock::pull_target(op_, deps_.ledger.state_dir(), report_.directory,
                                              "drawhitch pull " + word_of(lease_) + " " + run_.spec.name);
    if (!lock) return std::move(lock).error().while_("pulling into " + printable(report_.directory));
    TRY_ASSIGN(const parse::NameRules rules, name_rules(root));
    TRY(refuse_collisions(rules));
    TRY(compare());
    TRY(tell_elsewhere());
    TRY(estimate());
    TRY(hold_found());
    selection_.entries = {};  // there may be hundreds of thousands, and all that counts is in the report now
    TRY_ASSIGN(const auto landing, disk::Landing::open(std::move(root), landing_id()));
    const disk::Root& records = landing->destination();
    report_.moved_aside = notes_.aside;  // by a pull that was killed before it could tell
    report_.units.resize(selection_.units.size());
    judged_.assign(selection_.units.size(), false);
    held_.assign(report_.files.size(), false);
    received_.assign(report_.files.size(), false);
    if (items_.empty()) {
        add(report_.tally.wire, link_->agent->session().traffic());
        count_lost();
    } else {
        TRY_ASSIGN(const bool brought, transfer(*landing));
        if (!brought) {
            TRY(landing->discard());
            return std::move(*report_.problem);
        }
    }
    TRY(certify_rest(records));
    if (report_.problem && report_.problem->next.empty()) advise(*report_.problem);
    TRY(record(records));
    // Parts of files that failed wait for the next attempt.
    const bool leftovers = any(FileState::failed) || any(FileState::unfinished) || any(FileState::changing);
    if (!leftovers || landing->held_bytes() == 0) TRY(landing->discard());
    return std::move(report_);
}

// False when nothing came and the report's problem says why.
Result<bool> Pull::transfer(disk::Landing& landing) {
    TRY(landing.keep_others({std::exchange(ours_, {}), will_land()}));
    for (const PullItem& item : items_)
        item_directory_.push_back(item.group);
    taken_.assign(items_.size(), false);
    const Dial dial = [this](const Op& op) { return this->dial(op); };
    const GroupsDone done{[&](const ItemResults& results) { directories_done(landing.destination(), results); },
                          options_.record_every};
    const Instant began = op_.clock.now();
    const PullOutcome outcome = pull_files(op_, {dial, std::move(*link_)}, landing, std::exchange(items_, {}),
                                           PullLimits{.connections = most_connections(deps_, lease_)}, done);
    report_.tally = outcome.tally;
    count_lost();
    report_.problem = outcome.stopped;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        take(i, outcome.results[i]);
    for (disk::MovedAside& moved : landing.moved_aside())
        report_.moved_aside.push_back(std::move(moved));
    TRY(note_rate(began));
    return !outcome.stopped || brought_anything();
}

// Some directories are here, whole or not, while others are still fetched. What goes wrong here goes wrong again, and
// is told, when all is recorded in the end.
void Pull::directories_done(const disk::Root& records, const ItemResults& results) {
    std::set<std::size_t> done;
    for (const auto& [item, result] : results) {
        take(item, result);
        taken_[item] = true;
        done.insert(item_directory_[item]);
    }
    for (const std::size_t index : done) {
        const plan::PullDirectory& directory = report_.directories[index];
        if (!certify_units(op_, deps_, records, selection_, directory.units, report_)) return;
        for (const std::size_t unit : directory.units)
            judged_[unit] = true;
    }
    if (!hold_landed(records) || !write_lists(records) || !add_receipt()) return;
    for (const std::size_t index : done)
        tell_done(report_.directories[index]);
}

void Pull::tell_done(const plan::PullDirectory& directory) const {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
    for (const std::size_t index : directory.units) {
        const PulledUnit& unit = report_.units[index];
        if (!unit.proven || unit.rotated) continue;
        bytes += unit.bytes;
        files += unit.files;
    }
    if (bytes < k_least_told) return;
    op_.note("proven and receipted: " + (directory.path.empty() ? "the top directory" : printable(directory.path)) +
             ", " + counted(files, "file") + ", " + human_bytes(bytes));
}

Status Pull::certify_rest(const disk::Root& records) {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < judged_.size(); ++i)
        if (!judged_[i]) rest.push_back(i);
    TRY(certify_units(op_, deps_, records, selection_, rest, report_));
    if (rest.size() < judged_.size()) uncertify_displaced(records, selection_, report_);
    if (!report_.problem) report_.problem = problem_of(report_, selection_.left_out.size());
    return tell_stand_ins(op_, deps_.ledger, run_.id, report_);
}

// What a live run is still writing is whole when it has ended.
void Pull::advise(Error& problem) const {
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
Status Pull::hold_found() {
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
Status Pull::hold_landed(const disk::Root& records) {
    std::vector<ledger::HeldFile> landed;
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < report_.files.size(); ++i) {
        const PulledFile& file = report_.files[i];
        if (held_[i] || (file.state != FileState::pulled && file.state != FileState::unsettled)) continue;
        indexes.push_back(i);
        landed.push_back(held(file, true));
        const auto found = records.stat_entry(file.entry.path);
        if (!found || !S_ISREG(found->st_mode)) continue;
        const disk::Stamp stamp = disk::stamp_of(*found);
        if (stamp.size == file.entry.size && wall_of(stamp.mtime_ns) == file.entry.mtime) landed.back().stamp = stamp;
    }
    TRY(deps_.ledger.hold_files(run_.id, landed));
    for (const std::size_t index : indexes)
        held_[index] = true;
    return ok();
}

ledger::HeldFile Pull::held(const PulledFile& file, bool written) const {
    return {run_.id, report_.directory + "/" + file.entry.path, file.entry.root, written, file.entry.size, {}};
}

Status Pull::write_lists(const disk::Root& records) {
    return write_records(records, {lease().name, run_.spec.name, run_.spec.work_dir, op_.clock.wall()}, report_);
}

Status Pull::record(const disk::Root& records) {
    TRY(hold_landed(records));
    const Status written = write_lists(records);
    // A full disk that stopped the pull takes no list either; what stopped it is told, with what ran out.
    if (!written && report_.problem && report_.problem->code == written.error().code) return *report_.problem;
    TRY(written);
    std::vector<model::ManifestEntry> manifest;
    for (const PulledFile& file : report_.files) {
        if (belongs_to_receipt(file)) manifest.push_back(file.entry);
    }
    for (model::ManifestEntry& entry : unproven())
        manifest.push_back(std::move(entry));
    TRY(deps_.ledger.add_manifest(run_.id, manifest));
    TRY(add_receipt());
    forget_displaced();
    return ok();
}

// A directory gets its receipt as soon as it is complete; what has left it since is proven no more, whatever the ledger
// remembers (whoever asks it looks at the copies).
void Pull::forget_displaced() {
    if (!report_.receipt) return;
    std::set<std::string_view> displaced;
    for (const PulledFile& file : report_.files)
        if (file.state == FileState::displaced) displaced.insert(file.entry.path);
    std::erase_if(report_.receipt->files,
                  [&](const model::ReceiptEntry& entry) { return displaced.contains(entry.file.path); });
}

void Pull::count_lost() {
    report_.tally.wire.sent += lost_.sent;
    report_.tally.wire.received += lost_.received;
    report_.tally.wire.connections += lost_.connections;
    report_.tally.reconnects += reconnects_;
}

// What is here, or at least lies in a part for the next attempt.
bool Pull::brought_anything() const {
    return report_.tally.fetched > 0 || report_.tally.resumed > 0 || any(FileState::kept);
}

bool Pull::any(FileState state) const {
    return std::ranges::find(report_.files, state, &PulledFile::state) != report_.files.end();
}

void Pull::take(std::size_t item, const PullResult& result) {
    if (taken_[item]) return;  // when its directory was complete; its checks may have changed the state since
    PulledFile& file = report_.files[item_files_[item]];
    file.state = result.state;
    file.why = result.why;
    file.code = result.code;
    if (result.state != FileState::pulled && result.state != FileState::unsettled) return;
    file.entry.size = result.size;
    file.entry.mtime = wall_of(result.mtime_ns);
    file.mode = result.mode & 0777U;
    take_digests(file, result.root, result.sha256);
}

// A damaged file is in the receipt as such: it is what the box has, and nobody may call it proof.
bool Pull::belongs_to_receipt(const PulledFile& file) {
    return file.certified || file.structure == model::Structure::broken;
}

// A pull of a part must not look like one of the whole: the ledger's list has all that the roster matched.
void Pull::remember_all(const RunFiles& files) {
    const bool narrowed =
        !options_.patterns.empty() || !options_.classes.empty() || options_.newest > 0 || followed_ != nullptr;
    if (!narrowed) return;
    for (const plan::Unit& unit : files.units) {
        if (unit.wanted == model::RosterClass::scratch) continue;  // nobody waits for it
        for (const std::size_t index : unit.files)
            matched_.push_back(file_of(files.entries[index], unit).entry);
    }
}

// What the roster matched and this pull did not prove: without digests.
std::vector<model::ManifestEntry> Pull::unproven() {
    std::set<std::string_view> told;
    std::vector<model::ManifestEntry> list;
    for (const PulledFile& file : report_.files) {
        told.insert(file.entry.path);
        if (belongs_to_receipt(file) || file.state == FileState::vanished) continue;
        if (file.entry.wanted == model::RosterClass::scratch) continue;
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

// Of what no receipt of this pull has yet.
Status Pull::add_receipt() {
    model::Receipt receipt{.lease = lease().id, .run = run_.id, .directory = report_.directory};
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < report_.files.size(); ++i) {
        const PulledFile& file = report_.files[i];
        if (received_[i] || !belongs_to_receipt(file)) continue;
        receipt.files.push_back({file.entry, report_.directory + "/" + file.entry.path, file.structure});
        indexes.push_back(i);
    }
    if (indexes.empty()) return ok();
    TRY_ASSIGN(receipt, deps_.ledger.add_receipt(std::move(receipt)));
    for (const std::size_t index : indexes)
        received_[index] = true;
    if (report_.receipt) std::ranges::move(report_.receipt->files, std::back_inserter(receipt.files));
    report_.receipt = std::move(receipt);
    return ok();
}

}  // namespace drawhitch::flow
