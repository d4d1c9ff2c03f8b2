// Deps for tests of use cases: a ledger in a directory of its own, this machine as the box, nobody at the keyboard.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/op.hpp"
#include "flow/deps.hpp"
#include "io/agent/helper_images.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

// Child processes instead of connections.
class LocalConnector final : public flow::Connector {
  public:
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override;
};

class LocalDeps {
  public:
    // In a directory of its own, or in one that is the caller's: what an earlier one left there is found again.
    explicit LocalDeps(const Op& op, const std::string& directory = {});
    LocalDeps(const LocalDeps&) = delete;
    LocalDeps& operator=(const LocalDeps&) = delete;

    [[nodiscard]] flow::Deps& deps() { return *deps_; }
    [[nodiscard]] ledger::Ledger& ledger() { return *ledger_; }
    [[nodiscard]] model::Project& project() { return project_.values; }
    // Where the project lies on the laptop; made on first use.
    [[nodiscard]] std::string project_directory() const { return directory_ + "/project"; }
    // Where the box's root is.
    [[nodiscard]] std::string root() const { return directory_ + "/box/drawhitch/demo"; }
    // A stored lease of that name with transport local and `root()`.
    model::Lease adopt(const std::string& name);

  private:
    std::optional<TempDir> own_{};
    std::string directory_{};
    std::unique_ptr<ledger::Ledger> ledger_{};
    LocalConnector connector_{};
    agent::HelperImages helpers_;
    term::EchoGuard echo_{};
    std::unique_ptr<term::Prompt> prompt_{};
    flow::Laptop laptop_{};
    flow::ProjectContext project_{};
    model::Settings settings_{};
    std::unique_ptr<flow::Deps> deps_{};
};

}  // namespace drawhitch::support
