// The `.metadata` of torch's distributed checkpoints: where each piece of each tensor lies. Private to
// core/parse/structure*.cpp; its Errors are those of structure_bytes.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parse/structure_bytes.hpp"

namespace drawhitch::parse {

// One piece of one file.
struct StoredPiece {
    std::uint64_t offset{0};
    std::uint64_t length{0};
};
struct StoredFile {
    std::string name{};                 // as the pickle has it: any bytes
    std::vector<StoredPiece> pieces{};  // by offset
};

// By name. Code::integrity where it is torch's and ends too early, Code::skipped where nothing can be said of it.
Result<std::vector<StoredFile>> read_metadata(Reader& file);

}  // namespace drawhitch::parse
