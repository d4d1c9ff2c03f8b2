#include "core/plan/gpu_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace drawhitch::plan {

namespace {

constexpr int k_most_gpus = 1024;

std::optional<int> index_of(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    if (value >= k_most_gpus) return std::nullopt;
    return value;
}

}  // namespace

Result<std::string> gpu_list(std::string_view text) {
    const auto wrong = [&] {
        return Error{Code::usage, "\"" + printable(text) + "\" is no list of GPUs"}.because(
            "a list is made of numbers and ranges, as in 0,1 or 0-3, or of device names");
    };
    std::vector<std::string> gpus;
    for (std::string_view part : split(text, ',')) {
        const std::size_t dash = part.find('-');
        const auto from = index_of(part.substr(0, dash));
        const auto to = dash == std::string_view::npos ? from : index_of(part.substr(dash + 1));
        if (from && to && *from <= *to) {
            for (int gpu = *from; gpu <= *to; ++gpu)
                gpus.push_back(std::to_string(gpu));
        } else if (is_plain_name(part) && (part[0] < '0' || part[0] > '9')) {
            gpus.emplace_back(part);
        } else {
            return wrong();
        }
    }
    std::vector<std::string> sorted = gpus;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return wrong();
    return join(gpus, ",");
}

}  // namespace drawhitch::plan
