// DownStage: this machine as a rented box of one directory with one release, for tests of teardowns.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "flow/down/down.hpp"
#include "flow/pull.hpp"
#include "flow/push.hpp"
#include "run/run_stage.hpp"

namespace drawhitch::support {

// A rented box: one directory of this machine, which dies with it; the rest of the machine survives.
inline std::string rented_profile(const std::string& wiped, const std::string& destroys = "\"box\"") {
    return "schema = 1\n[platform]\nid = \"generic-ssh\"\nname = \"test\"\nkind = \"bare\"\nversion = \"1\"\n"
           "verified_on = 2026-06-30\nmax_age_d = 1825\nconfidence = \"B\"\n[ssh]\ntransport = \"auto\"\n"
           "[[storage]]\nname = \"box\"\npath = \"" +
           wiped + "\"\nrole = [\"data\", \"scratch\"]\nsurvives = [\"restart\"" +
           std::string{destroys.empty() ? ", \"terminate\"" : ""} +
           "]\nscope = \"instance\"\nbills_after_destroy = "
           "false\n"
           "[[storage]]\nname = \"laptop\"\npath = \"/\"\nrole = [\"data\"]\nsurvives = [\"restart\", \"stop\", "
           "\"terminate\"]\nscope = \"machine\"\nbills_after_destroy = false\n"
           "[paths]\ndata_dir = \"" +
           wiped +
           "\"\ndurable_dir = \"\"\nscratch = [\"*.tmp\"]\n[meter]\ngrain_s = 3600\nos_poweroff_stops = false\n"
           "egress_gb = -1\ningress_gb = -1\n[[meter.verb]]\nname = \"terminate\"\nstops = [" +
           (destroys.empty() ? "" : "\"compute\", \"disk\"") + "]\ndestroys = [" + destroys +
           "]\nreversible = " + (destroys.empty() ? "true" : "false") +
           "\nmanual = \"Press the red button.\"\n[detach]\nprefer = [\"setsid\", \"nohup\"]\n[cuda]\nsource = "
           "\"measure\"\n"
           "arch = [\"x86_64\"]\n[limits]\nready_timeout_s = 60\npoll_s = 30\n";
}

struct DownStage : RunStage {
    std::string box{};
    term::EchoGuard echo{};
    term::Prompt yes{term::PromptOptions{.no_input = true, .yes = true}, echo};

    explicit DownStage(const std::string& destroys = "\"box\"") {
        std::filesystem::remove_all(local().root());
        box = local().root().substr(0, local().root().size() - std::string{"/drawhitch/demo"}.size());
        REQUIRE(local().ledger().set_profile(lease().id, "generic-ssh", rented_profile(box, destroys)));
        write_file(local().project_directory() + "/train.py", "print('hello')\n");
        flow::PushOptions push{};
        push.box = "b1";
        const auto pushed = flow::push(op, deps(), push);
        INFO((pushed ? "" : pushed.error().message));
        REQUIRE(pushed);
    }
    // A run that has ended, with a checkpoint of 3 bytes.
    void finished_run(const std::string& script = "printf abc >a.pt", const std::vector<std::string>& out = {"*.pt"}) {
        auto options = job(script, out);
        options.name = "r1";
        launch(options);
        await("r1", {model::VerdictKind::done, model::VerdictKind::failed, model::VerdictKind::artifacts_missing});
    }
    void pull() {
        const auto report = flow::pull(op, deps(), {.box = "b1", .run = "r1"});
        REQUIRE(report);
        REQUIRE_FALSE(report->problem);
    }
    Result<flow::DownReport> try_down(flow::DownOptions options = {}, bool dry = false) {
        flow::Deps mine{deps().ledger, deps().connector, deps().helpers, yes,
                        deps().laptop, deps().project,   deps().settings};
        mine.dry_run = dry;
        return flow::down(op, mine, lease(), options);
    }
    flow::DownReport down(const flow::DownOptions& options = {}, bool dry = false) {
        auto report = try_down(options, dry);
        INFO((report ? "" : report.error().message + " / " + report.error().why));
        REQUIRE(report);
        return std::move(*report);
    }
    [[nodiscard]] std::string work() { return local().root() + "/runs/r1/work"; }
};

inline std::vector<std::string> ids(const flow::DownReport& report) {
    std::vector<std::string> list{};
    for (const auto& reason : report.gate.reasons)
        list.push_back(reason.id + " " + reason.subject);
    return list;
}

inline bool closed_by(const flow::DownReport& report, const std::string& id, const std::string& subject) {
    const auto list = ids(report);
    for (const auto& reason : report.gate.reasons)
        UNSCOPED_INFO(reason.id << ": " << reason.text);
    return !report.gate.open && std::ranges::find(list, id + " " + subject) != list.end();
}

}  // namespace drawhitch::support
