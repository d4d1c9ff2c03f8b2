#include "core/judge/threads.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using judge::thread_share;

namespace {
const std::vector<std::string> k_python{"python", "train.py"};
}

TEST_CASE("the share is the tightest limit, divided by runs and ranks, and never below one") {
    const model::CpuFacts quota{64, 64, std::nullopt, 4.0};
    CHECK(thread_share(quota, 1, 1, k_python).threads == 4);
    CHECK(thread_share(quota, 4, 1, k_python).threads == 1);
    CHECK(thread_share(quota, 8, 1, k_python).threads == 1);
    CHECK(thread_share({64, 48, std::nullopt, std::nullopt}, 1, 1, k_python).threads == 48);
    CHECK(thread_share({64, std::nullopt, std::nullopt, std::nullopt}, 1, 1, k_python).threads == 64);
    CHECK(thread_share({64, 64, 4, std::nullopt}, 1, 1, k_python).threads == 4);
    CHECK(thread_share({64, 64, std::nullopt, 0.5}, 1, 1, k_python).threads == 1);
    CHECK(thread_share({64, 64, std::nullopt, 7.9}, 1, 1, k_python).threads == 7);
    CHECK(thread_share({64, 64, std::nullopt, std::nullopt}, 2, 8, k_python).threads == 4);
    CHECK(thread_share({64, 64, std::nullopt, std::nullopt}, 0, -3, k_python).threads == 64);
    CHECK(thread_share(quota, 2, 2, k_python).why == "4 CPUs (control group quota) / 2 runs / 2 ranks");
}

TEST_CASE("a box that tells nothing gets no caps") {
    CHECK_FALSE(thread_share({}, 1, 1, k_python).threads);
}

TEST_CASE("launchers that set the variable themselves are left alone") {
    const model::CpuFacts cpu{8, 8, std::nullopt, std::nullopt};
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"torchrun", "--nproc-per-node", "8", "train.py"},
                                               {"/opt/venv/bin/torchrun", "x.py"},
                                               {"accelerate", "launch", "x.py"},
                                               {"deepspeed", "x.py"},
                                               {"sh", "-c", "  torchrun --nproc-per-node 8 x.py"},
                                               {"python3", "-u", "-m", "torch.distributed.run", "x.py"},
                                               {"/usr/bin/python3.11", "-m", "accelerate.commands.launch", "x.py"}}) {
        CHECK_FALSE(thread_share(cpu, 1, 1, command).threads);
        CHECK_FALSE(judge::launcher_of(command).empty());
    }
    for (const auto& command :
         std::vector<std::vector<std::string>>{{},
                                               {"python"},
                                               {"python", "-m"},
                                               {"python", "-m", "torchrunner"},
                                               {"python", "x.py", "-m", "torch.distributed.run"}}) {
        CHECK(judge::launcher_of(command).empty());
    }
}
