// Runs over a real sshd: they outlive the connection, whatever they do with their descriptors and whatever the box does
// to a session that ends.
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>

#include "core/judge/run_verdict.hpp"
#include "flow/connector.hpp"
#include "flow/run/launch.hpp"
#include "flow/run/logs.hpp"
#include "flow/run/stop.hpp"
#include "flow/run/watch.hpp"
#include "support/local_deps.hpp"
#include "support/private_sshd.hpp"
#include "support/run_program.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using model::VerdictKind;

namespace {

// A laptop that knows one lease: a private server with one release.
class Road {
  public:
    explicit Road(const support::SshdOptions& options = {}) : server(options) {
        const std::string root = server.home() + "/drawhitch/demo";
        std::filesystem::create_directories(root + "/releases/abc0");
        support::write_file(root + "/releases/abc0/train.py", "print('hello')\n");
        support::write_file(root + "/current", "abc0\n");
        model::Lease lease;
        lease.name = "b1";
        lease.profile = "generic-ssh";
        lease.endpoint = {model::TransportKind::ssh, "127.0.0.1", server.port(), server.user(), {},
                          server.client_key()};
        lease.project = "demo";
        lease.root = root;
        auto stored = local_.ledger().add_lease(lease, server.host_keys());
        REQUIRE(stored);
        lease_ = stored->id;
    }
    ~Road() {
        const auto views = flow::poll_runs(op, deps(), lease(), *local_.ledger().runs(lease_));
        if (!views) return;
        for (const auto& view : *views) {
            for (const std::int64_t pid : judge::living_processes(*view.facts))
                ::kill(static_cast<pid_t>(pid), SIGKILL);
        }
        if (const auto files = local_.ledger().volatile_files(lease_)) {
            for (const auto& file : *files)
                std::filesystem::remove(file.path);
        }
    }
    Road(const Road&) = delete;
    Road& operator=(const Road&) = delete;

    [[nodiscard]] flow::Deps& deps() { return deps_; }
    [[nodiscard]] model::Lease lease() { return *local_.ledger().lease(lease_); }
    flow::LaunchReport launch(const std::string& script) {
        flow::LaunchOptions options;
        options.command = {"sh", "-c", script};
        auto report = flow::launch(op, deps(), lease(), options);
        INFO((report ? std::string{} : report.error().message + ": " + report.error().why) << server.log());
        REQUIRE(report);
        return *report;
    }

    support::TestOp op{};
    support::PrivateSshd server;

  private:
    support::LocalDeps local_{op};
    model::Connection connection_{};
    flow::TerminalSecrets secrets_{local_.deps().prompt};
    flow::LeaseConnector connector_{local_.ledger(), local_.deps().laptop, connection_, secrets_};
    flow::Deps deps_{local_.ledger(),       connector_,           local_.deps().helpers,
                     local_.deps().prompt,  local_.deps().laptop, local_.deps().project,
                     local_.deps().settings};
    std::int64_t lease_{0};
};

// The names of a process's ancestors, up to process 1.
std::string ancestors(std::int64_t pid) {
    const std::string script = R"(p=$1
        while [ "$p" -gt 1 ]; do p=$(sed 's/^.*) //' /proc/$p/stat | cut -d' ' -f2); [ "$p" -gt 1 ] && cat /proc/$p/comm
        done)";
    const auto ran = support::run_program({.argv = {"sh", "-c", script, "sh", std::to_string(pid)}});
    return ran.out;
}

// Processes of sshd that serve a session, as children of the server.
std::size_t sessions(pid_t server) {
    const auto ran = support::run_program(
        {.argv = {"sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^.*) //' | awk -v p=\"$1\" '$2 == p' | wc -l",
                  "sh", std::to_string(server)}});
    return std::stoul(ran.out);
}

}  // namespace

