// RunStage: this machine as a box with one release, for tests of starting, watching and stopping runs. What it started
// is ended with it.
#pragma once

#include <string>
#include <vector>

#include "flow/run/launch.hpp"
#include "flow/run/poll.hpp"
#include "support/local_deps.hpp"
#include "support/test_op.hpp"

namespace drawhitch::support {

class RunStage {
  public:
    RunStage();
    ~RunStage();
    RunStage(const RunStage&) = delete;
    RunStage& operator=(const RunStage&) = delete;

    [[nodiscard]] flow::Deps& deps() { return local_.deps(); }
    [[nodiscard]] LocalDeps& local() { return local_; }
    // As the ledger has it now.
    [[nodiscard]] model::Lease lease();
    // "sh -c SCRIPT" with these must-have patterns.
    static flow::LaunchOptions job(const std::string& script, const std::vector<std::string>& out = {});
    flow::LaunchReport launch(const flow::LaunchOptions& options);
    // Polls until the verdict is one of these; throws after ten seconds.
    model::Verdict await(const std::string& run, const std::vector<model::VerdictKind>& kinds);
    model::Verdict verdict(const std::string& run);
    [[nodiscard]] std::string run_file(const std::string& run, const std::string& file);
    // Waits until a file of the run holds this text.
    void await_text(const std::string& run, const std::string& file, const std::string& text);

    TestOp op{system_clock(), milliseconds{600'000}};  // fault loops share it

  private:
    LocalDeps local_{op};
    std::int64_t lease_{0};
};

}  // namespace drawhitch::support
