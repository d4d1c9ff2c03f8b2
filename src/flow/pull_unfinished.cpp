#include "flow/pull_unfinished.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "flow/lease_word.hpp"
#include "flow/pull.hpp"
#include "flow/pull_parts.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

// By whatever links and dots a directory is called.
std::string real_path(const std::string& path) {
    std::error_code failed;
    const auto real = std::filesystem::canonical(path, failed);
    return failed ? path : real.string();
}

}  // namespace

Result<std::optional<Error>> unfinished_pull(const Deps& deps, const std::string& directory) {
    const std::string ours = directory + "/" + std::string{proto::k_private_dir};
    if (!exists(ours)) return std::optional<Error>{};
    TRY_ASSIGN(const auto leases, deps.ledger.leases(ledger::Which::all));
    for (const model::Lease& lease : leases) {
        TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
        for (const model::Run& run : runs) {
            if (!exists(ours + "/" + pull_landing_id(lease, run))) continue;
            TRY_ASSIGN(const std::string usual, default_pull_directory(deps, lease, run.spec.name));
            PullOptions again{};
            if (usual != directory) again.to = directory;
            return std::optional{Error{Code::not_found, "the pull of run " + run.spec.name + " into " +
                                                            printable(directory) + " is unfinished"}
                                     .because("it was interrupted; the same command takes it up again")
                                     .then(pull_command(again, word_of(lease), run.spec.name))};
        }
    }
    return std::optional<Error>{};
}

Result<std::string> pull_that_landed(const Deps& deps, const std::string& directory) {
    const std::string place = real_path(directory);
    std::string command;
    std::int64_t newest = 0;
    TRY_ASSIGN(const auto leases, deps.ledger.leases(ledger::Which::all));
    for (const model::Lease& lease : leases) {
        TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
        for (const model::Run& run : runs) {
            TRY_ASSIGN(const auto receipts, deps.ledger.receipts(run.id));
            const auto here = std::ranges::find_if(
                receipts, [&](const model::Receipt& receipt) { return real_path(receipt.directory) == place; });
            if (here == receipts.end() || here->id < newest) continue;
            newest = here->id;
            TRY_ASSIGN(const std::string usual, default_pull_directory(deps, lease, run.spec.name));
            PullOptions again{};
            if (real_path(usual) != place) again.to = place;
            command = pull_command(again, word_of(lease), run.spec.name);
        }
    }
    return command;
}

}  // namespace drawhitch::flow
