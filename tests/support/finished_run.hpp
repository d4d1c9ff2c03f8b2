// FinishedRun: a local box with one finished run whose files are long settled. For tests of pull, verify and what
// builds on them.
#pragma once

#include <string>
#include <string_view>

#include "core/model/run.hpp"
#include "flow/pull.hpp"
#include "support/local_deps.hpp"
#include "support/test_op.hpp"

namespace drawhitch::support {

// A real checkpoint (2.7 MB, torch.save).
std::string checkpoint();

struct FinishedRun {
    TestOp op{};
    LocalDeps local{op};
    model::Lease lease{local.adopt("b1")};
    std::string run_dir{local.root() + "/runs/r1"};
    model::Run run{};

    FinishedRun();
    // A file of the work tree, written long ago.
    void put(const std::string& path, std::string_view content, unsigned mode = 0644) const;
    // The run in the ledger, named r1.
    void claim(const model::Roster& roster, const std::string& code_hash = {});
    // A pull of b1 that must not fail as a whole.
    flow::PullReport pull(flow::PullOptions options = {});
    // Where pulls land.
    [[nodiscard]] std::string there() const { return local.project_directory() + "/pulls/b1/r1"; }
};

// A file of a pull's report by its path in the manifest; throws when it is not told of.
const flow::PulledFile& pulled_file(const flow::PullReport& report, const std::string& path);

}  // namespace drawhitch::support
