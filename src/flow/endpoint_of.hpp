// From a pasted line to an endpoint: what the user said, then what their SSH configuration says of the host, then the
// profile. Part of adopt.
#pragma once

#include <string>

#include "core/model/lease.hpp"
#include "core/model/profile.hpp"
#include "core/parse/ssh_config.hpp"
#include "core/parse/ssh_line.hpp"
#include "flow/connector.hpp"

namespace drawhitch::flow {

struct Resolved {
    model::Endpoint endpoint{};
    std::string why_transport{};
};

// `wanted` is the transport the user asked for, if any. Reads the user's SSH configuration through `ssh -G`; without an
// ssh program the line alone counts.
Result<Resolved> resolve_endpoint(const Op& op, const LeaseConnector& connector, const parse::SshLine& line,
                                  const model::Profile& profile, std::optional<model::TransportKind> wanted);

// Who asks: the laptop, and the name of the user here.
struct LocalSide {
    Laptop laptop{};
    std::string user{};
};

// The decisions alone; pure.
Resolved decide_endpoint(const parse::SshLine& line, const parse::SshConfig& config, const model::Profile& profile,
                         std::optional<model::TransportKind> wanted, const LocalSide& here);

// The command that adopts this lease's box again under its name: "drawhitch adopt b1 ssh -p 22 root@203.0.113.7".
std::string adopt_again(const model::Lease& lease);
// The same with the word PORT, for a box that moved; empty for the local box, which cannot.
std::string adopt_elsewhere(const model::Lease& lease);

}  // namespace drawhitch::flow
