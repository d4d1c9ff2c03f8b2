// Structure checks: is a file whole in its own format? A copy of a damaged file has the right hash and is still
// worthless; this finds it. Nothing is executed and nothing is unpacked to disk: pickles are never read. Pure: bytes
// come through a Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/model/roster.hpp"

namespace drawhitch::parse {

// The bytes of one file. Reads may cost time; an Error (cancelled, local_io) ends the check and is passed on.
class Reader {
  public:
    virtual ~Reader() = default;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    // Fills `buffer` from `offset`; the count is smaller only at the end of the file.
    virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) = 0;
};

// `format` names what was recognised ("zip", "torch zip", "safetensors", "pickle", "json", "json lines", ""); `detail`
// says in one line what is broken or why it cannot be judged, with control characters of the file escaped.
struct StructureVerdict {
    model::Structure state{model::Structure::unknown_format};
    std::string format{};
    std::string detail{};
};

// False for names that no check knows: their content need not be looked at.
bool has_known_ending(std::string_view name);

// The format is chosen by the name's ending and the first bytes. Memory is bounded (about 64 MiB at worst); time is
// bounded by the file's size, and what would unpack to more than 32 times that size (16 GiB at least) is not judged.
Result<StructureVerdict> check_structure(std::string_view name, Reader& file);

// A zip archive (.pt of torch.save, .npz, .zip): end record, zip64, every directory row against its local header, no
// overlaps, sizes, and the CRC of every stored or deflated entry.
Result<StructureVerdict> check_zip(Reader& file);
// safetensors: header length, JSON, data types, shapes against offsets, no gap and no overlap, length of the file.
Result<StructureVerdict> check_safetensors(Reader& file);
// JSON as Python writes it (NaN, Infinity), one value or several: broken where it ends inside its only value, is empty,
// or holds zeros. What ends inside a later value, or is no JSON, is an unknown format with the reason in `detail`.
Result<StructureVerdict> check_json(Reader& file);
// One value a line. Half a line, at the end or before, is an unknown format with the line in `detail`.
Result<StructureVerdict> check_json_lines(Reader& file);

}  // namespace drawhitch::parse
