// Any bytes as a file of any format: the check ends, reads no more than the file allows, and says only what can be
// shown.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "core/parse/structure.hpp"
#include "core/parse/structure_set.hpp"
#include "support/memory_reader.hpp"

using namespace drawhitch;

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

// Each name is that of one file: the second half of the input.
class OneSibling final : public parse::Siblings {
  public:
    explicit OneSibling(std::string_view bytes) : bytes_(bytes) {}
    Result<std::unique_ptr<parse::Reader>> open(std::string_view) override {
        return std::unique_ptr<parse::Reader>{std::make_unique<support::MemoryReader>(bytes_)};
    }

  private:
    std::string_view bytes_;
};

void must_be_told_well(const Result<parse::StructureVerdict>& verdict) {
    must(verdict.has_value());
    must(printable(verdict->detail) == verdict->detail);
    if (verdict->state == model::Structure::broken) must(!verdict->detail.empty());
    if (verdict->state == model::Structure::unknown_format) must(verdict->format.empty() == verdict->detail.empty());
}

// Two bytes say how long the file is that tells of the other one.
void try_set(std::string_view name, std::string_view bytes) {
    if (bytes.size() < 2) return;
    const std::size_t length = static_cast<unsigned char>(bytes[0]) + 256U * static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    support::MemoryReader file(bytes.substr(0, length));
    OneSibling beside(bytes.substr(std::min(length, bytes.size())));
    must_be_told_well(parse::check_set(name, file, beside));
}

}  // namespace

// The first byte chooses the name, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Files of the corpus count on the order.
    constexpr std::array<std::string_view, 22> k_names{
        "a.pt",          "a.npz",     "a.safetensors",
        "a.json",        "a.jsonl",   "a.zip",
        "a.bin",         "a",         "a.gguf",
        "a.tfevents.1",  "a.png",     "a.tar",
        "a.tar.gz",      "a.tar.zst", "a.gz",
        "a.zst",         "a.h5",      "a.pkl",
        "a.parquet",     ".metadata", "a.safetensors.index.json",
        "set/.metadata",
    };
    constexpr std::size_t k_first_set = 20;
    if (size == 0) return 0;
    const std::size_t index = data[0] % k_names.size();
    const std::string_view name = k_names[index];
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    if (index >= k_first_set) {
        try_set(name, bytes);
        return 0;
    }
    support::MemoryReader file(bytes);
    const auto verdict = parse::check_structure(name, file);
    must_be_told_well(verdict);
    // Each look at it is one of a bounded number of passes, with what a block rounds up.
    must(file.read() <= 16 * (size + (1U << 20U)));
    return 0;
}
