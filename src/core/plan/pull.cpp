#include "core/plan/pull.hpp"

#include <algorithm>

namespace drawhitch::plan {

namespace {

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

std::int64_t latest(const Unit& unit, std::span<const proto::FileEntry> entries) {
    std::int64_t newest = 0;
    for (const std::size_t file : unit.files) {
        newest = std::max(newest, entries[file].mtime_ns);
    }
    return newest;
}

}  // namespace

std::vector<Unit> keep_newest(std::vector<Unit> units, std::span<const proto::FileEntry> entries, int newest) {
    if (newest <= 0) return units;
    std::map<std::string, std::vector<std::size_t>> by_series;
    for (std::size_t i = 0; i < units.size(); ++i) {
        by_series[series_of(units[i].name)].push_back(i);
    }
    std::vector<bool> keep(units.size(), true);
    for (auto& [series, members] : by_series) {
        std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
            const std::int64_t x = latest(units[a], entries);
            const std::int64_t y = latest(units[b], entries);
            return x != y ? x > y : units[a].name > units[b].name;
        });
        for (std::size_t i = static_cast<std::size_t>(newest); i < members.size(); ++i) {
            keep[members[i]] = false;
        }
    }
    std::vector<Unit> kept;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (keep[i]) kept.push_back(std::move(units[i]));
    }
    return kept;
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
