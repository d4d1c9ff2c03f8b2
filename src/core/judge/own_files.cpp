#include "core/judge/own_files.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

// Magic, epoch, owner and a note of at most 200 bytes (helper/claim.cpp), with room for their lengths.
constexpr std::uint64_t k_epoch_most = 256;
// Environments are read by a shell in one go; the kernel takes no larger one.
constexpr std::uint64_t k_environment_most = 2U << 20U;
constexpr std::uint64_t k_helper_most = 16U << 20U;
constexpr std::uint64_t k_note_most = 64U << 10U;
constexpr std::uint64_t k_probe_most = 4U << 20U;  // helper/probe.cpp makes a sparse file of this size

constexpr std::string_view k_parts = "/parts/";

constexpr std::size_t k_build_digits = 16;
constexpr std::size_t k_token_digits = 32;
constexpr std::size_t k_token_start = 8;  // as much of it as the name of an environment file has
constexpr std::size_t k_random_digits = 16;
constexpr std::size_t k_digest_digits = 64;

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_fence(std::string_view name, std::uint64_t size) {
    return name == "epoch" ? size <= k_epoch_most : (name == "gate" || name == "lock") && size == 0;
}

// "<project>.<run>.<start of the token>.env", or that while it is written.
bool is_environment(std::string_view name) {
    if (name.ends_with(".new")) name.remove_suffix(4);
    if (!name.ends_with(".env")) return false;
    name.remove_suffix(4);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || !is_hex(name.substr(dot + 1), k_token_start)) return false;
    const std::string_view names = name.substr(0, dot);
    const std::size_t between = names.find('.');
    return between != std::string_view::npos && between > 0 && between + 1 < names.size();
}

// "jobs.<token>.<attempt>".
bool is_wrapper_note(std::string_view name) {
    const std::string_view rest = behind(name, "jobs.");
    return rest.size() > k_token_digits + 1 && is_hex(rest.substr(0, k_token_digits), k_token_digits) &&
           rest[k_token_digits] == '.' && is_number(rest.substr(k_token_digits + 1));
}

// "helper-<build>", or ".new-<build>.<pid>" while it arrives.
bool is_helper_image(std::string_view name) {
    if (is_hex(behind(name, "helper-"), k_build_digits)) return true;
    const std::string_view rest = behind(name, ".new-");
    return rest.size() > k_build_digits + 1 && is_hex(rest.substr(0, k_build_digits), k_build_digits) &&
           rest[k_build_digits] == '.' && is_number(rest.substr(k_build_digits + 1));
}

}  // namespace

bool is_own_file(std::string_view path, std::uint64_t size) {
    const std::string_view name = base_of(path);
    const std::string_view folder = base_of(parent_of(path));
    if (folder == k_private_name) return is_fence(name, size);
    if (is_number(behind(folder, "drawhitch-"))) {
        return (is_environment(name) && size <= k_environment_most) || (is_wrapper_note(name) && size <= k_note_most) ||
               (is_helper_image(name) && size <= k_helper_most);
    }
    return is_number(behind(folder, ".drawhitch-helper-")) && is_helper_image(name) && size <= k_helper_most;
}

bool is_own_part(std::string_view below, std::uint64_t size) {
    if (behind(below, k_private_name).substr(0, k_parts.size()) != k_parts) return false;
    const std::string_view name = below.substr(k_private_name.size() + k_parts.size());
    if (is_hex(behind(name, "push-"), k_digest_digits) || is_hex(behind(name, "tmp-"), k_random_digits)) return true;
    const std::string_view probe = behind(name, "probe-");
    return probe.size() > k_random_digits + 1 && is_hex(probe.substr(0, k_random_digits), k_random_digits) &&
           probe[k_random_digits] == '/' && probe.find('/', k_random_digits + 1) == std::string_view::npos &&
           size <= k_probe_most;
}

bool is_run_control(std::string_view name, std::uint64_t size) {
    constexpr std::array<std::string_view, 8> k_names{"claim",   "release",  "start.json", "start.json.new",
                                                      "attempt", "oom_file", "gpus",       "exit.json.new"};
    // As long as commands and complaints are.
    constexpr std::array<std::string_view, 4> k_long_names{"gpus.new", "run.sh.new", "run.json.new", "copy.err"};
    if (std::ranges::find(k_long_names, name) != k_long_names.end()) return size <= k_environment_most;
    if (size > k_note_most) return false;
    return std::ranges::find(k_names, name) != k_names.end() || is_hex(behind(name, "claim."), k_token_digits) ||
           is_number(behind(name, "stage.")) || is_number(behind(name, "jobs."));
}

