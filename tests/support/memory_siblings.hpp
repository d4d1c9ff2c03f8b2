// MemorySiblings: the files of one directory, in memory.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/parse/structure_set.hpp"
#include "support/memory_reader.hpp"

namespace drawhitch::support {

class MemorySiblings final : public parse::Siblings {
  public:
    std::map<std::string, std::string, std::less<>> files{};

    Result<std::unique_ptr<parse::Reader>> open(std::string_view name) override {
        const auto found = files.find(name);
        if (found == files.end()) return std::unique_ptr<parse::Reader>{};
        return std::unique_ptr<parse::Reader>{std::make_unique<MemoryReader>(found->second)};
    }
};

}  // namespace drawhitch::support
