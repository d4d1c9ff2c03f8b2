// The scripts that prepare, start and stop a run on the box (templates/box/{prepare,start,stop}.sh). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/project.hpp"
#include "core/model/run.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

struct PrepareSpec {
    std::string nonce{};
    std::string root{};
    std::string name{};
    std::string token{};
    std::string mark{};     // the lease's nonce, as it lies under the root; empty: not looked at
    bool marked{false};     // it was seen there before, so it must be there
    std::string release{};  // tree hash below releases/, or "@current"; empty: an empty work tree
    bool share_gpus{false};
    std::string gpus{};  // "0,1": of these no other live run may have any; empty: all
    std::vector<std::string> persist{};
    std::vector<model::Link> links{};
    std::vector<std::string> volatile_dirs{};  // candidates, the best first
    BoxRoots roots{};
};
std::string prepare_script(const PrepareSpec& spec);

// Where secrets of a run may lie when the profile names no place: memory first.
std::vector<std::string> volatile_candidates(const std::string& of_profile);

struct StartSpec {
    std::string nonce{};
    std::string run_dir{};
    std::string name{};
    int attempt{1};
    std::string driver{};  // "tmux", "setsid" or "nohup"
    std::string environment_file{};
    std::string environment_text{};
    std::string wrapper_text{};
    std::string record_text{};  // run.json
    std::string gpus{};
};
std::string start_script(const StartSpec& spec);

// What a stop script does: end the recorded group, end named processes that carry the run's token, or take the start
// away from a claim that never started.
enum class StopKind { group, strays, abandon };

struct StopSpec {
    std::string nonce{};
    StopKind kind{StopKind::group};
    std::string run_dir{};
    std::int64_t attempt{1};
    model::RunIdentity identity{};
    std::string token{};
    std::string signal{};  // "TERM", "KILL"
    std::vector<std::int64_t> strays{};
    BoxRoots roots{};
};
std::string stop_script(const StopSpec& spec);

struct LogSpec {
    std::string nonce{};
    std::string run_dir{};
    std::optional<std::int64_t> from{};  // absent: the last `cap` bytes
    std::int64_t cap{0};
};
std::string log_script(const LogSpec& spec);

// The first driver of the preference that the box has and this version can use; empty when there is none.
std::string choose_driver(const std::vector<std::string>& preferred, const std::vector<std::string>& available);

}  // namespace drawhitch::plan
