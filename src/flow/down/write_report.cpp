#include "flow/down/write_report.hpp"

#include <set>

#include "core/plan/teardown.hpp"
#include "flow/kept_copies.hpp"
#include "flow/overview.hpp"
#include "io/disk/root.hpp"
#include "io/disk/write_atomic.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

Result<std::vector<plan::TeardownRun>> runs_of(const Op& op, Deps& deps, std::int64_t lease) {
    std::vector<plan::TeardownRun> rows{};
    TRY_ASSIGN(const auto runs, deps.ledger.runs(lease));
    for (const model::Run& run : runs) {
        plan::TeardownRun row{run, {}};
        TRY_ASSIGN(const KeptCopies kept, kept_copies(op, deps.ledger, run.id, CopyCheck::quick));
        std::set<std::string> seen{};
        for (const ledger::ProvenFile& file : kept.here) {
            if (seen.insert(file.entry.file.path).second) row.proven.push_back(file.entry);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

Result<std::string> write_report(const Op& op, Deps& deps, const model::Profile& profile, const DownReport& report) {
    plan::TeardownReport text{};
    text.lease = report.lease;
    text.profile_version = profile.platform.version;
    TRY_ASSIGN(const auto keys, deps.ledger.host_keys(report.lease.id));
    for (const model::HostKey& key : keys)
        text.host_keys.push_back(key.type + " " + key.fingerprint);
    TRY_ASSIGN(text.runs, runs_of(op, deps, report.lease.id));
    text.gate = report.gate;
    text.at = op.clock.wall();
    text.state = std::string{model::name_of(report.lease.state)};
    text.proof = report.proof;
    text.by_hand = report.by_hand;
    text.removed = report.removed;
    text.spent = spent_on(report.lease, text.at);
    text.program = DRAWHITCH_VERSION;
    const std::string folder =
        deps.ledger.state_dir() + "/reports/" + report.lease.name + "-" + std::to_string(report.lease.id);
    TRY_ASSIGN(const disk::Root root, disk::Root::create(folder));
    TRY(disk::write_atomic(root, "report.json", plan::report_json(text), 0600));
    TRY(disk::write_atomic(root, "report.md", plan::report_markdown(text), 0600));
    return folder + "/report.json";
}

}  // namespace drawhitch::flow
