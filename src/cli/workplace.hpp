// Workplace: what a command that touches boxes stands in: the laptop's places, the project in force, the open ledger
// and the way to boxes. A handler opens it first; commands that need none of it (version, help) never do, so they stay
// quick and always work.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "flow/connector.hpp"
#include "flow/deps.hpp"
#include "io/agent/helper_images.hpp"
#include "io/disk/profile_store.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::cli {

class Workplace {
  public:
    // Reads the nearest drawhitch.toml and opens the ledger. Code::config when there is no home, or when the file is
    // wrong (all problems at once); Code::local_io when the working directory is gone; the Codes of Ledger::open. Keys
    // of the project that need `drawhitch trust` and do not have it are left out, with a warning.
    static Result<std::unique_ptr<Workplace>> open(Context& context);
    // The same for verbs that only look: of a project's file that is wrong nothing counts, with a warning.
    static Result<std::unique_ptr<Workplace>> open_to_look(Context& context);
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    ~Workplace() = default;

    // What every flow receives.
    [[nodiscard]] flow::Deps& deps() { return *deps_; }
    [[nodiscard]] ledger::Ledger& ledger() { return *ledger_; }
    [[nodiscard]] const flow::ProjectContext& project() const { return project_; }
    [[nodiscard]] const flow::Laptop& laptop() const { return laptop_; }
    [[nodiscard]] const disk::ProfileStore& profiles() const { return *profiles_; }
    [[nodiscard]] transport::SecretPrompt& secrets() { return *secrets_; }
    [[nodiscard]] flow::LeaseConnector& connector() { return *connector_; }

    // What --limit says, above [connection] bandwidth. Code::usage for a word that is no rate.
    Status limit_bandwidth(std::string_view word);

    // Between two looks at this box: what the project or the user says, else the lease's profile, else the built-in.
    [[nodiscard]] milliseconds poll_interval(const model::Lease& lease) const;

    // The box that is meant where none is named: the project's, or the only open lease.
    Result<std::optional<std::string>> usual_box() const;
    // BOX as typed, or the project's box, or the only open lease when BOX was left out; then the words behind it.
    // With `numbers`, the number of a lease is a name, too.
    Result<BoxArguments> box(const Parsed& parsed, bool numbers = false) const;
    // The same with its lease, which must be open.
    struct Target {
        model::Lease lease{};
        Arguments rest{};
    };
    Result<Target> target(const Parsed& parsed) const;
    // The same, where the box is only read: BOX@LEASE names a lease that may have ended.
    Result<Target> target_to_read(const Parsed& parsed) const;
    // The same, where only the ledger is read: a closed lease (the newest of that name) will do, and its number.
    Result<Target> target_of_any_time(const Parsed& parsed) const;

  private:
    Workplace() = default;
    enum class WrongFile { stops, warns };
    static Result<std::unique_ptr<Workplace>> open(Context& context, WrongFile wrong);
    Status find_project(Context& context, WrongFile wrong);
    Result<std::string> line_with_box(const Parsed& parsed, const std::vector<model::Lease>& open) const;
    Status check_first_word(const Parsed& parsed, const model::Lease& lease) const;

    std::string* meant_box_{nullptr};  // of the context, which outlives this
    flow::Laptop laptop_{};
    model::Connection connection_{};
    flow::ProjectContext project_{};
    agent::HelperImages helpers_{agent::HelperImages::embedded()};
    std::optional<disk::ProfileStore> profiles_{};
    std::optional<ledger::Ledger> ledger_{};
    std::optional<flow::TerminalSecrets> secrets_{};
    std::optional<flow::LeaseConnector> connector_{};
    std::optional<flow::Deps> deps_{};
};

}  // namespace drawhitch::cli
