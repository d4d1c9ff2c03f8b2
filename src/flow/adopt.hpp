// Adopt: from the line a console gives to a lease: the endpoint resolved, the host key confirmed, the box looked at,
// and all of it kept. Also moves an existing lease to a new endpoint. Sends nothing before the host key is accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/machine.hpp"
#include "core/parse/ssh_line.hpp"
#include "flow/connector.hpp"
#include "flow/deps.hpp"

namespace drawhitch::disk {
class ProfileStore;
}

namespace drawhitch::flow {

struct AdoptRequest {
    std::string name{};
    std::vector<std::string> line{};  // "ssh", "-p", "40022", "root@203.0.113.7"; "local" for this machine
    std::optional<model::TransportKind> transport{};
    std::string profile{};                  // id; empty: inferred
    std::string project{};                  // empty: the project's
    std::string data_dir{};                 // above the profile's
    std::string accept_host_key{};          // "SHA256:…", "any"; empty: ask
    std::optional<std::string> password{};  // installs the public key with it, once
    std::optional<double> price_hour{};
    std::string currency{};
};

struct AdoptReport {
    model::Lease lease{};
    bool updated{false};  // the name existed, and was moved to this endpoint
    std::optional<model::HostKey> host_key{};
    bool new_key{false};
    model::MachineFacts machine{};
    std::string why_profile{};    // "its host name fits", "its environment has X"; empty where it was said
    std::string why_transport{};  // "it is reached through a jump host"; empty where there was no choice to explain
    std::vector<std::string> passed_over{};  // parts of the line without a meaning here
    std::string project_file{};              // drawhitch.toml, if it was created now
    // Directories of runs on the box that this ledger does not know, another laptop's or a lost ledger's. Nothing of
    // theirs is proven here, so they keep the gate closed.
    std::vector<std::string> unknown_runs{};
    bool more_unknown_runs{false};  // than these
};

// Codes: usage (the line, the name), host_key, exists (the name is another machine's), those of Transport::exec, and of
// Ledger. With Deps::dry_run everything is looked at and nothing is kept.
Result<AdoptReport> adopt(const Op& op, Deps& deps, LeaseConnector& connector, const disk::ProfileStore& profiles,
                          const AdoptRequest& request);

}  // namespace drawhitch::flow
