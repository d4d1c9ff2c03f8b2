#include "core/plan/settle.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/proto/path.hpp"

namespace drawhitch::plan {

namespace {

std::int64_t newest_content(const Unit& unit, std::span<const proto::FileEntry> entries) {
    std::int64_t newest = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t file : unit.files)
        newest = std::max(newest, entries[file].mtime_ns);
    return newest;
}

bool was_renamed_whole(const Unit& unit, const RunLook& look) {
    if (unit.kind == UnitKind::directory) {
        const auto found = look.directories.find(unit.name);
        if (found == look.directories.end()) return false;
        const DirectoryTimes& times = found->second;
        return times.ctime_ns > times.mtime_ns && times.ctime_ns > newest_content(unit, look.entries);
    }
    return std::ranges::all_of(
        unit.files, [&](std::size_t file) { return look.entries[file].ctime_ns > look.entries[file].mtime_ns; });
}

bool has_last_metadata(const Unit& unit, const RunLook& look) {
    const std::int64_t newest = newest_content(unit, look.entries);
    return std::ranges::any_of(unit.files, [&](std::size_t file) {
        const proto::FileEntry& entry = look.entries[file];
        return proto::path_name(entry.path) == ".metadata" && entry.mtime_ns >= newest;
    });
}

bool has_come_to_its_end(const Unit& unit, const RunLook& look) {
    if (unit.kind != UnitKind::directory) return look.writers_known || was_renamed_whole(unit, look);
    return was_renamed_whole(unit, look) || (look.writers_known && has_last_metadata(unit, look));
}

}  // namespace

proto::Digest state_of(const Unit& unit, std::span<const proto::FileEntry> entries) {
    std::string text;
    for (const std::size_t file : unit.files) {
        const proto::FileEntry& entry = entries[file];
        text += entry.path + '\0' + std::to_string(entry.ino) + ' ' + std::to_string(entry.size) + ' ' +
                std::to_string(entry.mtime_ns) + ' ' + std::to_string(entry.ctime_ns) + '\n';
    }
    return proto::sha256(text);
}

SettleWatch::Answer SettleWatch::look(const RunLook& look) {
    std::map<std::string, Seen, std::less<>> now;
    Answer answer;
    for (std::size_t i = 0; i < look.units.size(); ++i) {
        const Unit& unit = look.units[i];
        Seen seen{state_of(unit, look.entries), look.now_ns};
        const auto before = seen_.find(unit.name);
        if (before != seen_.end() && before->second.state == seen.state) seen.since_ns = before->second.since_ns;
        now.insert_or_assign(unit.name, seen);
        const bool written =
            std::ranges::any_of(unit.files, [&](std::size_t file) { return look.being_written[file]; });
        if (written || !unit.missing.empty()) continue;
        const std::int64_t rests_since = std::min(newest_content(unit, look.entries), seen.since_ns);
        if (has_come_to_its_end(unit, look) || look.now_ns - rests_since >= k_quiet_ns) {
            answer.settled.push_back(i);
        } else if (const std::int64_t then = rests_since + k_quiet_ns; answer.again_ns == 0 || then < answer.again_ns) {
            answer.again_ns = then;
        }
    }
    seen_ = std::move(now);
    return answer;
}

}  // namespace drawhitch::plan
