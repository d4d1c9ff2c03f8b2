// The two files written beside a pull: MANIFEST.json for drawhitch, SHA256SUMS for `sha256sum -c`. Text in, values out;
// pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/model/roster.hpp"

namespace drawhitch::plan {

inline constexpr std::string_view k_manifest_name = "MANIFEST.json";
inline constexpr std::size_t k_longest_manifest = 1U << 30U;  // bytes; a longer one is none of ours
inline constexpr std::string_view k_sums_name = "SHA256SUMS";

// What a pull was, besides its files.
struct ManifestHead {
    std::string box{};
    std::string run{};
    std::string source{};  // absolute directory on the box, bytes
    WallTime made{};
};

struct ManifestFile {
    model::ManifestEntry entry{};
    model::Structure structure{model::Structure::not_checked};
    std::uint32_t mode{0644};
    // Why a file that lies here as it is on the box is no proof: its structure or its load test is bad. Empty: proven.
    std::string unproven{};
};

// A file of the user's that lay under the name of one of the box's: both names relative to the directory.
struct ManifestAside {
    std::string path{};
    std::string to{};
};

struct ManifestText {
    ManifestHead head{};
    std::vector<ManifestFile> files{};
    std::vector<ManifestAside> moved_aside{};
};

// Writes a manifest row by row, so that a pull of hundreds of thousands of files needs no second list of them.
class ManifestWriter {
  public:
    explicit ManifestWriter(const ManifestHead& head);
    void add(const ManifestFile& file);
    // The whole text; the writer is done.
    [[nodiscard]] std::string finish(std::span<const ManifestAside> moved_aside = {});

  private:
    std::string text_{};
    bool any_{false};
};

// One file a line; names that are not UTF-8 as {"b64": …}.
std::string manifest_json(const ManifestHead& head, std::span<const ManifestFile> files);
// Reads what manifest_json wrote. Code::config for anything else: no JSON, missing fields, digests that are not 64 hex
// digits, paths that are not safe relative ones or occur twice.
Result<ManifestText> parse_manifest(std::string_view text);

// "HASH  NAME" lines; a name with a backslash, a newline or a carriage return is escaped, and its line starts with a
// backslash, as GNU sha256sum (coreutils 9) writes and reads it: a raw carriage return at the end would be dropped.
std::string sums_line(const model::ManifestEntry& entry);
// Of the proven ones.
std::string sums_text(std::span<const ManifestFile> files);

}  // namespace drawhitch::plan
