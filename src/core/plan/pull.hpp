// Planning a pull: which units are wanted, which of their files are here already. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan/units.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::plan {

// The name of a path's series: each number in it as one sign.
std::string series_of(const std::string& name);

// Of each series of numbered units only the `newest` ones stay (by the time of their latest file, then by name); 0
// keeps all. A series are units of the same directory whose names differ in digits only: "checkpoint-100",
// "checkpoint-200".
std::vector<Unit> keep_newest(std::vector<Unit> units, std::span<const proto::FileEntry> entries, int newest);

// Whether a file of this name usually holds a model or a state of training: by its ending, in either case.
bool holds_weights(std::string_view path);

// Of all units together only the `newest` ones stay (as above, by their latest file). Where some are weights (a
// checkpoint directory, a set of shards, a file of a format that keeps them), these alone are counted and stay: the
// table or configuration that is written beside the last checkpoint is not what somebody means.
std::vector<Unit> keep_newest_of_all(std::vector<Unit> units, std::span<const proto::FileEntry> entries, int newest);

// What is known about the file a pull would write.
struct LocalFile {
    std::uint64_t size{0};
    std::optional<proto::Digest> root{};  // if it was read
    proto::Digest sha256{};
};

// The indexes of entries whose local file has the same size, and so may be equal: their digests must be compared.
std::vector<std::size_t> candidates(std::span<const proto::FileEntry> entries,
                                    const std::map<std::string, LocalFile>& local);

}  // namespace drawhitch::plan
