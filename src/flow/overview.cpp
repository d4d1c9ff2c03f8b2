#include "flow/overview.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/judge/box_path.hpp"
#include "core/judge/results.hpp"
#include "core/model/words.hpp"
#include "flow/run_files.hpp"

namespace drawhitch::flow {

namespace {

constexpr double k_hour = 3600.0;

WallTime later(WallTime time, double hours) {
    time.seconds += static_cast<std::int64_t>(hours * k_hour);
    return time;
}

// When the clock began to run for this lease, if it does.
std::optional<WallTime> start_of(const model::DangerClock& clock, const model::Lease& lease) {
    switch (clock.starts_on) {
        case model::ClockStart::created:
        case model::ClockStart::walltime:
            return lease.began;
        case model::ClockStart::stopped:
            return lease.state == model::LeaseState::stopped ? std::optional{lease.state_since} : std::nullopt;
        case model::ClockStart::expired:
        case model::ClockStart::balance_zero:
        case model::ClockStart::balance_low:
        case model::ClockStart::arrears:
            return std::nullopt;  // only the provider knows
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> spent_on(const model::Lease& lease, WallTime now) {
    if (!lease.price_hour) return std::nullopt;
    const bool ended = lease.state == model::LeaseState::closed || lease.state == model::LeaseState::stopped;
    const WallTime end = ended ? lease.state_since : now;
    const auto seconds = static_cast<double>(std::max<std::int64_t>(0, end.seconds - lease.began.seconds));
    return *lease.price_hour * seconds / k_hour;
}

std::vector<ClockView> running_clocks(const model::Profile& profile, const model::Lease& lease, WallTime now) {
    std::vector<ClockView> running;
    if (lease.state == model::LeaseState::closed) return running;
    for (const model::DangerClock& clock : profile.clocks) {
        const std::optional<WallTime> start = start_of(clock, lease);
        if (!start) continue;
        ClockView view{.name = clock.name, .effect = std::string{model::word_of(clock.effect)}};
        if (clock.after_h >= 0) {
            view.at = later(*start, clock.after_h);
            view.close = later(now, clock.warn_before_h) >= *view.at;
        }
        running.push_back(std::move(view));
    }
    return running;
}

std::optional<std::int64_t> idle_for(const model::Profile& profile, const model::Lease& lease,
                                     std::span<const model::Run> runs, WallTime now) {
    const bool rented = lease.state == model::LeaseState::active || lease.state == model::LeaseState::unconfirmed;
    if (!rented || profile.platform.kind == model::PlatformKind::owned) return std::nullopt;
    WallTime since = lease.began;
    for (const model::Run& run : runs) {
        if (!model::is_terminal(run.verdict.kind)) return std::nullopt;
        since = std::max({since, run.created, run.verdict_at});
    }
    const std::int64_t idle = now.seconds - since.seconds;
    const bool long_ago = static_cast<double>(idle) > profile.meter.forgotten_warn_h * k_hour;
    return long_ago ? std::optional{idle} : std::nullopt;
}

namespace {

// What receipts hold of one run, for questions that are asked of the ledger alone.
class Held {
  public:
    explicit Held(std::span<const ledger::ProvenFile> covered) {
        for (const ledger::ProvenFile& file : covered) {
            if (file.entry.structure == model::Structure::broken) continue;
            const model::ManifestEntry& entry = file.entry.file;
            contents_.emplace(entry.path, entry.root);
            states_.emplace(entry.path, entry.size, entry.mtime);
        }
    }
    // An entry without a digest was only seen: then an equal size and time must do, and the gate looks closer.
    [[nodiscard]] bool has(const model::ManifestEntry& entry) const {
        return entry.root.empty() ? states_.contains({entry.path, entry.size, entry.mtime})
                                  : contents_.contains({entry.path, entry.root});
    }

  private:
    std::set<std::pair<std::string_view, std::string_view>> contents_{};
    std::set<std::tuple<std::string_view, std::uint64_t, WallTime>> states_{};
};

// Whether the list was made after the run had ended: what a run writes later is not in it.
bool listed_at_the_end(const model::Run& run, const ledger::Manifest& manifest) {
    const bool ended_by_record = std::ranges::any_of(
        manifest.entries, [](const auto& entry) { return entry.path == "_run/exit.json" && !entry.root.empty(); });
    return manifest.made >= run.verdict_at || (run.attempt == 1 && ended_by_record);
}

std::string risk_text(const model::Run& run, const std::optional<ledger::Manifest>& manifest,
                      std::span<const ledger::ProvenFile> covered) {
    if (!model::is_terminal(run.verdict.kind)) return " is " + std::string{model::name_of(run.verdict.kind)};
    if (run.spec.scratch) return {};
    if (run.spec.roster.empty()) return " was launched without --out, so nothing says what it must leave behind";
    if (!manifest) return ": what it left behind was never listed";
    const Held held{covered};
    std::size_t needed = 0;
    std::size_t missing = 0;
    bool results = false;
    for (const model::ManifestEntry& entry : manifest->entries) {
        if (entry.wanted != model::RosterClass::must) continue;
        ++needed;
        results = results || !entry.path.starts_with(k_run_prefix);
        if (!held.has(entry)) ++missing;
    }
    if (missing > 0)
        return ": " + std::to_string(missing) + " of " + counted(needed, "file") +
               (missing == 1 ? " is not proven" : " are not proven");
    if (!listed_at_the_end(run, *manifest)) return ": it went on after the last pull";
    results = results || std::ranges::any_of(covered, [](const ledger::ProvenFile& file) {
                  return file.entry.file.wanted == model::RosterClass::must &&
                         !file.entry.file.path.starts_with(k_run_prefix);
              });
    if (judge::left_nothing(run.spec.roster, run.verdict.kind, results))
        return ": nothing was there of what its roster names";
    return {};
}

}  // namespace

std::optional<RiskView> risk_of(const model::Run& run, const std::optional<ledger::Manifest>& manifest,
                                std::span<const ledger::ProvenFile> covered) {
    const std::string text = risk_text(run, manifest, covered);
    if (text.empty()) return std::nullopt;
    return RiskView{run.spec.name, run.spec.name + text};
}

namespace {

constexpr const char* k_undeclared_key = "down.undeclared";

std::string given_up_key(const std::string& run) {
    return "given-up." + run;
}

}  // namespace

Status note_undeclared(ledger::Ledger& ledger, std::int64_t lease, const std::string& found) {
    return ledger.set_note(lease, k_undeclared_key, found);
}

Result<std::string> last_undeclared(const ledger::Ledger& ledger, std::int64_t lease) {
    TRY_ASSIGN(const auto note, ledger.note(lease, k_undeclared_key));
    return note.value_or("");
}

Status give_up(ledger::Ledger& ledger, std::int64_t lease, const std::string& run) {
    return ledger.set_note(lease, given_up_key(run), "by name");
}

Result<bool> was_given_up(const ledger::Ledger& ledger, std::int64_t lease, const std::string& run) {
    TRY_ASSIGN(const auto note, ledger.note(lease, given_up_key(run)));
    return note.has_value();
}

namespace {

// The login user's home on the box, as far as the root below it tells; empty if it does not.
std::string home_of(const model::Profile& profile, const model::Lease& lease) {
    const std::string& data = profile.paths.data_dir;
    if (!data.starts_with('~')) return {};
    const std::string below = judge::clean_box_path("/" + data.substr(1) + "/drawhitch/" + lease.project);
    return lease.root.ends_with(below) ? lease.root.substr(0, lease.root.size() - below.size()) : std::string{};
}

// The places of the box that end with it, as its profile says.
std::optional<judge::TierMap> tiers_of(const model::Profile& profile, const model::Lease& lease) {
    const model::MeterVerb* verb = model::find_verb(profile, model::Verb::terminate);
    if (verb == nullptr) return std::nullopt;
    return judge::TierMap{profile, *verb, home_of(profile, lease)};
}

}  // namespace

Result<LeaseView> view_lease(const Op& op, const ledger::Ledger& ledger, const model::Lease& lease, CopyCheck check) {
    LeaseView view{.lease = lease, .spent = spent_on(lease, op.clock.wall())};
    const auto profile = config::load_profile(lease.profile_toml, lease.profile + ".toml", "");
    if (profile.ok()) {
        view.clocks = running_clocks(profile.value, lease, op.clock.wall());
    } else {
        op.warn("the profile kept with " + lease.name + " cannot be read; its danger clocks are not shown");
    }
    if (lease.state == model::LeaseState::closed) return view;
    TRY_ASSIGN(const auto runs, ledger.runs(lease.id));
    if (profile.ok()) view.idle_s = idle_for(profile.value, lease, runs, op.clock.wall());
    const auto tiers = profile.ok() ? tiers_of(profile.value, lease) : std::nullopt;
    DyingPlaces dying = tiers ? DyingPlaces{lease, *tiers} : DyingPlaces{};
    for (const model::Run& run : runs) {
        TRY_ASSIGN(const auto manifest, ledger.latest_manifest(run.id));
        TRY_ASSIGN(const KeptCopies kept, kept_copies(op, ledger, run.id, check, &dying));
        auto risk = risk_of(run, manifest, kept.here);
        if (!risk) continue;
        // Nobody asked the box now.
        if (!model::is_terminal(run.verdict.kind) && lease.last_contact != WallTime{})
            risk->reason += ", as last seen at " + rfc3339(lease.last_contact);
        view.at_risk.push_back(std::move(*risk));
    }
    return view;
}

Result<std::vector<LeaseView>> view_leases(const Op& op, const ledger::Ledger& ledger, ledger::Which which) {
    TRY_ASSIGN(const auto leases, ledger.leases(which));
    std::vector<LeaseView> views;
    for (const model::Lease& lease : leases) {
        TRY(op.check());
        TRY_ASSIGN(LeaseView view, view_lease(op, ledger, lease));
        views.push_back(std::move(view));
    }
    return views;
}

}  // namespace drawhitch::flow
