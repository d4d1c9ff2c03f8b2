// Sets: files that say what lies in the files beside them (an index of shards, the `.metadata` of torch's distributed
// checkpoints). Whether these hold what is said of them; whether each is whole for itself is core/parse/structure.hpp.
// Pure: bytes come through Readers, and no pickle is run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/parse/structure.hpp"

namespace drawhitch::parse {

// The files in one directory.
class Siblings {
  public:
    virtual ~Siblings() = default;
    // `name` may be any bytes that a file claims. Null where no regular file is called so.
    virtual Result<std::unique_ptr<Reader>> open(std::string_view name) = 0;
};

// True for the names of files that name others: "*.index.json", ".metadata".
bool tells_of_others(std::string_view path);

// The files that a `.metadata` names, relative to its directory, sorted. Nothing where it is none of torch's, or cut.
Result<std::optional<std::vector<std::string>>> stored_files(Reader& metadata);

// Of an index: every tensor is in the safetensors file that is said to have it (of other shards the names are read by
// running a pickle alone: they are left out). Of a `.metadata`: every piece lies inside its file, and is, where it is
// an archive of torch.save, whole with every CRC. Unknown format where a file that is named is not here, or is broken
// itself, or nothing can be said; `detail` says which.
Result<StructureVerdict> check_set(std::string_view path, Reader& file, Siblings& beside);

}  // namespace drawhitch::parse
