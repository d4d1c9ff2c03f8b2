// What a launch is made of: words, environment, GPUs, drivers.
#include <catch2/catch_test_macros.hpp>

#include "base/text.hpp"
#include "core/plan/gpu_list.hpp"
#include "core/plan/launch_scripts.hpp"
#include "core/plan/run_environment.hpp"
#include "core/plan/script_text.hpp"
#include "core/plan/wrapper.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;

TEST_CASE("a quoted word never leaves a lone dot on a line") {
    for (std::string_view text : {"a\n.\nb", "\n.\n", "\n.\n.\n", "\n.\n\n.\n", "."}) {
        const std::string word = plan::script_word(text);
        INFO(word);
        CHECK(("\n" + word + "\n").find("\n.\n") == std::string::npos);
    }
}

TEST_CASE("commands that cannot be run are refused") {
    plan::WrapperSpec spec;
    CHECK(plan::wrapper_text(spec).error().code == Code::usage);
    spec.command = {"-x"};
    CHECK(plan::wrapper_text(spec).error().code == Code::usage);
    spec.command = {"a", std::string("b\0c", 3)};
    CHECK(plan::wrapper_text(spec).error().code == Code::usage);
    spec.command = {"a"};
    CHECK(plan::wrapper_text(spec));
    spec.activate = std::string("b\0c", 3);
    CHECK(plan::wrapper_text(spec).error().code == Code::usage);
}

TEST_CASE("the record keeps harmless values, and no secret even when asked to") {
    const plan::Variables variables{{"NCCL_DEBUG", "INFO"},  {"OMP_NUM_THREADS", "2"}, {"HF_TOKEN", "s1"},
                                    {"MY_SETTING", "5"},     {"MY_API_KEY", "s2"},     {"WANDB_API_KEY", "s3"},
                                    {"NCCL_SECRET_X", "s4"}, {"db_password", "s5"},    {"OTHER", "s6"},
                                    {"TORCH_AUTH", "s7"}};
    const auto kept = plan::recorded(variables, {"MY_SETTING", "MY_API_KEY"});
    CHECK(kept.shown == plan::Variables{{"MY_SETTING", "5"}, {"NCCL_DEBUG", "INFO"}, {"OMP_NUM_THREADS", "2"}});
    CHECK(kept.hidden.size() == 7);
}

TEST_CASE("names that are no variables and values with NUL are refused without showing the value") {
    for (const char* name : {"", "1A", "A-B", "A B", "A=B", "Ä"})
        CHECK(plan::check_variables({{name, "v"}}).error().code == Code::usage);
    const auto nul = plan::check_variables({{"A", std::string("secret\0x", 8)}});
    REQUIRE_FALSE(nul);
    CHECK(nul.error().message.find("secret") == std::string::npos);
    CHECK(plan::check_variables({{"_a1", "x\ny"}}));
    CHECK(plan::environment_text({{"A", "it's"}}) == "export A='it'\\''s'\n");
}

TEST_CASE("lists of GPUs are read, and nonsense is refused") {
    CHECK(plan::gpu_list("0").value() == "0");
    CHECK(plan::gpu_list("0-3").value() == "0,1,2,3");
    CHECK(plan::gpu_list("0,2,4-5").value() == "0,2,4,5");
    CHECK(plan::gpu_list("GPU-8f2c,MIG-1").value() == "GPU-8f2c,MIG-1");
    for (const char* bad : {"", ",", "0,", "3-1", "-1", "0-", "0,0", "0-2,1", "0;1", "a b", "99999", "1-2-3"})
        CHECK_FALSE(plan::gpu_list(bad));
}

TEST_CASE("the first preferred driver the box has is taken, and a box has a floor") {
    CHECK(plan::choose_driver({"systemd-run", "tmux", "setsid"}, {"setsid", "nohup", "tmux"}) == "tmux");
    CHECK(plan::choose_driver({"tmux"}, {"setsid", "nohup"}) == "setsid");
    CHECK(plan::choose_driver({}, {"nohup"}) == "nohup");
    CHECK(plan::choose_driver({"sbatch"}, {}).empty());
}

TEST_CASE("a shipped profile prefers only what runs are started with") {
    for (const char* id : {"generic-ssh", "local"}) {
        CAPTURE(id);
        const std::string text = support::read_file(support::source_dir() + "/profiles/" + id + ".toml");
        const std::size_t at = text.find("\nprefer = [");
        REQUIRE(at != std::string::npos);
        const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        const auto words = split(line, '"');
        REQUIRE(words.size() > 2);
        for (std::size_t i = 1; i < words.size(); i += 2) {
            const std::string driver{words[i]};
            CAPTURE(driver);
            CHECK(plan::choose_driver({driver}, {driver}) == driver);
        }
    }
}
