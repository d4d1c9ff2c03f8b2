// Coverage: where the copies of a unit stand when the box, or a tier of it, is about to die. Pure: digests in,
// standings out. A unit is covered only by digests that were read and are equal; size, time and hope count for nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/roster.hpp"

namespace drawhitch::judge {

enum class Standing {
    // Covered.
    received,  // every file is in a receipt with the digest it has now
    placed,    // every file has a copy elsewhere, or on a surviving tier, whose hash was read back; or a receipt
    survives,  // it lies on a tier that survives the verb, and could be read whole
    // Not covered.
    unproven,    // no copy anywhere
    mislaid,     // a receipt proves it, and the copy is not on the laptop any more, or is not that copy
    changed,     // a receipt holds this path, with other content
    unstable,    // being written, or it changed while it was read
    incomplete,  // a set of shards with one missing
    broken,      // pulled as it is, and its structure is damaged
    unknown,     // could not be looked at
};
// "received", "unstable" …
std::string_view name_of(Standing standing);
bool is_covered(Standing standing);

// One file of a unit as it is on the box now.
struct UnitFile {
    std::string path{};  // relative to the run's work directory, bytes
    std::uint64_t size{0};
    std::optional<std::string> root{};  // root digest, hex; absent when it could not be read whole
    bool open_for_writing{false};
    bool unreadable{false};
    bool refused{false};  // unreadable because permission is denied
};

struct UnitFacts {
    std::string name{};
    std::string path{};  // absolute on the box: what --lose names
    model::RosterClass wanted{model::RosterClass::must};
    std::vector<UnitFile> files{};
    std::string missing{};  // a shard that is not there
    bool on_surviving_tier{false};
    bool record{false};  // the run's own log or record
    WallTime saved{};    // the newest modification time of its files
};

struct UnitStanding {
    std::string name{};
    std::string path{};
    model::RosterClass wanted{model::RosterClass::must};
    std::uint64_t files{0};
    std::uint64_t bytes{0};
    Standing standing{Standing::unknown};
    std::string culprit{};  // the file (or missing shard) that decided, when not covered
    std::string place{};    // where the copy is, when placed; where it was, when mislaid
    bool record{false};
    bool refused{false};    // the culprit may not be read
    bool copy_dies{false};  // mislaid: the copy is there, and lies where the box's own tiers die
    WallTime saved{};       // as in UnitFacts
};

// What is proven about a run: the union of its receipts, and copies that will outlive the verb.
class Proofs {
  public:
    // A receipt holds this content under this path.
    void add_receipt(const std::string& path, const std::string& root, model::Structure structure);
    // The same, but the copy is not at `local` any more; or, where it `dies`, it lies on the box itself.
    void add_mislaid(const std::string& path, const std::string& root, const std::string& local, bool dies = false);
    // A copy whose hash was read back, at a place that survives.
    void add_copy(const std::string& path, const std::string& root, const std::string& place);
    // Whether some proof holds exactly this content under this path.
    [[nodiscard]] bool holds(const std::string& path, const std::string& root) const;

    [[nodiscard]] UnitStanding stand(const UnitFacts& unit) const;

  private:
    struct Proof {
        std::string root{};
        bool broken{false};
        std::string place{};  // empty: a receipt
        bool mislaid{false};
        bool dies{false};
    };
    // Of one file; where its copy is goes into `result`.
    [[nodiscard]] Standing stand(const UnitFacts& unit, const UnitFile& file, UnitStanding& result) const;

    std::map<std::string, std::vector<Proof>, std::less<>> proofs_{};
};

}  // namespace drawhitch::judge
