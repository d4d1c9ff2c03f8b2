// Digests: SHA-256, the leaf/root pair that names file contents, and the hash of a tree. Pure; the only file pair that
// knows the hash library. Never used for secrets.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::proto {

// 32 bytes. A default Digest is all zero and names nothing.
struct Digest {
    std::array<std::uint8_t, 32> bytes{};
    auto operator<=>(const Digest&) const = default;

    // 64 lower-case digits.
    [[nodiscard]] std::string hex() const;
    [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
    // Nothing unless `text` is exactly 64 hex digits.
    static std::optional<Digest> from_hex(std::string_view text);
};

// Incremental SHA-256. Copyable, so a running state can be kept.
class Sha256 {
  public:
    Sha256();
    void update(std::string_view data);
    // The digest of all bytes so far; the object starts over.
    [[nodiscard]] Digest finish();

  private:
    alignas(16) std::array<std::byte, 128> state_{};
};

[[nodiscard]] Digest sha256(std::string_view data);

// SHA-256(0x00 | raw): `raw` is at most k_chunk bytes that start at a multiple of k_chunk in the file.
[[nodiscard]] Digest leaf_digest(std::string_view raw);
// SHA-256(0x01 | u64 size, little-endian | leaves in order). An empty file has no leaf.
[[nodiscard]] Digest root_digest(std::uint64_t size, std::span<const Digest> leaves);
// How many leaves a file of this size has.
[[nodiscard]] constexpr std::uint64_t leaf_count(std::uint64_t size) {
    return size / (1U << 20U) + (size % (1U << 20U) != 0 ? 1 : 0);
}
// Raw size of leaf `index` of a file of `size` bytes; 0 past its end.
[[nodiscard]] std::size_t leaf_size(std::uint64_t size, std::uint64_t index);

// Streaming: pieces of any size in, leaves and root out. Plain SHA-256 beside them when asked for (it costs as much
// again).
class FileDigester {
  public:
    explicit FileDigester(bool with_sha256 = false) : with_sha256_(with_sha256) {}
    void update(std::string_view data);
    // Leaves that somebody else has hashed, of the next `bytes`. Only without the plain digest, and where what came
    // before ends with a leaf.
    void update(std::span<const Digest> leaves, std::uint64_t bytes);

    struct Result {
        std::uint64_t size{0};
        Digest root{};
        std::vector<Digest> leaves{};
        std::optional<Digest> sha256{};
    };
    [[nodiscard]] Result finish();

  private:
    bool with_sha256_{false};
    bool leaf_open_{false};
    std::uint64_t size_{0};
    Sha256 leaf_{};
    Sha256 plain_{};
    std::vector<Digest> leaves_{};
};

// The root digest of bytes in memory.
[[nodiscard]] Digest content_digest(std::string_view data);

}  // namespace drawhitch::proto
