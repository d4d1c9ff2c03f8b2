// Units: what is certified together. A checkpoint directory is one unit, and so is a set of shards with its index: a
// half of one is worth nothing. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/roster.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::plan {

enum class UnitKind { file, directory, shards };

struct Unit {
    // The file's own path; the checkpoint directory; or, for shards, the path of their index (of the first shard where
    // there is no index).
    std::string name{};
    UnitKind kind{UnitKind::file};
    model::RosterClass wanted{model::RosterClass::must};  // the strictest class among its files
    std::vector<std::size_t> files{};                     // indexes into the entries given, rising
    // What is not there yet: a shard ("model-00003-of-00005.safetensors"), the `.metadata` of a distributed checkpoint,
    // which is written last. Empty: nothing is known to be missing.
    std::string missing{};
    bool operator==(const Unit&) const = default;
};

// What the roster says about a file. `unit` is the directory that a pattern ending in a slash makes one unit; empty:
// the rules below decide.
struct Wanted {
    model::RosterClass wanted{model::RosterClass::must};
    std::string unit{};
};
// Nothing if the file matches no pattern.
using Classify = std::function<std::optional<Wanted>(std::string_view path)>;

// Groups the wanted regular files among `entries` (in scan order) into units, in order of their first file.
// A checkpoint directory is the outermost directory whose name is a word for a checkpoint or step followed by a number
// ("checkpoint-500", "global_step1000", "epoch=3-step=100.ckpt"), or one that holds a `.metadata` file or `.distcp`
// files of a distributed checkpoint. Shards are files "NAME-00001-of-00005.EXT" of one directory with, if present,
// "NAME.EXT.index.json".
std::vector<Unit> units(std::span<const proto::FileEntry> entries, const Classify& classify);

// True for a directory name that means one numbered checkpoint.
bool is_checkpoint_name(std::string_view directory_name);

// "model-00003-of-00005.safetensors" taken apart.
struct ShardName {
    std::string stem{};       // "model"
    std::string extension{};  // ".safetensors"
    std::uint32_t index{0};
    std::uint32_t count{0};
    bool operator==(const ShardName&) const = default;
};
std::optional<ShardName> shard_name(std::string_view file_name);

}  // namespace drawhitch::plan