namespace {

using Check = bool (*)(std::string_view content);

// One line of at most so many bytes, with its end.
bool is_line(std::string_view content, std::size_t most) {
    return !content.empty() && content.size() <= most && content.find('\n') == content.size() - 1;
}

std::string_view line_of(std::string_view content) {
    return content.substr(0, content.size() - 1);
}

bool is_token(std::string_view content) {
    return is_line(content, k_token_digits + 1) && is_hex(line_of(content), k_token_digits);
}

bool is_digest(std::string_view content) {
    return is_line(content, k_digest_digits + 1) && is_hex(line_of(content), k_digest_digits);
}

// A run without code has no digest.
bool is_release(std::string_view content) {
    return content == "\n" || is_digest(content);
}

bool is_attempt(std::string_view content) {
    return is_line(content, 12) && is_number(line_of(content));
}

bool is_stage(std::string_view content) {
    return is_line(content, 64) &&
           line_of(content).find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

// "0,1", "GPU-8d2f…", or nothing where all are meant.
bool is_gpu_list(std::string_view content) {
    constexpr std::size_t k_most = 4096;
    if (content.size() > k_most) return false;
    if (content.ends_with('\n')) content.remove_suffix(1);
    if (content.empty()) return true;
    const auto is_gpu = [](std::string_view part) {
        const bool named = part.starts_with("GPU-") || part.starts_with("MIG-");
        return is_number(part) ||
               (named && part.substr(4).find_first_not_of("0123456789abcdefABCDEF-/GPU") == std::string_view::npos);
    };
    while (!content.empty()) {
        const std::string_view part = content.substr(0, content.find(','));
        if (!is_gpu(part)) return false;
        content.remove_prefix(std::min(content.size(), part.size() + 1));
    }
    return true;
}

bool is_counter(std::string_view content) {
    constexpr std::size_t k_longest = 4097;
    return is_line(content, k_longest) && content.front() == '/' &&
           (line_of(content).ends_with("/memory.events") || line_of(content).ends_with("/memory.oom_control"));
}

// One object on one line, as templates/box/run.sh and stop.sh begin it. The room behind it is blank.
bool is_record(std::string_view content) {
    constexpr std::size_t k_most = 4096;
    if (content.size() > k_most) return false;
    const std::size_t end = content.find('\n');
    const std::string_view first = content.substr(0, end);
    const bool blank = first.find_first_not_of(' ') == std::string_view::npos;
    const std::string_view rest = end == std::string_view::npos ? std::string_view{} : content.substr(end);
    return (blank || first.starts_with("{\"schema\":1,\"attempt\":")) &&
           rest.find_first_not_of(" \n") == std::string_view::npos;
}

// What the shell says of its one job.
bool is_job_words(std::string_view content) {
    constexpr std::size_t k_most = 4096;
    return content.empty() || (content.size() <= k_most && content.front() == '[');
}

bool is_wrapper(std::string_view content) {
    return content.empty() || content.starts_with("#!/bin/sh\n# Written by drawhitch for the run ");
}

bool is_run_record(std::string_view content) {
    return content.empty() || content.front() == '{';
}

// Each line is one of cp's own.
bool is_complaint(std::string_view content) {
    for (std::size_t at = 0; at < content.size();) {
        if (!content.substr(at).starts_with("cp:")) return false;
        const std::size_t end = content.find('\n', at);
        at = end == std::string_view::npos ? content.size() : end + 1;
    }
    return true;
}

bool is_epoch(std::string_view content) {
    return content.starts_with("dhepoch1");
}

struct Known {
    std::string_view name{};
    Check check{};
};

Check check_of(std::string_view path) {
    constexpr std::array<Known, 15> k_known{{{"claim", is_token},
                                             {"lease-nonce", is_token},
                                             {"current", is_digest},
                                             {"release", is_release},
                                             {"attempt", is_attempt},
                                             {"gpus", is_gpu_list},
                                             {"gpus.new", is_gpu_list},
                                             {"oom_file", is_counter},
                                             {"start.json", is_record},
                                             {"start.json.new", is_record},
                                             {"exit.json.new", is_record},
                                             {"run.sh.new", is_wrapper},
                                             {"run.json.new", is_run_record},
                                             {"copy.err", is_complaint},
                                             {"epoch", is_epoch}}};
    const std::string_view name = base_of(path);
    for (const Known& known : k_known)
        if (known.name == name) return known.check;
    if (name.starts_with("claim.")) return is_token;
    if (name.starts_with("stage.")) return is_stage;
    return name.starts_with("jobs.") ? is_job_words : nullptr;
}

}  // namespace

bool is_own_state(std::string_view path) {
    return check_of(path) != nullptr;
}

bool holds_own_state(std::string_view path, std::string_view content) {
    const Check check = check_of(path);
    return check == nullptr || check(content);
}

}  // namespace drawhitch::judge
