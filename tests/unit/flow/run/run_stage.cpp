#include "run_stage.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>

#include "core/judge/run_verdict.hpp"

namespace drawhitch::support {

namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message + " (" + result.error().why + ")");
    return std::move(result).value();
}

bool contains(const std::string& path, const std::string& text) {
    return std::filesystem::exists(path) && read_file(path).find(text) != std::string::npos;
}

}  // namespace

RunStage::RunStage() : lease_(local_.adopt("b1").id) {
    std::filesystem::create_directories(local_.root() + "/releases/abc0");
    write_file(local_.root() + "/releases/abc0/train.py", "print('hello')\n");
    write_file(local_.root() + "/current", "abc0\n");
}

RunStage::~RunStage() {
    // Nothing may be thrown here: it would end the whole program, and with it the message of the test that failed.
    const auto runs = local_.ledger().runs(lease_);
    const auto kept = local_.ledger().lease(lease_);
    if (!runs || !kept) return;
    const auto views = flow::poll_runs(op, deps(), *kept, *runs);
    if (!views) return;
    for (const auto& view : *views) {
        if (!view.facts) continue;
        for (const std::int64_t pid : judge::living_processes(*view.facts))
            ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    // Environment files lie in the machine's own memory filesystem.
    std::error_code ignored;
    if (const auto files = local_.ledger().volatile_files(lease_)) {
        for (const auto& file : *files)
            std::filesystem::remove(file.path, ignored);
    }
}

model::Lease RunStage::lease() {
    return must(local_.ledger().lease(lease_));
}

flow::LaunchOptions RunStage::job(const std::string& script, const std::vector<std::string>& out) {
    flow::LaunchOptions options;
    options.command = {"sh", "-c", script};
    for (const std::string& pattern : out)
        options.roster.push_back({pattern, model::RosterClass::must});
    return options;
}

flow::LaunchReport RunStage::launch(const flow::LaunchOptions& options) {
    return must(flow::launch(op, deps(), lease(), options));
}

model::Verdict RunStage::verdict(const std::string& run) {
    return must(flow::view_runs(op, deps(), lease(), run)).runs.front().verdict;
}

model::Verdict RunStage::await(const std::string& run, const std::vector<model::VerdictKind>& kinds) {
    const Instant limit = system_clock().now() + std::chrono::seconds(10);
    for (;;) {
        auto seen = verdict(run);
        if (std::find(kinds.begin(), kinds.end(), seen.kind) != kinds.end()) return seen;
        if (system_clock().now() > limit) {
            throw std::runtime_error("waited in vain, last seen: " + std::string(model::name_of(seen.kind)) + " " +
                                     seen.cause);
        }
        const Cancel never;
        system_clock().sleep(milliseconds{20}, never);
    }
}

std::string RunStage::run_file(const std::string& run, const std::string& file) {
    return local_.root() + "/runs/" + run + "/" + file;
}

void RunStage::await_text(const std::string& run, const std::string& file, const std::string& text) {
    const Instant limit = system_clock().now() + std::chrono::seconds(10);
    while (!contains(run_file(run, file), text)) {
        if (system_clock().now() > limit) throw std::runtime_error("waited in vain for " + text + " in " + file);
        const Cancel never;
        system_clock().sleep(milliseconds{10}, never);
    }
}

}  // namespace drawhitch::support
