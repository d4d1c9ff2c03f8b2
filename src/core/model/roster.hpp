// Roster: what a run must leave behind. Unit: what is certified together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace drawhitch::model {

enum class RosterClass {
    must,     // the gate stays closed until it is covered
    nice,     // pulled by default, does not close the gate
    scratch,  // explained, and may die unseen
};

struct RosterItem {
    std::string pattern{};  // parse::Glob, relative to the run's work directory
    RosterClass wanted{RosterClass::must};
};

using Roster = std::vector<RosterItem>;

std::string_view name_of(RosterClass wanted);
std::optional<RosterClass> roster_class(std::string_view name);

// One line of a manifest: a file of a unit as it was on the box, frozen. `unit` is the file's own path, or the
// directory that is certified as a whole. Digests are lower-case hex (64 digits).
struct ManifestEntry {
    std::string unit{};
    std::string path{};  // bytes, relative to the run's work directory
    std::uint64_t size{0};
    WallTime mtime{};
    std::string root{};    // root digest of the protocol
    std::string sha256{};  // plain SHA-256, as `sha256sum -c` checks it
    RosterClass wanted{RosterClass::must};
};

enum class Structure { not_checked, sound, broken, unknown_format };
std::string_view name_of(Structure structure);
std::optional<Structure> structure(std::string_view name);

// Proof that one file was pulled, hashed and structurally checked on the laptop.
struct ReceiptEntry {
    ManifestEntry file{};
    std::string local_path{};  // absolute, on the laptop
    Structure structure{Structure::not_checked};
};

// Receipts of a run add up: the gate asks whether every must unit is covered by some receipt.
struct Receipt {
    std::int64_t id{0};
    std::int64_t lease{0};
    std::int64_t run{0};
    WallTime made{};
    std::string directory{};  // absolute, where the pull landed
    std::vector<ReceiptEntry> files{};
};

}  // namespace drawhitch::model
