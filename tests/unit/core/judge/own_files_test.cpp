#include "core/judge/own_files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "core/judge/undeclared.hpp"

namespace drawhitch::judge {

namespace {

const std::string k_hex(16, 'a');
const std::string k_token(32, 'b');

}  // namespace

TEST_CASE("our own small files are known by place, name and size") {
    for (const std::string& path :
         {std::string{"/data/.drawhitch/gate"}, std::string{"/.drawhitch/lock"}, std::string{"/data/.drawhitch/epoch"},
          std::string{"/dev/shm/drawhitch-0/demo.r1.0123abcd.env"}, "/tmp/drawhitch-1000/jobs." + k_token + ".2",
          std::string{"/dev/shm/drawhitch-7/my.project.run.0123abcd.env.new"}, "/dev/shm/drawhitch-7/helper-" + k_hex,
          "/data/.drawhitch-helper-0/helper-" + k_hex, "/tmp/drawhitch-0/.new-" + k_hex + ".4711"}) {
        CAPTURE(path);
        CHECK(is_own_file(path, 0));
        CHECK_FALSE(is_own_file(path, 1ULL << 30U));
        CHECK_FALSE(is_own_file(path + "x", 0));
    }
    for (const char* path :
         {"/data/.drawhitch/best.pt", "/data/.drawhitch/epoch/best.pt", "/data/epoch", "/data/x.drawhitch/gate",
          "/data/.drawhitch/sub/lock", "/dev/shm/demo.r1.0123abcd.env", "/dev/shm/drawhitch-me/demo.r1.0123abcd.env",
          "/dev/shm/drawhitch-0/demo.0123abcd.env", "/dev/shm/drawhitch-0/demo.r1.0123ABCD.env",
          "/dev/shm/drawhitch-0/weights.env", "/dev/shm/drawhitch-0/best.pt", "/tmp/drawhitch-0/helper-me", "/", ""}) {
        CAPTURE(path);
        CHECK_FALSE(is_own_file(path, 0));
    }
    CHECK_FALSE(is_own_file("/data/.drawhitch/gate", 1));
    CHECK_FALSE(is_own_file("/data/.drawhitch/epoch", 4096));
}

TEST_CASE("parts are known by the shape of their names") {
    CHECK(is_own_part(".drawhitch/parts/push-" + std::string(64, '0'), 1ULL << 40U));
    CHECK(is_own_part(".drawhitch/parts/tmp-" + k_hex, 5));
    CHECK(is_own_part(".drawhitch/parts/probe-" + k_hex + "/sparse", 4U << 20U));
    for (const std::string& path :
         {std::string{".drawhitch/parts/best.pt"}, std::string{".drawhitch/parts/push-1234"},
          std::string{".drawhitch/parts/"}, std::string{".drawhitch/parts"}, std::string{"parts/tmp-"} + k_hex,
          std::string{"x/.drawhitch/parts/tmp-"} + k_hex, ".drawhitch/parts/tmp-" + k_hex + "/best.pt",
          ".drawhitch/parts/probe-" + k_hex + "/a/b", ".drawhitch/parts/probe-" + k_hex + "/"}) {
        CAPTURE(path);
        CHECK_FALSE(is_own_part(path, 5));
    }
    CHECK_FALSE(is_own_part(".drawhitch/parts/probe-" + k_hex + "/sparse", 1ULL << 30U));
}

TEST_CASE("what the wrapper keeps beside a work tree is known by name and size") {
    for (const std::string& name : {std::string{"claim"}, "claim." + k_token, std::string{"stage.1"},
                                    std::string{"jobs.12"}, std::string{"run.sh.new"}, std::string{"gpus"}}) {
        CAPTURE(name);
        CHECK(is_run_control(name, 100));
        CHECK_FALSE(is_run_control(name, 1ULL << 30U));
    }
    for (const char* name : {"stage.pt", "claim.pt", "jobs.", "stage.1.pt", "best.pt", "log", "exit.json", "started.1"})
        CHECK_FALSE(is_run_control(name, 1));
}

TEST_CASE("our small files are ours only while they hold what we write there") {
    const std::string digest(64, 'a');
    const std::vector<std::pair<std::string, std::string>> good{
        {"current", digest + "\n"},
        {"lease-nonce", k_token + "\n"},
        {"r/claim", k_token + "\n"},
        {"r/claim." + k_token, k_token + "\n"},
        {"r/release", digest + "\n"},
        {"r/release", "\n"},
        {"r/attempt", "2\n"},
        {"r/gpus", "0,1"},
        {"r/gpus", ""},
        {"r/oom_file", "/sys/fs/cgroup/x/memory.events\n"},
        {"r/start.json", "{\"schema\":1,\"attempt\":1,\"token\":\"x\"}\n"},
        {"r/exit.json.new", std::string(63, ' ') + "\n" + std::string(63, ' ') + "\n"},
        {"r/exit.json.new", "{\"schema\":1,\"attempt\":1}\n" + std::string(63, ' ') + "\n"},
        {"r/stage.1", "environment\n"},
        {"r/jobs.1", "[1]+  Killed   start_job\n"},
        {"r/copy.err", "cp: cannot stat 'x'\ncp: y\n"},
        {".drawhitch/epoch", "dhepoch1\x01"},
        {"r/whatever", "thesis"},
    };
    for (const auto& [name, content] : good) {
        CAPTURE(name, content);
        CHECK(holds_own_state("/data/p/" + name, content));
    }
    for (const auto& [name, content] : good) {
        if (name == "r/whatever" || content.empty()) continue;
        CAPTURE(name, content);
        CHECK(is_own_state("/data/p/" + name));
        CHECK_FALSE(holds_own_state("/data/p/" + name, "precious results\n"));
        CHECK_FALSE(holds_own_state("/data/p/" + name, "0.91\n0.93\n"));
        if (name.ends_with("epoch") || name.ends_with("copy.err") || name == "r/jobs.1") continue;
        CHECK_FALSE(holds_own_state("/data/p/" + name, content + "precious results\n"));
    }
}

TEST_CASE("our directories are no hiding place") {
    Explanations why{};
    why.home = "/home/u";
    why.since = {1000, 0};
    why.runs = {"/data/p/runs/r1"};
    why.written = {"/data/p"};
    Undeclared scan{why};
    const auto add = [&](const std::string& path, std::uint64_t size) {
        return scan.add({path, size, {2000, 0}, false, false});
    };
    CHECK(add("/data/p/.drawhitch/epoch", 40) == Explained::ours);
    CHECK(add("/data/p/.drawhitch/parts/push-" + std::string(64, '1'), 9) == Explained::ours);
    CHECK(add("/data/other/.drawhitch/parts/push-" + std::string(64, '1'), 9) == Explained::no);
    CHECK(add("/data/p/.drawhitch/epoch", 1U << 20U) == Explained::no);
    CHECK(add("/data/p/.drawhitch/best.pt", 9) == Explained::no);
    CHECK(add("/data/p/runs/r1/claim", 33) == Explained::ours);
    CHECK(add("/data/p/runs/r1/stage.pt", 33) == Explained::no);
    CHECK(add("/data/p/runs/r1/work/claim", 33) == Explained::no);
    CHECK(add("/data/p/runs/r2/claim", 33) == Explained::no);
}

}  // namespace drawhitch::judge
