// The words of the enumerations, in one place, both ways.
#include <array>
#include <utility>

#include "core/model/lease.hpp"
#include "core/model/roster.hpp"
#include "core/model/run.hpp"

namespace drawhitch::model {

namespace {

template <class E>
using Row = std::pair<E, std::string_view>;

constexpr std::array k_transports{
    Row<TransportKind>{TransportKind::automatic, "auto"},
    Row<TransportKind>{TransportKind::ssh, "ssh"},
    Row<TransportKind>{TransportKind::openssh, "openssh"},
    Row<TransportKind>{TransportKind::local, "local"},
};
constexpr std::array k_lease_states{
    Row<LeaseState>{LeaseState::active, "active"},
    Row<LeaseState>{LeaseState::stopped, "stopped"},
    Row<LeaseState>{LeaseState::unconfirmed, "unconfirmed"},
    Row<LeaseState>{LeaseState::closed, "closed"},
};
constexpr std::array k_roster_classes{
    Row<RosterClass>{RosterClass::must, "must"},
    Row<RosterClass>{RosterClass::nice, "nice"},
    Row<RosterClass>{RosterClass::scratch, "scratch"},
};
constexpr std::array k_structures{
    Row<Structure>{Structure::not_checked, "not-checked"},
    Row<Structure>{Structure::sound, "sound"},
    Row<Structure>{Structure::broken, "broken"},
    Row<Structure>{Structure::unknown_format, "unknown-format"},
};
constexpr std::array k_verdicts{
    Row<VerdictKind>{VerdictKind::queued, "QUEUED"},
    Row<VerdictKind>{VerdictKind::starting, "STARTING"},
    Row<VerdictKind>{VerdictKind::running, "RUNNING"},
    Row<VerdictKind>{VerdictKind::stalled, "STALLED"},
    Row<VerdictKind>{VerdictKind::done, "DONE"},
    Row<VerdictKind>{VerdictKind::done_but_up, "DONE-BUT-UP"},
    Row<VerdictKind>{VerdictKind::failed, "FAILED"},
    Row<VerdictKind>{VerdictKind::artifacts_missing, "ARTIFACTS-MISSING"},
    Row<VerdictKind>{VerdictKind::preempted, "PREEMPTED"},
    Row<VerdictKind>{VerdictKind::lost_at_reboot, "LOST-AT-REBOOT"},
    Row<VerdictKind>{VerdictKind::unreachable, "UNREACHABLE"},
    Row<VerdictKind>{VerdictKind::unknown, "UNKNOWN"},
};

template <class Rows, class E>
std::string_view word(const Rows& rows, E value) {
    for (const auto& row : rows) {
        if (row.first == value) return row.second;
    }
    return "?";
}

template <class Rows>
auto value(const Rows& rows, std::string_view text) -> std::optional<decltype(rows[0].first)> {
    for (const auto& row : rows) {
        if (row.second == text) return row.first;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(TransportKind kind) {
    return word(k_transports, kind);
}
std::optional<TransportKind> transport_kind(std::string_view name) {
    return value(k_transports, name);
}
std::string_view name_of(LeaseState state) {
    return word(k_lease_states, state);
}
std::optional<LeaseState> lease_state(std::string_view name) {
    return value(k_lease_states, name);
}
std::string_view name_of(RosterClass wanted) {
    return word(k_roster_classes, wanted);
}
std::optional<RosterClass> roster_class(std::string_view name) {
    return value(k_roster_classes, name);
}
std::string_view name_of(Structure structure) {
    return word(k_structures, structure);
}
std::optional<Structure> structure(std::string_view name) {
    return value(k_structures, name);
}
std::string_view name_of(VerdictKind kind) {
    return word(k_verdicts, kind);
}
std::optional<VerdictKind> verdict_kind(std::string_view name) {
    return value(k_verdicts, name);
}

bool is_terminal(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::done:
        case VerdictKind::failed:
        case VerdictKind::artifacts_missing:
        case VerdictKind::preempted:
        case VerdictKind::lost_at_reboot:
            return true;
        case VerdictKind::queued:
        case VerdictKind::starting:
        case VerdictKind::running:
        case VerdictKind::stalled:
        case VerdictKind::done_but_up:
        case VerdictKind::unreachable:
        case VerdictKind::unknown:
            return false;
    }
    return false;
}

}  // namespace drawhitch::model
