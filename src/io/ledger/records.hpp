// The records the ledger keeps beside the values of core/model. Values only: no database here. Paths and patterns of
// boxes are bytes. No field of any record may hold a secret: names of secrets and salted hashes at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "core/model/lease.hpp"
#include "core/model/roster.hpp"
#include "core/model/run.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::ledger {

// A change of the outside world that was about to be asked for. Committed *before* the request leaves, so that a crash
// or an unanswered request is found again by its label, and never repeated blindly.
struct Intent {
    std::int64_t id{0};
    std::optional<std::int64_t> lease{};  // none before the lease exists
    std::string label{};                  // unique for all time; also sent to the provider where it takes labels
    std::string verb{};                   // "create", "terminate", "stop", "launch" …
    std::string detail{};                 // JSON object, may be empty
    WallTime made{};
    std::optional<WallTime> settled{};
    std::string outcome{};  // "done", "failed", "abandoned"; empty while open
    std::string outcome_detail{};
};

// A pinned key with its history: `retired` is set when another key took its place, and `reason` says why.
struct PinnedKey {
    std::int64_t id{0};
    model::HostKey key{};
    std::optional<WallTime> retired{};
    std::string reason{};
};

// What one connection learned about a box; empty fields leave the stored value alone.
struct BoxFacts {
    std::string boot_id{};
    std::string helper_path{};
    std::string capabilities{};  // JSON of the root probe
};

// A frozen manifest of a run, as it was made on the box.
struct Manifest {
    std::int64_t id{0};
    std::int64_t run{0};
    WallTime made{};
    std::vector<model::ManifestEntry> entries{};
};

// One proven file: some receipt holds it. A path may occur several times, with the digests of several generations.
struct ProvenFile {
    model::ReceiptEntry entry{};
    std::int64_t receipt{0};
    WallTime made{};
};

// What a pull of a run left on the laptop under one name.
struct HeldFile {
    std::int64_t run{0};
    std::string path{};   // absolute, on the laptop
    std::string root{};   // root digest, hex
    bool written{false};  // a pull wrote these bytes there; otherwise it found them equal, and they are the user's
    std::uint64_t size{0};
    disk::Stamp stamp{};  // the state in which they were seen; of ctime_ns 0 where none is known
};

// A hash-verified copy of a unit's file outside the laptop: on a durable tier, in a bucket, at a hub.
struct PlacedCopy {
    std::int64_t run{0};
    model::ManifestEntry file{};
    std::string place{};   // "tier:network_volume", "s3://bucket/key" …
    WallTime read_back{};  // when its hash was read there and was equal
};

// One row of the append-only history. `json` is an object made by the caller.
struct Event {
    std::int64_t id{0};
    std::optional<std::int64_t> lease{};
    std::optional<std::int64_t> run{};
    WallTime at{};
    std::string kind{};
    std::string json{};
};

// One point of a series ("gpu0.temp_c", "spend"); the box's or the laptop's time, as the series says.
struct Sample {
    WallTime at{};
    double value{0};
};

// A file of ours on a box that must not outlive the lease: secrets and full environments. Only its path is known here.
struct VolatileFile {
    std::string path{};  // absolute on the box, bytes
    std::string what{};  // "environment of run r1", "secret HF_TOKEN"
    WallTime made{};
};

enum class Which { open, all };

// What was tested, and with what: both are digests (hex) that the caller makes.
struct LoadTestKey {
    std::string subject{};
    std::string command{};
};

}  // namespace drawhitch::ledger
