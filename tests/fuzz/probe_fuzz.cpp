// Any bytes as a box's answer: the probe's, the preparation's, a record, a log. Nothing may crash, and a verdict of
// death or success may only come from a record or a proof of death.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/judge/run_verdict.hpp"
#include "core/parse/log_lines.hpp"
#include "core/parse/prepare_answer.hpp"
#include "core/parse/progress.hpp"
#include "core/parse/run_probe.hpp"
#include "core/parse/run_records.hpp"

using namespace drawhitch;

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

void check_verdict(const model::PollFacts& poll, const model::RunFacts& run) {
    judge::RunPolicy policy;
    policy.roster = {{"*.bin", model::RosterClass::must}};
    const auto judged = judge::judge_run(poll, run, {}, policy, {1'800'000'000, 0});
    const auto kind = judged.verdict.kind;
    if (kind == model::VerdictKind::done) must(run.exit && run.exit->code == 0);
    if (kind == model::VerdictKind::failed) must(run.exit || (run.start && run.processes_known));
    if (kind == model::VerdictKind::lost_at_reboot) must(run.start && !run.exit);
    if (judged.verdict.since) must(judged.verdict.since->seconds <= 1'800'000'000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto poll = parse::run_probe(text, "n0", {{"r1", 1}, {"r2", 0}});
    must(poll.runs.size() == 2);
    for (const auto& run : poll.runs)
        check_verdict(poll, run);
    const auto prepared = parse::prepare_answer(text, "n0");
    must(!prepared.finished || prepared.refused.empty());
    (void)parse::start_record(text);
    (void)parse::exit_record(text);
    (void)model::describe(parse::progress(text, size % 2 == 1));
    parse::LogLines lines;
    lines.feed(text, [](std::string_view line) {
        for (char c : line)
            must(c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
    });
    return 0;
}
