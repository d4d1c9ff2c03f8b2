#include "core/judge/resume_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace drawhitch::judge {

namespace {

constexpr std::array<std::string_view, 18> k_endings{
    ".pt",   ".pth", ".ckpt",  ".safetensors", ".bin",    ".npz",   ".npy",       ".h5",     ".hdf5",
    ".gguf", ".pkl", ".orbax", ".msgpack",     ".distcp", ".index", ".ckpt-meta", ".joblib", ".json"};
constexpr std::array<std::string_view, 6> k_starts{"latest", "last", "best", "checkpoint", "ckpt", "resume"};
constexpr std::array<std::string_view, 6> k_temporary{".tmp", ".temp", ".part", ".swp", ".lock", ".pyc"};

bool ends_with_one_of(std::string_view name, const auto& endings) {
    return std::ranges::any_of(endings, [name](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

bool may_be_resumed_from(std::string_view path) {
    std::string lower{path};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    std::string_view rest = lower;
    if (ends_with_one_of(rest, k_endings)) return true;
    if (ends_with_one_of(rest, k_temporary)) return false;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (std::ranges::any_of(k_starts, [part](std::string_view start) { return part.starts_with(start); }))
            return true;
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return false;
}

}  // namespace drawhitch::judge
