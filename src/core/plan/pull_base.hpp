// Which earlier file a new one is probably close to, so that it may come as a difference. Only guesses: never says that
// two files are alike. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/proto/digest.hpp"

namespace drawhitch::plan {

// A file that was proven here.
struct EarlierFile {
    std::string path{};
    std::uint64_t size{0};
    proto::Digest root{};
};

class EarlierFiles {
  public:
    explicit EarlierFiles(std::vector<EarlierFile> files);

    // Of the files of the same series (paths that differ in numbers only) and about the same size the one just before
    // `path`, or else the first behind it; null if there is none. Never `path` itself.
    [[nodiscard]] const EarlierFile* base_of(const std::string& path, std::uint64_t size) const;

  private:
    std::vector<EarlierFile> files_{};
    std::map<std::string, std::vector<std::size_t>> by_series_{};  // each in the order of its numbers
};

}  // namespace drawhitch::plan
