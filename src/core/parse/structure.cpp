#include "core/parse/structure.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

using Check = Result<StructureVerdict> (*)(Reader& file);

struct Ending {
    std::string_view text{};
    Check check{};
};

Result<StructureVerdict> check_torch(Reader& file);

// The first that fits counts.
constexpr std::array k_endings{
    Ending{".safetensors", check_safetensors},
    Ending{".gguf", check_gguf},
    Ending{".zip", check_zip},
    Ending{".npz", check_zip},
    Ending{".keras", check_zip},
    Ending{".whl", check_zip},
    Ending{".pt", check_torch},
    Ending{".pth", check_torch},
    Ending{".ckpt", check_torch},
    Ending{".bin", check_torch},
    Ending{".pkl", check_torch},
    Ending{".pickle", check_torch},
    Ending{".json", check_json},
    Ending{".jsonl", check_json_lines},
    Ending{".ndjson", check_json_lines},
    Ending{".tfrecord", check_event_records},
    Ending{".tfrecords", check_event_records},
    Ending{".png", check_png},
    Ending{".tar", check_tar},
    Ending{".tar.gz", check_tar_gzip},
    Ending{".tgz", check_tar_gzip},
    Ending{".tar.zst", check_tar_zstd},
    Ending{".tzst", check_tar_zstd},
    Ending{".gz", check_gzip},
    Ending{".zst", check_zstd},
    Ending{".h5", check_hdf5},
    Ending{".hdf5", check_hdf5},
    Ending{".h5ad", check_hdf5},
    Ending{".parquet", check_parquet},
};

// Null where no check knows the name.
Check check_for(std::string_view path) {
    const std::string name = lower(path.substr(path.rfind('/') + 1));
    // TensorBoard puts time, host and process behind the word.
    if (name.find(".tfevents.") != std::string::npos) return check_event_records;
    if (name == ".metadata") return check_dcp_metadata;
    const auto found = std::ranges::find_if(k_endings, [&](const Ending& one) { return name.ends_with(one.text); });
    return found == k_endings.end() ? nullptr : found->check;
}

// torch.save writes a zip; before 1.6 it wrote a bare pickle, which starts with the PROTO opcode and can only be read
// by running it. Anything else under these endings is some other program's file, unless it was never written: delayed
// allocation and power loss leave zeros behind.
Result<StructureVerdict> check_torch(Reader& file) {
    std::array<char, 4096> first{};
    TRY_ASSIGN(const std::size_t count, file.read_at(0, first));
    const std::string_view head{first.data(), count};
    if (head.empty()) return StructureVerdict{model::Structure::broken, "", "the file is empty"};
    constexpr std::string_view k_zip_start = "PK\x03\x04";
    if (head.starts_with(k_zip_start) || k_zip_start.starts_with(head)) return check_torch_zip(file);
    // A pickle of torch's magic number 0x1950a86a20f9469cfc6c stands at the start of what old releases saved.
    constexpr std::string_view k_old_torch{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15};
    const std::string why = " is unverifiable: it cannot be checked without running it";
    if (head.starts_with(k_old_torch))
        return StructureVerdict{model::Structure::unknown_format, "torch pickle", "an old-style torch pickle" + why};
    if (head.starts_with('\x80')) return StructureVerdict{model::Structure::unknown_format, "pickle", "a pickle" + why};
    if (head.find_first_not_of('\0') == std::string_view::npos)
        return StructureVerdict{model::Structure::broken, "", "it begins with zeros: its data was never written"};
    return StructureVerdict{};
}

}  // namespace

bool has_known_ending(std::string_view name) {
    return check_for(name) != nullptr;
}

Result<StructureVerdict> check_structure(std::string_view name, Reader& file) {
    const Check check = check_for(name);
    return check == nullptr ? StructureVerdict{} : check(file);
}

}  // namespace drawhitch::parse
