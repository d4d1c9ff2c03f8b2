#include "flow/cp.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "core/exchange/copied_json.hpp"
#include "core/plan/crew_size.hpp"
#include "flow/bandwidth.hpp"
#include "flow/cp_places.hpp"
#include "flow/cp_task.hpp"
#include "flow/lease_word.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// A file may change twice within one tick of its clock, which is 2 s long on some file systems.
constexpr std::int64_t k_rest_seconds = 2;

}  // namespace

bool is_there(const CopiedFile& file) {
    return file.state == FileState::pulled || file.state == FileState::kept;
}

disk::Stamp stamp_at_rest(const disk::Stamp& stamp, WallTime now) {
    const std::int64_t newest = std::max(stamp.mtime_ns, stamp.ctime_ns) / 1'000'000'000;
    return newest + k_rest_seconds < now.seconds ? stamp : disk::Stamp{};
}

std::string sha256_of(const proto::FileDigester::Result& digests) {
    return digests.sha256 ? digests.sha256->hex() : std::string{};
}

Result<CpReport> Copy::run() {
    TRY_ASSIGN(lease_, options_.to_box ? lease_to_change(deps_.ledger, options_.box)
                                       : lease_to_read(deps_.ledger, options_.box));
    auto copied = copy();
    if (copied && !deps_.dry_run) TRY(record(*copied));
    return copied;
}

Result<Link> Copy::connect_beside(const Op& op, const model::Lease& lease, EarlyLinks& early) {
    transport::Milestones milestones{};
    milestones.before_login = [&early](const Op& theirs) { return early.turn(theirs); };
    return connect(op, lease, {.beside = true, .milestones = std::move(milestones)});
}

Result<Link> Copy::connect(const Op& op, const model::Lease& lease, const Connecting& how) {
    TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease, how));
    auto box = std::make_shared<Box>(std::move(connected));
    agent::Agent& agent = box->agent();
    return Link{std::move(box), &agent, 0, std::nullopt};
}

Result<Link> Copy::connect_first(EarlyLinks& early, std::uint64_t bytes) {
    const plan::Way way = options_.to_box ? plan::Way::push : plan::Way::pull;
    const int most = deps_.dry_run ? 1 : most_connections(deps_, lease_);
    transport::Milestones milestones{};
    milestones.logged_in = [&early] { early.let_in(); };
    if (Box::expects_helper(deps_, lease_)) {
        milestones.connected = [&early, way, most, bytes](std::chrono::nanoseconds trip) {
            early.begin(std::min(most, plan::CrewSize::by_distance(way, trip.count(), bytes)));
        };
    }
    TRY_ASSIGN(Link link, connect(op_, lease_, {.beside = false, .milestones = std::move(milestones)}));
    lease_ = static_cast<const Box*>(link.owner.get())->lease();
    return link;
}

Status Copy::record(const CpReport& report) {
    std::vector<exchange::CopiedEntry> some;
    const auto append = [&] {
        const std::string text = exchange::copied_json(options_.to_box, std::exchange(some, {}));
        return deps_.ledger.append_event(lease_.id, std::nullopt, std::string{exchange::k_copied_event}, text);
    };
    for (const CopiedFile& file : report.files) {
        if (!is_there(file) || file.root.empty()) continue;
        const disk::Stamp& stamp = file.stamp;
        some.push_back({file.box_path,
                        file.root,
                        file.size,
                        joined_path(here_, file.path),
                        {stamp.ino, stamp.mtime_ns, stamp.ctime_ns, stamp.size}});
        if (some.size() >= exchange::k_copied_per_event) TRY(append());
    }
    return some.empty() ? ok() : append();
}

CpReport Copy::planned() {
    const std::set<std::string> replaced{report_.replaced.begin(), report_.replaced.end()};
    for (CopiedFile& file : report_.files) {
        file.planned = !is_there(file) && file.why.empty();
        const std::string target = options_.to_box ? file.box_path : joined_path(here_, file.path);
        if (file.planned && replaced.contains(target)) file.why = "other content is there and would be replaced";
    }
    report_.planned = true;
    return std::move(report_);
}

void Copy::leave_out(const std::string& path, std::string why) {
    CopiedFile file{};
    file.path = path;
    file.why = std::move(why);
    report_.files.push_back(std::move(file));
}

void Copy::count_skips() {
    const auto skipped =
        std::count_if(report_.files.begin(), report_.files.end(), [](const CopiedFile& f) { return !is_there(f); });
    if (skipped > 0 && !report_.problem) {
        report_.problem =
            Error{Code::skipped, std::to_string(skipped) + " of " + counted(report_.files.size(), "entry", "entries") +
                                     (skipped == 1 ? " was" : " were") + " not copied"};
    }
}

Result<CpReport> cp(const Op& op, Deps& deps, const CpOptions& options) {
    return (options.to_box ? copy_to_box(op, deps, options) : copy_from_box(op, deps, options))->run();
}

}  // namespace drawhitch::flow
