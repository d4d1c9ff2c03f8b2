// Any bytes as a file of any format: the check ends, reads no more than the file allows, and says only what can be
// shown.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"
#include "core/parse/structure.hpp"
#include "support/memory_reader.hpp"

using namespace drawhitch;

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// The first byte chooses the name, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Files of the corpus count on the order.
    constexpr std::array<std::string_view, 20> k_names{
        "a.pt", "a.npz",  "a.safetensors", "a.json", "a.jsonl",   "a.zip",    "a.bin",
        "a",    "a.gguf", "a.tfevents.1",  "a.png",  "a.tar",     "a.tar.gz", "a.tar.zst",
        "a.gz", "a.zst",  "a.h5",          "a.pkl",  "a.parquet", "a.ckpt",
    };
    if (size == 0) return 0;
    const std::string_view name = k_names[data[0] % k_names.size()];
    support::MemoryReader file({reinterpret_cast<const char*>(data) + 1, size - 1});
    const auto verdict = parse::check_structure(name, file);
    must(verdict.has_value());
    must(printable(verdict->detail) == verdict->detail);
    if (verdict->state == model::Structure::broken) must(!verdict->detail.empty());
    if (verdict->state == model::Structure::unknown_format) must(verdict->format.empty() == verdict->detail.empty());
    // Each look at it is one of a bounded number of passes, with what a block rounds up.
    must(file.read() <= 16 * (size + (1U << 20U)));
    return 0;
}
