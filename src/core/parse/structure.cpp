#include "core/parse/structure.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace drawhitch::parse {

namespace {

enum class Ending { safetensors, zip, torch, json, json_lines, other };

bool ends_with_any(std::string_view name, std::span<const std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [name](std::string_view e) { return name.ends_with(e); });
}

Ending ending_of(std::string_view name) {
    static constexpr std::array<std::string_view, 4> k_zip{".zip", ".npz", ".keras", ".whl"};
    static constexpr std::array<std::string_view, 4> k_torch{".pt", ".pth", ".ckpt", ".bin"};
    std::string lower{name};
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.ends_with(".safetensors")) return Ending::safetensors;
    if (ends_with_any(lower, k_zip)) return Ending::zip;
    if (ends_with_any(lower, k_torch)) return Ending::torch;
    if (lower.ends_with(".json")) return Ending::json;
    if (lower.ends_with(".jsonl") || lower.ends_with(".ndjson")) return Ending::json_lines;
    return Ending::other;
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
    if (head.starts_with(k_zip_start) || k_zip_start.starts_with(head)) return check_zip(file);
    if (head.starts_with('\x80')) {
        return StructureVerdict{model::Structure::unknown_format, "pickle",
                                "an old-style pickle cannot be checked without running it"};
    }
    if (head.find_first_not_of('\0') == std::string_view::npos) {
        return StructureVerdict{model::Structure::broken, "", "it begins with zeros: its data was never written"};
    }
    return StructureVerdict{};
}

}  // namespace

bool has_known_ending(std::string_view name) {
    return ending_of(name) != Ending::other;
}

Result<StructureVerdict> check_structure(std::string_view name, Reader& file) {
    switch (ending_of(name)) {
        case Ending::safetensors:
            return check_safetensors(file);
        case Ending::zip:
            return check_zip(file);
        case Ending::torch:
            return check_torch(file);
        case Ending::json:
            return check_json(file);
        case Ending::json_lines:
            return check_json_lines(file);
        case Ending::other:
            break;
    }
    return StructureVerdict{};
}

}  // namespace drawhitch::parse
