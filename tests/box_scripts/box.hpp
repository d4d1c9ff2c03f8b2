// FakeBox: a project's root in a private directory, on which the real box scripts run under a chosen shell. Jobs it
// starts are ended with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/model/run_facts.hpp"
#include "core/plan/launch_scripts.hpp"
#include "core/plan/probe_script.hpp"
#include "core/plan/run_environment.hpp"
#include "core/plan/wrapper.hpp"
#include "shells.hpp"
#include "support/run_program.hpp"

namespace drawhitch::support {

class FakeBox {
  public:
    explicit FakeBox(const Shell& shell);
    ~FakeBox();
    FakeBox(const FakeBox&) = delete;
    FakeBox& operator=(const FakeBox&) = delete;

    // Runs a script as the box would, from a file.
    [[nodiscard]] Ran script(const std::string& text) const;

    // A prepared run directory and its wrapper, without going through prepare.sh and start.sh.
    plan::WrapperSpec lay_out(const std::string& name, std::vector<std::string> command) const;
    void write_wrapper(const plan::WrapperSpec& spec, const plan::Variables& variables = {}) const;
    // The wrapper from start to end, in the foreground.
    void supervise(const std::string& name) const;
    int start_supervising(const std::string& name) const;

    // prepare.sh and start.sh, with the answers' text.
    [[nodiscard]] Ran prepare(const plan::PrepareSpec& spec) const { return script(plan::prepare_script(spec)); }
    [[nodiscard]] plan::PrepareSpec prepare_spec(const std::string& name) const;
    Ran launch(const std::string& name, std::vector<std::string> command, const std::string& driver = "setsid") const;

    [[nodiscard]] model::PollFacts probe(const std::vector<plan::ProbeRun>& runs, std::int64_t log_cap = 65536) const;
    [[nodiscard]] model::RunFacts facts(const std::string& name, const model::Roster& roster = {}) const;

    [[nodiscard]] std::string run_file(const std::string& name, const std::string& file) const;
    [[nodiscard]] bool exists(const std::string& path) const;
    [[nodiscard]] std::string log(const std::string& name) const { return read_file(run_file(name, "log")); }
    [[nodiscard]] std::optional<model::StartRecord> start(const std::string& name) const;
    [[nodiscard]] std::optional<model::ExitRecord> exit(const std::string& name) const;
    // Waits until the file is there; throws after ten seconds.
    void await(const std::string& path) const;
    void await_exit(const std::string& name) const { await(run_file(name, "exit.json")); }

    [[nodiscard]] const std::string& root() const { return root_; }
    // 32 hex digits, another for each run of each box.
    [[nodiscard]] std::string token_of(const std::string& run) const { return (hex(run) + salt_).substr(0, 32); }
    [[nodiscard]] std::string volatile_dir() const { return dir_ / "volatile"; }
    plan::BoxRoots roots{};

  private:
    void end_jobs() const;

    const Shell& shell_;
    TempDir dir_{};
    std::string root_{};
    std::string salt_{random_hex(16)};
};

constexpr const char* k_nonce = "0123456789abcdef";

}  // namespace drawhitch::support
