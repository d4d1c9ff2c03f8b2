// Settle: which units of a run that still writes are whole, so that they may be pulled while it goes on. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/units.hpp"
#include "core/proto/digest.hpp"

namespace drawhitch::plan {

// When names of a directory were last made, removed or renamed in it, and when it was last renamed itself.
struct DirectoryTimes {
    std::int64_t mtime_ns{0};
    std::int64_t ctime_ns{0};
};

// One look at a run. All times are the box's.
struct RunLook {
    std::span<const Unit> units{};
    std::span<const proto::FileEntry> entries{};  // what `units` index
    const std::vector<bool>& being_written;       // per entry
    bool writers_known{false};                    // false: somebody may write whom nobody can see
    const std::map<std::string, DirectoryTimes, std::less<>>& directories;
    std::int64_t now_ns{0};
};

// Names the files of a unit and the state of each: what was pulled in this state need not be pulled again.
proto::Digest state_of(const Unit& unit, std::span<const proto::FileEntry> entries);

// Remembers what earlier looks saw. A unit is settled when none of its files is open for writing, nothing of it is
// missing, and one of these holds:
// - it is a file or a set of shards, and all writers are known: who closed it has written it;
// - it was renamed into place: its inode changed after its content did;
// - it is a distributed checkpoint with its metadata, which comes last;
// - nothing of it changed for `k_quiet_ns`, by its times or by what this saw.
class SettleWatch {
  public:
    static constexpr std::int64_t k_quiet_ns = 10'000'000'000;

    struct Answer {
        std::vector<std::size_t> settled{};  // of the look's units, rising
        // When the next of the others may be, by the box's clock, if it rests from now on; 0: nobody can tell.
        std::int64_t again_ns{0};
    };
    Answer look(const RunLook& look);

  private:
    struct Seen {
        proto::Digest state{};
        std::int64_t since_ns{0};
    };
    std::map<std::string, Seen, std::less<>> seen_{};  // by unit, of the last look
};

}  // namespace drawhitch::plan
