#include <catch2/catch_test_macros.hpp>

#include "core/judge/profile_match.hpp"
#include "core/judge/resume_names.hpp"

namespace drawhitch::judge {

TEST_CASE("the profile of which most variables are set fits, and a draw is none") {
    model::MachineFacts machine{};
    machine.env = {"HOME", "A_ID", "A_REGION"};
    machine.container_env = {"B_ID"};
    const std::vector<EnvMatch> all{{"a", {"A_ID", "A_REGION"}}, {"b", {"B_ID", "B_X"}}, {"c", {"C_ID"}}, {"d", {}}};
    const EnvChoice most = choose_by_env(machine, all);
    CHECK(most.profile == "a");
    CHECK(most.found == std::vector<std::string>{"A_ID", "A_REGION"});
    machine.env = {"HOME"};
    CHECK(choose_by_env(machine, all).profile == "b");
    machine.env = {"A_ID"};
    const EnvChoice draw = choose_by_env(machine, all);
    CHECK(draw.profile.empty());
    CHECK(draw.rivals == std::vector<std::string>{"a", "b"});
    machine = {};
    CHECK(choose_by_env(machine, all).profile.empty());
    CHECK(choose_by_env(machine, all).rivals.empty());
}

TEST_CASE("what a resume may need is known by its name") {
    for (const char* path :
         {"a.pt", "out/model.safetensors", "latest", "out/latest/rank0", "last_state", "Best.CKPT",
          "checkpoint-100/rng", "ckpt/x", "state.json", "cache/opt.bin", "latest.pt.tmp", "ckpt/step-1.pt.part"})
        CHECK(may_be_resumed_from(path));
    for (const char* path : {"junk.tmp", "__pycache__/a.pyc", "scratch/x", "log.txt", "at_last", ""})
        CHECK_FALSE(may_be_resumed_from(path));
}

}  // namespace drawhitch::judge
