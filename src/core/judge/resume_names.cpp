#include "core/judge/resume_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace drawhitch::judge {

namespace {

constexpr std::array<std::string_view, 18> k_endings{
    ".pt",   ".pth", ".ckpt",  ".safetensors", ".bin",    ".npz",   ".npy",       ".h5",     ".hdf5",
    ".gguf", ".pkl", ".orbax", ".msgpack",     ".distcp", ".index", ".ckpt-meta", ".joblib", ".json"};
constexpr std::array<std::string_view, 16> k_starts{"latest", "last",    "best",  "resume",  "global_step", "epoch",
                                                    "step",   "iter_",   "iter-", "model",   "weights",     "optim",
                                                    "state",  "trainer", "rng_",  "snapshot"};
constexpr std::array<std::string_view, 2> k_anywhere{"checkpoint", "ckpt"};
// What a writer appends until the file is whole. After a kill between the two, this is the newest state there is.
constexpr std::array<std::string_view, 6> k_unfinished{".tmp", ".temp", ".part", ".partial", ".new", ".bak"};

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "model.pt.tmp.4711" is "model.pt".
std::string_view finished_name(std::string_view path) {
    for (;;) {
        const auto ending =
            std::ranges::find_if(k_unfinished, [path](std::string_view end) { return path.ends_with(end); });
        const std::size_t dot = path.rfind('.');
        if (ending != k_unfinished.end()) {
            path.remove_suffix(ending->size());
        } else if (dot != std::string_view::npos && is_digits(path.substr(dot + 1))) {
            path.remove_suffix(path.size() - dot);
        } else {
            return path;
        }
    }
}

bool says_so(std::string_view component) {
    return std::ranges::any_of(k_starts,
                               [component](std::string_view start) { return component.starts_with(start); }) ||
           std::ranges::any_of(k_anywhere, [component](std::string_view word) {
               return component.find(word) != std::string_view::npos;
           });
}

}  // namespace

bool may_be_resumed_from(std::string_view path) {
    std::string lower{path};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const std::string_view name = finished_name(lower);
    if (name.ends_with(".pyc")) return false;
    if (std::ranges::any_of(k_endings, [name](std::string_view ending) { return name.ends_with(ending); })) return true;
    for (std::string_view rest = lower; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (says_so(part)) return true;
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return false;
}

}  // namespace drawhitch::judge
