// Deps: everything a use case touches besides its Op. It all arrives here; there are no singletons.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/op.hpp"
#include "core/model/lease.hpp"
#include "core/model/project.hpp"

namespace drawhitch::agent {
class HelperImages;
class Throttle;
}  // namespace drawhitch::agent
namespace drawhitch::ledger {
class Ledger;
}
namespace drawhitch::term {
class Prompt;
}
namespace drawhitch::transport {
class Transport;
}

namespace drawhitch::flow {

// Makes transports. Production: flow/connector.hpp; tests give their own (local, fake, faulty).
class Connector {
  public:
    virtual ~Connector() = default;
    // A transport for the lease's endpoint that accepts the lease's pinned host keys only. It connects on first use.
    // Several may be alive for one lease (one connection each).
    virtual Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) = 0;
    // How many of them a transfer may have at once.
    [[nodiscard]] virtual int most_at_once(const model::Lease& /*lease*/) const { return 1; }
};

// Where the command runs: places on the laptop and the environment. All paths absolute.
struct Laptop {
    std::string directory{};   // working directory (after -C)
    std::string home{};        // may be empty
    std::string state_dir{};   // $XDG_STATE_HOME/drawhitch
    std::string config_dir{};  // $XDG_CONFIG_HOME/drawhitch
    std::function<std::optional<std::string>(const std::string& name)> environment{};
};

// The drawhitch.toml in force, if there is one. Without one `values` holds the defaults and `file` is empty.
struct ProjectContext {
    model::Project values{};
    std::string file{};       // absolute path of drawhitch.toml
    std::string directory{};  // its directory; without a file, the working directory
};

// References outlive the flow. `ledger` is open.
struct Deps {
    ledger::Ledger& ledger;
    Connector& connector;
    const agent::HelperImages& helpers;
    term::Prompt& prompt;
    const Laptop& laptop;
    const ProjectContext& project;
    const model::Settings& settings;
    bool dry_run{false};
    std::shared_ptr<agent::Throttle> throttle{};  // null: as fast as the path is
};

}  // namespace drawhitch::flow
