// Lease: one rental of a box, from `up` or `adopt` until its end is confirmed. Values only; stored by io/ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace drawhitch::model {

enum class TransportKind { automatic, ssh, openssh, local };

// Where and how a box is reached. Updated when the box moves to another port.
struct Endpoint {
    TransportKind transport{TransportKind::automatic};
    std::string host{};  // name or address; empty for local
    std::uint16_t port{22};
    std::string user{};
    std::string alias{};          // the Host of the user's ssh configuration it came from, if any
    std::string identity_file{};  // a path on the laptop, if given
};

enum class LeaseState {
    active,
    stopped,      // the verb `stop` is confirmed; disks may go on billing
    unconfirmed,  // an end was asked for, and is not proven: may still bill
    closed,       // the end is confirmed (or, for a box without API, the user told so)
};

struct Lease {
    std::int64_t id{0};
    std::string name{};
    std::string profile{};       // id of the profile
    std::string profile_toml{};  // its text when the lease began: teardown must work without the file
    Endpoint endpoint{};
    std::string project{};       // plain name
    std::string root{};          // absolute path of <data_dir>/drawhitch/<project> on the box, bytes
    std::string root_nonce{};    // hex; lies in a file under the root: proves after a restart that it is the same box
    std::string boot_id{};       // last seen
    std::string helper_path{};   // where the helper was last started from; empty: look again
    std::string capabilities{};  // JSON of the root probe (link, symlink, rename, …), empty: not probed
    LeaseState state{LeaseState::active};
    WallTime began{};
    WallTime state_since{};
    WallTime last_contact{};
    std::optional<double> price_hour{};  // in `currency`; unknown unless the user or the provider said it
    std::string currency{"USD"};
    std::string state_reason{};  // why the state was entered
};

// One pinned key of a box. `source` tells where trust came from: "asked", "flag", "known_hosts", "provider".
struct HostKey {
    std::string type{};         // "ssh-ed25519" …
    std::string blob{};         // raw public key bytes
    std::string fingerprint{};  // "SHA256:…"
    std::string source{};
    WallTime seen{};
};

std::string_view name_of(TransportKind kind);
std::optional<TransportKind> transport_kind(std::string_view name);
std::string_view name_of(LeaseState state);
std::optional<LeaseState> lease_state(std::string_view name);

}  // namespace drawhitch::model
