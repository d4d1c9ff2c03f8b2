#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <csignal>
#include <filesystem>

#include "box.hpp"
#include "core/judge/run_verdict.hpp"
#include "core/parse/glob.hpp"
#include "core/plan/roster_scan.hpp"

using namespace drawhitch;
using model::RosterClass;
using support::FakeBox;
using support::Shell;

namespace {

std::vector<std::string> sh(const std::string& script) {
    return {"sh", "-c", script};
}

}  // namespace

TEST_CASE("a probe sees a live job, its log and its artifacts under every shell") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    const auto spec =
        box.lay_out("r1", sh("mkdir -p ckpt/a; echo one >ckpt/a/1.bin; echo two >ckpt/2.bin; echo x >x.txt; "
                             "echo 'step 7/9'; sleep 60"));
    support::write_file(spec.work_dir + "/old.bin", "old");
    std::filesystem::last_write_time(spec.work_dir + "/old.bin",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    (void)box.launch("r1", spec.command);
    while (box.log("r1").find("step") == std::string::npos)
        box.await(box.run_file("r1", "log"));
    const auto poll = box.probe({{"r1",
                                  {{"ckpt/**", RosterClass::must},
                                   {"*.bin", RosterClass::must},
                                   {"/old.bin", RosterClass::must},
                                   {"nothing/*", RosterClass::must},
                                   {"ckpt/", RosterClass::must}},
                                  0}});
    CHECK(poll.complete);
    CHECK(poll.box.now.value_or(0) > 1'700'000'000);
    CHECK(poll.box.uptime.value_or(0) > 0);
    CHECK(poll.box.bytes_free.value_or(0) > 0);
    const auto& run = poll.runs[0];
    INFO(shell.name);
    REQUIRE(run.artifacts.size() == 5);
    for (const auto& artifact : run.artifacts)
        CHECK(artifact.known);
    CHECK(run.artifacts[0].count == 2);
    CHECK(run.artifacts[0].newer == 2);
    CHECK(run.artifacts[0].bytes == 8);
    CHECK(run.artifacts[1].count == 3);
    CHECK(run.artifacts[1].newer == 2);
    CHECK(run.artifacts[2].count == 1);
    CHECK(run.artifacts[2].newer == 0);
    CHECK(run.artifacts[3].count == 0);
    CHECK(run.artifacts[4].count == 2);
    CHECK(run.log_bytes == "step 7/9\n");
    // busybox's shell may become its last command.
    CHECK_FALSE(run.members.empty());
    CHECK(run.carriers.size() == run.members.size());
    CHECK_FALSE(run.wrapper_parent.empty());
    CHECK(run.wrapper_parent.find("sshd") == std::string::npos);
    judge::RunPolicy policy;
    CHECK(judge::judge_run(poll, run, {}, policy, {}).verdict.kind == model::VerdictKind::running);
}

TEST_CASE("only new bytes of a log travel, and of a flood only its end") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    (void)box.lay_out("r1", {});
    std::string text;
    for (int i = 0; i < 100'000; ++i)
        text += "line " + std::to_string(i) + "\n";
    support::write_file(box.run_file("r1", "log"), text);
    const auto size = static_cast<std::int64_t>(text.size());
    const auto at = [&](std::int64_t from, std::int64_t cap) { return box.probe({{"r1", {}, from}}, cap).runs[0]; };
    for (const std::int64_t from : {std::int64_t{0}, size - 10'000, size - 1}) {
        const auto run = at(from, 65536);
        REQUIRE(run.log_from + static_cast<std::int64_t>(run.log_bytes.size()) == size);
        CHECK(run.log_bytes.size() < 65536 + 3 * 4096);
        CHECK(run.log_bytes == text.substr(static_cast<std::size_t>(run.log_from)));
    }
    CHECK(at(size, 65536).log_bytes.empty());
    CHECK(at(0, 0).log_bytes.empty());
    CHECK(at(0, 0).log_size == size);
}

TEST_CASE("what is missing on the box is missing in the facts") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    CHECK(box.facts("r1").directory == model::RunDirectory::absent);
    (void)box.lay_out("r1", {});
    auto run = box.facts("r1", {{"*.bin", RosterClass::must}});
    CHECK(run.directory == model::RunDirectory::present);
    CHECK(run.claimed);
    CHECK_FALSE(run.start);
    CHECK(run.artifacts[0].known);
    std::filesystem::remove_all(box.run_file("r1", "work"));
    CHECK_FALSE(box.facts("r1", {{"*.bin", RosterClass::must}}).artifacts[0].known);
    support::write_file(box.run_file("r1", "start.json"), "{\"torn\":");
    CHECK(box.facts("r1").unreadable_record);
    std::filesystem::rename(box.root(), box.root() + ".gone");
    CHECK(box.facts("r1").directory == model::RunDirectory::no_root);
    std::filesystem::rename(box.root() + ".gone", box.root());
}

TEST_CASE("the probe's patterns mean what the roster's patterns mean") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    FakeBox box(shell);
    const auto spec = box.lay_out("r1", {});
    const std::vector<std::string> files{
        "a.bin",       "b/a.bin",         "b/c/a.bin", "ckpt-1/x",     "ckpt-1/deep/y", "best",
        "sub/best/z",  "a/x/c.json",      "a/c.json",  "a/x/y/c.json", "we[ird].bin",   "back\\slash",
        "d.e+f(g)|h$", "caf\xc3\xa9.bin", "x^y",       "x-y",          "x]y",           "UP.BIN",
        "7z"};
    for (const auto& file : files) {
        const std::string path = spec.work_dir + "/" + file;
        std::filesystem::create_directories(path.substr(0, path.rfind('/')));
        support::write_file(path, "1");
    }
    const std::vector<std::string> patterns{
        "*.bin",     "/*.bin",  "b/**",   "best",      "ckpt-*/",         "a/*/c.json",    "a/**/c.json", "**",
        "**/best",   "b/*",     "?.bin",  "[a-c].bin", "we\\[ird\\].bin", "back\\\\slash", "d.e+f(g)|h$", "caf?.bin",
        "caf??.bin", "x[]^-]y", "x[!]]y", "x[^a-]y",   "[[:upper:]]*",    "[[:digit:]z]*", "./b/a.bin",   "b/c",
        "sub/*/",    "*/",      "/a",     "a**",       "**/c.json",       "x[\\]]y"};
    model::Roster roster;
    for (const auto& pattern : patterns)
        roster.push_back({pattern, RosterClass::must});
    const auto run = box.facts("r1", roster);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        const auto glob = parse::Glob::compile(patterns[i]);
        REQUIRE(glob);
        std::size_t expected = 0;
        for (const auto& file : files)
            expected += static_cast<std::size_t>(glob->covers(file));
        INFO(shell.name << ": " << patterns[i] << " as " << plan::roster_scan(patterns[i]).expression);
        REQUIRE(run.artifacts[i].known);
        CHECK(run.artifacts[i].count == expected);
    }
}
