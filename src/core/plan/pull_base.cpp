#include "core/plan/pull_base.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/pull.hpp"

namespace drawhitch::plan {

namespace {

// Sizes of the checkpoints of one model differ by a few digits in their headers. Beyond one part in so many it is
// another model, or one whose tensors lie elsewhere.
constexpr std::uint64_t k_size_tolerance = 64;

bool close(std::uint64_t a, std::uint64_t b) {
    return std::max(a, b) - std::min(a, b) <= std::max(a, b) / k_size_tolerance;
}

// 900 comes before 1000.
bool before(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

EarlierFiles::EarlierFiles(std::vector<EarlierFile> files) : files_(std::move(files)) {
    for (std::size_t i = 0; i < files_.size(); ++i)
        by_series_[series_of(files_[i].path)].push_back(i);
    for (auto& [series, members] : by_series_)
        std::ranges::sort(members, before, [this](std::size_t i) -> std::string_view { return files_[i].path; });
}

const EarlierFile* EarlierFiles::base_of(const std::string& path, std::uint64_t size) const {
    const auto found = by_series_.find(series_of(path));
    if (found == by_series_.end()) return nullptr;
    const EarlierFile* best = nullptr;
    for (const std::size_t i : found->second) {
        const EarlierFile& file = files_[i];
        if (file.path == path || !close(file.size, size)) continue;
        if (best != nullptr && before(path, file.path)) break;
        best = &file;
    }
    return best;
}

}  // namespace drawhitch::plan
