#include "core/plan/pull.hpp"

#include <algorithm>
#include <array>

namespace drawhitch::plan {

namespace {

std::int64_t latest(const Unit& unit, std::span<const proto::FileEntry> entries) {
    std::int64_t newest = 0;
    for (const std::size_t file : unit.files) {
        newest = std::max(newest, entries[file].mtime_ns);
    }
    return newest;
}

void newest_first(std::vector<std::size_t>& members, const std::vector<Unit>& units,
                  std::span<const proto::FileEntry> entries) {
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
        const std::int64_t x = latest(units[a], entries);
        const std::int64_t y = latest(units[b], entries);
        return x != y ? x > y : units[a].name > units[b].name;
    });
}

std::vector<Unit> only(std::vector<Unit> units, const std::vector<bool>& keep) {
    std::vector<Unit> kept;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (keep[i]) kept.push_back(std::move(units[i]));
    }
    return kept;
}

// Endings of files that hold a model by themselves, in lower case.
constexpr std::array<std::string_view, 14> k_weights{".pt",  ".pth",  ".ckpt",   ".safetensors", ".bin",
                                                     ".npz", ".gguf", ".h5",     ".hdf5",        ".keras",
                                                     ".pkl", ".onnx", ".joblib", ".msgpack"};

bool is_weights(const Unit& unit) {
    return unit.kind != UnitKind::file || holds_weights(unit.name);
}

}  // namespace

std::string series_of(const std::string& name) {
    std::string series;
    for (char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit) {
            series += c;
        } else if (series.empty() || series.back() != '#') {
            series += '#';
        }
    }
    return series;
}

bool holds_weights(std::string_view path) {
    std::string name{path};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::any_of(k_weights.begin(), k_weights.end(), [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<Unit> keep_newest(std::vector<Unit> units, std::span<const proto::FileEntry> entries, int newest) {
    if (newest <= 0) return units;
    std::map<std::string, std::vector<std::size_t>> by_series;
    for (std::size_t i = 0; i < units.size(); ++i) {
        by_series[series_of(units[i].name)].push_back(i);
    }
    std::vector<bool> keep(units.size(), true);
    for (auto& [series, members] : by_series) {
        newest_first(members, units, entries);
        for (std::size_t i = static_cast<std::size_t>(newest); i < members.size(); ++i) {
            keep[members[i]] = false;
        }
    }
    return only(std::move(units), keep);
}

std::vector<Unit> keep_newest_of_all(std::vector<Unit> units, std::span<const proto::FileEntry> entries, int newest) {
    if (newest <= 0) return units;
    const bool any_weights = std::any_of(units.begin(), units.end(), is_weights);
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < units.size(); ++i)
        if (!any_weights || is_weights(units[i])) counted.push_back(i);
    newest_first(counted, units, entries);
    counted.resize(std::min(counted.size(), static_cast<std::size_t>(newest)));
    std::vector<bool> keep(units.size(), false);
    for (const std::size_t index : counted)
        keep[index] = true;
    return only(std::move(units), keep);
}

std::vector<std::size_t> candidates(std::span<const proto::FileEntry> entries,
                                    const std::map<std::string, LocalFile>& local) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto here = local.find(entries[i].path);
        if (here != local.end() && here->second.size == entries[i].size) found.push_back(i);
    }
    return found;
}

}  // namespace drawhitch::plan