TEST_CASE("a launch over ssh returns while the job goes on, whatever it does with its descriptors", "[run]") {
    Road road;
    std::string job;
    SECTION("a job that is quiet for ten minutes") {
        job = "sleep 600";
    }
    SECTION("a job with a daemon that keeps everything open") {
        job = "setsid sleep 600 & sleep 600";
    }
    SECTION("a job that prints without end") {
        job = "yes | head -c 50000000; sleep 600";
    }
    const auto report = road.launch(job);
    CHECK(report.verdict.kind == VerdictKind::running);
    CHECK(report.confirmed);
    CHECK(ancestors(report.run.identity.pid).find("sshd") == std::string::npos);
    // No session of the server is held open by the job.
    const Instant limit = system_clock().now() + std::chrono::seconds(10);
    const Cancel never;
    while (sessions(road.server.pid()) > 0 && system_clock().now() < limit)
        system_clock().sleep(milliseconds{20}, never);
    CHECK(sessions(road.server.pid()) == 0);
}

TEST_CASE("a box that kills the session's processes at logout does not end the job", "[run]") {
    support::TempDir tools;
    support::write_file(tools / "shell",
                        "#!/bin/sh\n/bin/sh \"$@\"\nrc=$?\n"
                        "own=$(sed 's/^.*) //' /proc/$$/stat | cut -d' ' -f4)\n"
                        "for p in $(cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\\([0-9]*\\) (.*) /\\1 /' |\n"
                        "    awk -v s=\"$own\" -v me=$$ '$5 == s && $1 != me { print $1 }'); do\n"
                        "    kill -KILL $p 2>/dev/null\ndone\nexit $rc\n",
                        0755);
    Road road({.login_shell = tools / "shell"});
    const auto report = road.launch("sleep 600");
    CHECK(report.verdict.kind == VerdictKind::running);
}

TEST_CASE("a box that kills all of the user's processes at logout is told as such, not as a crash", "[run]") {
    support::TempDir tools;
    support::write_file(
        tools / "shell",
        // Again until nothing is left: what is forked or changes its program meanwhile is seen the next time.
        "#!/bin/sh\n/bin/sh \"$@\"\nrc=$?\nempty=0\nwhile [ $empty -lt 3 ]; do\n    empty=$((empty + 1))\n"
        "    for p in $(grep -la \"$HOME/drawhitch/demo/runs/r1/run.sh\" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ "
        "-f3) "
        "$(grep -lza \"^DRAWHITCH_RUN_DIR=$HOME\" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do\n"
        "        [ $p = $$ ] || { kill -KILL $p 2>/dev/null && empty=0; }\n    done\ndone\nexit $rc\n",
        0755);
    Road road({.login_shell = tools / "shell"});
    const auto report = road.launch("sleep 600");
    CHECK(report.verdict.kind == VerdictKind::failed);
    CHECK(report.verdict.cause.find("killed at logout") == 0);
    CHECK(road.op.events().told(EventKind::warning, "enable-linger"));
}

TEST_CASE("logs, watch and stop-run work over ssh, and the job's end takes no connection with it", "[run]") {
    Road road;
    road.launch("echo hello; while [ ! -e ../go ]; do sleep 0.05; done; echo 'step 3/3'; kill -KILL -$$");
    std::vector<std::string> lines;
    flow::LogOptions logs;
    logs.follow = true;
    logs.every = milliseconds{20};
    const auto read = flow::read_log(road.op, road.deps(), road.lease(), logs, [&](std::string_view line) {
        lines.emplace_back(line);
        if (line == "hello") support::write_file(road.lease().root + "/runs/r1/go", "");
        return ok();
    });
    REQUIRE(read);
    CHECK(lines == std::vector<std::string>{"hello", "step 3/3"});
    flow::WatchOptions watch;
    watch.every = milliseconds{20};
    const auto seen = flow::watch_runs(road.op, road.deps(), road.lease(), watch, [](const auto&, bool) {});
    REQUIRE(seen);
    CHECK(seen->runs.front().verdict.kind == VerdictKind::failed);
    CHECK(seen->runs.front().verdict.signal == "KILL");

    road.launch("trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done");
    flow::StopOptions stop;
    stop.run = "r2";
    const auto stopped = flow::stop_run(road.op, road.deps(), road.lease(), stop);
    REQUIRE(stopped);
    CHECK(model::is_terminal(stopped->view.verdict.kind));
}
