// What the box answered to the preparation of a run (templates/box/prepare.sh). Total: what is missing is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/cpu_facts.hpp"

namespace drawhitch::parse {

struct LiveRun {
    std::string name{};
    std::string gpus{};  // empty: all
};

struct PrepareAnswer {
    bool finished{false};                   // the script ran to its end: the work tree is ready
    std::string refused{};                  // one word when it was refused: "taken", "no-release", "copy" …
    std::string because{};                  // what the box said about it; bytes
    bool claimed_before{false};             // our own claim, of a launch whose answer was lost
    std::optional<std::int64_t> claimed{};  // when the name was taken, the box's time
    std::string release{};
    std::vector<std::string> kept{};  // names the code has itself, so that no link was placed
    std::string volatile_dir{};       // ours, private; empty: the box has no such place
    model::CpuFacts cpu{};
    std::vector<std::string> drivers{};
    int gpus{0};
    std::vector<LiveRun> live{};
};

PrepareAnswer prepare_answer(std::string_view text, std::string_view nonce);

}  // namespace drawhitch::parse
