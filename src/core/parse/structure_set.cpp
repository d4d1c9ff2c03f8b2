#include "core/parse/structure_set.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "core/parse/structure_dcp.hpp"
#include "core/parse/structure_safetensors.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_index_format = "shard index";
constexpr std::string_view k_stored_format = "torch distributed checkpoint";
constexpr std::string_view k_dcp_metadata = ".metadata";
constexpr std::size_t k_most_named = 1'000'000;        // about 100 bytes are kept for each
constexpr std::uint64_t k_longest_index = 64U << 20U;  // far more than the tensors of any model need

std::string shown(std::string_view name) {
    return printable(name.substr(0, 100));
}

Error not_here(std::string_view name) {
    return unjudged_file(shown(name) + ", which it names, is not here");
}

std::string_view name_of_path(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// {"metadata": ..., "weight_map": {TENSOR: FILE, ...}}, taken as it passes: no tree of a long index is built.
class WeightMap final : public nlohmann::json_sax<nlohmann::json> {
  public:
    std::map<std::string, std::set<std::string>> tensors_of{};
    bool found{false};
    std::size_t tensors{0};

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t& value) override {
        if (!in_map_ || depth_ != 2) return true;
        tensors_of[value].insert(tensor_);
        return ++tensors <= k_most_named;
    }
    bool key(string_t& name) override {
        if (depth_ == 1) in_map_ = name == "weight_map";
        if (depth_ == 2 && in_map_) tensor_ = name;
        found = found || in_map_;
        return true;
    }
    bool start_object(std::size_t) override { return ++depth_ > 0; }
    bool start_array(std::size_t) override { return ++depth_ > 0; }
    bool end_object() override { return --depth_ >= 0; }
    bool end_array() override { return --depth_ >= 0; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

  private:
    int depth_{0};
    bool in_map_{false};
    std::string tensor_{};
};

Result<std::string> whole_text(Reader& file) {
    if (file.size() > k_longest_index) return unjudged_file("it is longer than 64 MiB");
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    TRY_ASSIGN(const std::size_t count, file.read_at(0, text));
    if (count != text.size()) return shrank();
    return text;
}

Status check_shard(const std::string& name, const std::set<std::string>& tensors, Siblings& beside) {
    TRY_ASSIGN(const auto shard, beside.open(name));
    if (!shard) return not_here(name);
    if (!name.ends_with(".safetensors")) return ok();
    const auto names = tensor_names(*shard);
    if (!names && names.error().code == Code::integrity)
        return unjudged_file(shown(name) + ", which it names, is broken");
    if (!names) return names.error();
    for (const std::string& tensor : tensors)
        if (!names->contains(tensor))
            return broken_file("tensor " + shown(tensor) + ", which it says is in " + shown(name) + ", is not there");
    return ok();
}

// The worst is told: what is broken comes before what cannot be judged.
Status check_index(Reader& file, Siblings& beside) {
    TRY_ASSIGN(const std::string text, whole_text(file));
    WeightMap map;
    const bool read = nlohmann::json::sax_parse(text, &map);
    if (map.tensors > k_most_named) return unjudged_file("it names more than a million tensors");
    if (!read || !map.found) return unjudged_file("it is no index of shards");
    Status told = ok();
    for (const auto& [name, tensors] : map.tensors_of) {
        Status one = check_shard(name, tensors, beside);
        if (!one && one.error().code != Code::skipped) return one;
        if (told && !one) told = std::move(one);
    }
    return told;
}

// A piece of a file as a file of its own.
class Piece final : public Reader {
  public:
    Piece(Reader& whole, const StoredPiece& piece) : whole_(whole), piece_(piece) {}
    [[nodiscard]] std::uint64_t size() const override { return piece_.length; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
        if (offset >= piece_.length) return std::size_t{0};
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), piece_.length - offset));
        return whole_.read_at(piece_.offset + offset, buffer.first(count));
    }

  private:
    Reader& whole_;
    StoredPiece piece_;
};

// A tensor is saved as an archive of its own; what is not (plain bytes) has nothing to be checked by.
Status check_piece(Reader& whole, const StoredPiece& piece, const std::string& name) {
    if (piece.length > whole.size() || piece.offset > whole.size() - piece.length) {
        return broken_file(shown(name) + " ends " + std::to_string(piece.offset + piece.length - whole.size()) +
                           " bytes before what lies in it");
    }
    Piece part{whole, piece};
    std::string start(4, '\0');
    TRY_ASSIGN(const std::size_t count, part.read_at(0, start));
    if (count < start.size() || start != "PK\x03\x04") return ok();
    TRY_ASSIGN(const StructureVerdict verdict, check_torch_zip(part));
    if (verdict.state != model::Structure::broken) return ok();
    return broken_file("the piece at byte " + std::to_string(piece.offset) + " of " + shown(name) +
                       " is damaged: " + verdict.detail);
}

// Torch writes them behind each other. Pieces that share bytes would have these read again and again.
Status check_pieces(Reader& whole, const StoredFile& file) {
    std::uint64_t end = 0;
    for (const StoredPiece& piece : file.pieces) {
        if (piece.offset < end) return unjudged_file("it tells of pieces of " + shown(file.name) + " that overlap");
        TRY(check_piece(whole, piece, file.name));
        end = piece.offset + piece.length;
    }
    return ok();
}

Status check_stored(Reader& metadata, Siblings& beside) {
    TRY_ASSIGN(const std::vector<StoredFile> files, read_metadata(metadata));
    Status told = ok();
    for (const StoredFile& file : files) {
        TRY_ASSIGN(const auto there, beside.open(file.name));
        if (!there && told) told = not_here(file.name);
        if (!there) continue;
        Status pieces = check_pieces(*there, file);
        if (!pieces && pieces.error().code != Code::skipped) return pieces;
        if (told && !pieces) told = std::move(pieces);
    }
    return told;
}

}  // namespace

bool tells_of_others(std::string_view path) {
    return path.ends_with(".index.json") || name_of_path(path) == k_dcp_metadata;
}

Result<std::optional<std::vector<std::string>>> stored_files(Reader& metadata) {
    const auto files = read_metadata(metadata);
    const bool none = !files && (files.error().code == Code::integrity || files.error().code == Code::skipped);
    if (none) return std::optional<std::vector<std::string>>{};
    if (!files) return files.error();
    std::vector<std::string> names;
    for (const StoredFile& file : *files)
        names.push_back(file.name);
    return std::optional{std::move(names)};
}

Result<StructureVerdict> check_set(std::string_view path, Reader& file, Siblings& beside) {
    if (name_of_path(path) == k_dcp_metadata) return as_verdict(k_stored_format, check_stored(file, beside));
    return as_verdict(k_index_format, check_index(file, beside));
}

}  // namespace drawhitch::parse
