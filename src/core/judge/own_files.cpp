#include "core/judge/own_files.hpp"

#include <algorithm>
#include <array>

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

// The rest of `text` behind `start`; empty when it does not begin so.
std::string_view behind(std::string_view text, std::string_view start) {
    return text.starts_with(start) ? text.substr(start.size()) : std::string_view{};
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

}  // namespace drawhitch::judge
