#include "support/finished_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <stdexcept>

#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

namespace {

void make_directories(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        ::mkdir(path.substr(0, slash).c_str(), 0755);
    ::mkdir(path.c_str(), 0755);
}

}  // namespace

std::string checkpoint() {
    return read_file(source_dir() + "/tests/golden/structure/model_bf16_a.pt");
}

FinishedRun::FinishedRun() {
    make_directories(run_dir + "/work");
    put("../log", "step 1\nstep 2\n");
    put("../run.json", "{}");
}

void FinishedRun::put(const std::string& path, std::string_view content, unsigned mode) const {
    const std::string full = run_dir + "/work/" + path;
    make_directories(full.substr(0, full.rfind('/')));
    write_file(full, content, mode);
    const struct timespec times[2] = {{1'600'000'000, 7}, {1'600'000'000, 7}};
    if (::utimensat(AT_FDCWD, full.c_str(), times, 0) != 0) throw std::runtime_error("cannot set the time of " + full);
}

void FinishedRun::claim(const model::Roster& roster, const std::string& code_hash) {
    model::RunSpec spec{};
    spec.name = "r1";
    spec.command = {"true"};
    spec.run_dir = run_dir;
    spec.work_dir = run_dir + "/work";
    spec.roster = roster;
    spec.code_hash = code_hash;
    auto claimed = local.ledger().claim_run(lease.id, spec);
    if (!claimed) throw std::runtime_error(claimed.error().message);
    run = *claimed;
}

flow::PullReport FinishedRun::pull(flow::PullOptions options) {
    options.box = "b1";
    auto report = flow::pull(op, local.deps(), options);
    if (!report) throw std::runtime_error(report.error().message);
    return std::move(report).value();
}

const flow::PulledFile& pulled_file(const flow::PullReport& report, const std::string& path) {
    for (const auto& found : report.files)
        if (found.entry.path == path) return found;
    throw std::runtime_error("the pull tells nothing of " + path);
}

}  // namespace drawhitch::support
