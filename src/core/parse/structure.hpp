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

// `format` names what was recognised ("zip", "torch zip", "safetensors", "gguf", "pickle", "json" …; "" where nothing
// was); `detail` says in one line what is broken or why it cannot be judged, with control characters of the file
// escaped.
struct StructureVerdict {
    model::Structure state{model::Structure::unknown_format};
    std::string format{};
    std::string detail{};
};

// False for names that no check knows: their content need not be looked at.
bool has_known_ending(std::string_view name);

// The format is chosen by the name's ending and the first bytes. Memory is bounded by limits on what is kept of a
// directory (some 200 MiB at worst, for a safetensors header of 100 MB or an index of a million tensors; some MiB for
// what programs write), with 128 MiB more for a zstd file that asks for them. Time is bounded by the file's size, and
// what would unpack to more than 32 times that size (16 GiB at least) is not judged.
Result<StructureVerdict> check_structure(std::string_view name, Reader& file);

// A zip archive (.pt of torch.save, .npz, .zip): end record, zip64, every directory row against its local header, no
// overlaps, sizes, and the CRC of every stored or deflated entry.
Result<StructureVerdict> check_zip(Reader& file);
// The same, and where torch.save wrote it, what its reader needs: version beside data.pkl.
Result<StructureVerdict> check_torch_zip(Reader& file);
// safetensors: header length, JSON, data types, shapes against offsets, no gap and no overlap, length of the file.
Result<StructureVerdict> check_safetensors(Reader& file);
// JSON as Python writes it (NaN, Infinity), one value or several: broken where it ends inside its only value, is empty,
// or holds zeros. What ends inside a later value, or is no JSON, is an unknown format with the reason in `detail`.
Result<StructureVerdict> check_json(Reader& file);
// One value a line. Half a line, at the end or before, is an unknown format with the line in `detail`.
Result<StructureVerdict> check_json_lines(Reader& file);
// gguf 2 and 3, of either byte order: counts, every key and value, every tensor's type, shape and place, and that the
// file has the bytes they need.
Result<StructureVerdict> check_gguf(Reader& file);
// TensorBoard's event files and other TFRecord files: the length and both CRCs of every record. A last record that is
// cut short, as in a file that is still written, is told as an unknown format.
Result<StructureVerdict> check_event_records(Reader& file);
// PNG: every chunk's CRC, from the image header to the end mark.
Result<StructureVerdict> check_png(Reader& file);
// tar: every header's checksum, the sizes of the members, the end mark. The members' data have no checksum.
Result<StructureVerdict> check_tar(Reader& file);
// The `.metadata` of torch's distributed checkpoints: its pickle is walked through, not run. Whether the files that it
// tells of are as it says is core/parse/structure_set.hpp.
Result<StructureVerdict> check_dcp_metadata(Reader& file);
// All is unpacked: gzip has a CRC for each member, zstd one for each frame where its writer was asked for it.
Result<StructureVerdict> check_gzip(Reader& file);
Result<StructureVerdict> check_zstd(Reader& file);
// Both at once.
Result<StructureVerdict> check_tar_gzip(Reader& file);
Result<StructureVerdict> check_tar_zstd(Reader& file);
// HDF5, superblock versions 0 to 3: its checksum (2 and 3), the end of the file against its size, that the root group
// lies where it should. Groups and data are not read.
Result<StructureVerdict> check_hdf5(Reader& file);
// parquet: both marks, the footer from its first to its last byte, and that the pages it tells of lie inside the file.
// Pages are not read.
Result<StructureVerdict> check_parquet(Reader& file);

}  // namespace drawhitch::parse
