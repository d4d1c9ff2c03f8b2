#include "core/judge/machine.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace drawhitch::judge {

namespace {

model::PlaceFacts roomy(const std::string& name, const std::string& path) {
    model::PlaceFacts place;
    place.name = name;
    place.path = path;
    place.exists = place.writable = place.executable = true;
    place.bytes_free = 100ULL << 30U;
    place.bytes_total = 200ULL << 30U;
    place.inodes_free = 1'000'000;
    place.inodes_total = 2'000'000;
    place.filesystem = "ext2/ext3";
    return place;
}

model::MachineFacts good_machine() {
    model::MachineFacts machine;
    machine.now = 1000;
    machine.user = "root";
    machine.system = "Linux";
    machine.machine = "x86_64";
    machine.os = "Ubuntu 22.04";
    machine.tools = {"tmux", "setsid", "nohup", "find", "awk", "stat", "nvidia-smi"};
    machine.env = {"HOME", "PATH", "CUDA_HOME"};
    machine.container_env = {"HOME", "PATH", "CUDA_HOME"};
    machine.gpus = {"NVIDIA H100 80GB HBM3, 81559 MiB, 550.54.15"};
    machine.places = {roomy("data", "/workspace")};
    return machine;
}

constexpr ClockReading k_same{999, 1001};

std::vector<Finding> judged(const model::MachineFacts& machine, ClockReading clock = k_same) {
    return judge_machine(machine, model::Profile{}, clock, {"x86_64", "aarch64"});
}

Grade grade_of(const std::vector<Finding>& findings, const std::string& rule) {
    const auto found =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule; });
    REQUIRE(found != findings.end());
    CHECK_FALSE(found->evidence.empty());
    if (found->grade == Grade::warn || found->grade == Grade::fail) CHECK_FALSE(found->advice.empty());
    return found->grade;
}

}  // namespace

TEST_CASE("each tier tells what wipes it, and where the data lie") {
    model::Profile profile;
    model::Storage disk;
    disk.name = "disk";
    disk.path = "/";
    disk.survives = {model::Downtime::restart};
    model::Storage volume;
    volume.name = "volume";
    volume.path = "/workspace";
    volume.survives = {model::Downtime::restart, model::Downtime::stop, model::Downtime::terminate};
    volume.bills_after_destroy = true;
    model::Storage memory;
    memory.name = "memory";
    memory.path = "~/ram";
    profile.storage = {disk, volume, memory};
    auto machine = good_machine();
    machine.home = "/root";
    std::vector<std::string> told;
    for (const Finding& finding : judge_machine(machine, profile, k_same, {"x86_64"}))
        if (finding.rule == "tier") told.push_back(finding.evidence);
    CHECK(told == std::vector<std::string>{
                      "disk at /: survives restart; wiped by stop, terminate",
                      "volume at /workspace: survives restart, stop, terminate; bills on after the box's end; your "
                      "data lie here",
                      "memory at /root/ram: wiped by restart, stop, terminate"});
}

TEST_CASE("a good box passes in every row") {
    const auto findings = judged(good_machine());
    for (const Finding& finding : findings) {
        CAPTURE(finding.rule, finding.evidence);
        CHECK(finding.grade == Grade::pass);
    }
    CHECK(worst(findings) == Grade::pass);
}

TEST_CASE("a system the helper does not run on fails") {
    auto machine = good_machine();
    machine.system = "Darwin";
    CHECK(grade_of(judged(machine), "system") == Grade::fail);
    machine = good_machine();
    machine.machine = "riscv64";
    CHECK(grade_of(judged(machine), "system") == Grade::fail);
    CHECK(worst(judged(machine)) == Grade::fail);
}

TEST_CASE("clock skew is what lies outside our two readings") {
    auto machine = good_machine();
    struct Row {
        std::int64_t now;
        Grade grade;
    };
    for (const Row& row :
         {Row{999, Grade::pass}, Row{1001, Grade::pass}, Row{1005, Grade::pass}, Row{1060, Grade::info},
          Row{900, Grade::info}, Row{1400, Grade::warn}, Row{0, Grade::warn}}) {
        machine.now = row.now;
        CAPTURE(row.now);
        CHECK(grade_of(judged(machine), "clock") == row.grade);
    }
    machine.now.reset();
    CHECK(grade_of(judged(machine), "clock") == Grade::not_checked);
}

TEST_CASE("space and inodes are judged apart") {
    auto machine = good_machine();
    machine.places[0].bytes_free = 5ULL << 30U;
    CHECK(grade_of(judged(machine), "data.space") == Grade::warn);
    machine.places[0].bytes_free = 100ULL << 20U;
    CHECK(grade_of(judged(machine), "data.space") == Grade::fail);
    CHECK(grade_of(judged(machine), "data.inodes") == Grade::pass);
    machine = good_machine();
    machine.places[0].inodes_free = 3'000;
    CHECK(grade_of(judged(machine), "data.inodes") == Grade::warn);
    machine.places[0].inodes_free = 20;
    CHECK(grade_of(judged(machine), "data.inodes") == Grade::fail);
}

TEST_CASE("a data directory that cannot be written fails, one on a network is told") {
    auto machine = good_machine();
    machine.places[0].writable = false;
    CHECK(grade_of(judged(machine), "data") == Grade::fail);
    machine = good_machine();
    machine.places[0].filesystem = "nfs";
    CHECK(grade_of(judged(machine), "data") == Grade::info);
}

TEST_CASE("a durable place that the profile promises must be there") {
    auto machine = good_machine();
    machine.places.push_back(roomy("durable", "/vol"));
    machine.places.back().exists = false;
    CHECK(grade_of(judged(machine), "durable") == Grade::warn);
}

TEST_CASE("variables of the container that SSH sessions lack are named, never their values") {
    auto machine = good_machine();
    machine.container = true;
    machine.container_env = {"HOME", "PATH", "HF_TOKEN", "CUDA_VISIBLE_DEVICES"};
    const auto findings = judged(machine);
    CHECK(grade_of(findings, "env") == Grade::warn);
    const auto env =
        std::find_if(findings.begin(), findings.end(), [](const Finding& finding) { return finding.rule == "env"; });
    CHECK(env->evidence.find("HF_TOKEN, CUDA_VISIBLE_DEVICES") != std::string::npos);
    machine.container_env.clear();
    CHECK(grade_of(judged(machine), "env") == Grade::not_checked);
}

TEST_CASE("a way to detach that no run is started with is no way to detach") {
    auto machine = good_machine();
    machine.tools = {"systemd-run", "sbatch", "find", "awk", "stat"};
    CHECK(grade_of(judged(machine), "detach") == Grade::warn);
}

TEST_CASE("missing tools, missing ways to detach and a sick driver are named") {
    auto machine = good_machine();
    machine.tools = {"nohup", "find", "awk"};
    machine.gpus.clear();
    machine.gpu_trouble = "Failed to initialize NVML: Driver/library version mismatch";
    const auto findings = judged(machine);
    CHECK(grade_of(findings, "tools") == Grade::warn);
    CHECK(grade_of(findings, "detach") == Grade::warn);
    CHECK(grade_of(findings, "gpu") == Grade::fail);
}

TEST_CASE("a box that tells nothing is judged without inventing anything") {
    const auto findings = judged(model::MachineFacts{});
    CHECK(grade_of(findings, "clock") == Grade::not_checked);
    CHECK(grade_of(findings, "data") == Grade::not_checked);
    CHECK(grade_of(findings, "system") == Grade::fail);
}

}  // namespace drawhitch::judge
