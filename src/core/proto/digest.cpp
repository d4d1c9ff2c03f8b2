#include "core/proto/digest.hpp"

#include <nettle/sha2.h>

#include <algorithm>
#include <new>

#include "base/text.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::proto {

namespace {

// The prefixes keep leaves, roots and plain digests apart: no leaf can pass for a root.
constexpr std::string_view k_leaf_prefix{"\0", 1};
constexpr std::string_view k_root_prefix{"\1", 1};

std::string little_endian(std::uint64_t value) {
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i)
        bytes[i] = static_cast<char>(value >> (8U * i));
    return bytes;
}

sha256_ctx* context(std::array<std::byte, 128>& state) {
    static_assert(sizeof(sha256_ctx) <= 128 && alignof(sha256_ctx) <= 16);
    return std::launder(reinterpret_cast<sha256_ctx*>(state.data()));
}

}  // namespace

std::string Digest::hex() const {
    return drawhitch::hex(view());
}

std::optional<Digest> Digest::from_hex(std::string_view text) {
    if (text.size() != 64) return std::nullopt;
    const std::string raw = unhex(text);
    if (raw.size() != 32) return std::nullopt;
    Digest digest;
    std::transform(raw.begin(), raw.end(), digest.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return digest;
}

Sha256::Sha256() {
    sha256_init(new (state_.data()) sha256_ctx);
}

void Sha256::update(std::string_view data) {
    sha256_update(context(state_), data.size(), reinterpret_cast<const std::uint8_t*>(data.data()));
}

Digest Sha256::finish() {
    Digest digest;
    sha256_digest(context(state_), digest.bytes.size(), digest.bytes.data());
    return digest;
}

Digest sha256(std::string_view data) {
    Sha256 hash;
    hash.update(data);
    return hash.finish();
}

Digest leaf_digest(std::string_view raw) {
    Sha256 hash;
    hash.update(k_leaf_prefix);
    hash.update(raw);
    return hash.finish();
}

Digest root_digest(std::uint64_t size, std::span<const Digest> leaves) {
    Sha256 hash;
    hash.update(k_root_prefix);
    hash.update(little_endian(size));
    for (const Digest& leaf : leaves)
        hash.update(leaf.view());
    return hash.finish();
}

std::size_t leaf_size(std::uint64_t size, std::uint64_t index) {
    if (index >= leaf_count(size)) return 0;
    return static_cast<std::size_t>(std::min<std::uint64_t>(k_chunk, size - index * k_chunk));
}

void FileDigester::update(std::string_view data) {
    if (with_sha256_) plain_.update(data);
    while (!data.empty()) {
        if (!leaf_open_) leaf_.update(k_leaf_prefix);
        leaf_open_ = true;
        const std::size_t room = k_chunk - static_cast<std::size_t>(size_ % k_chunk);
        const std::string_view piece = data.substr(0, room);
        leaf_.update(piece);
        size_ += piece.size();
        data.remove_prefix(piece.size());
        if (size_ % k_chunk == 0) {
            leaves_.push_back(leaf_.finish());
            leaf_open_ = false;
        }
    }
}

void FileDigester::update(std::span<const Digest> leaves, std::uint64_t bytes) {
    leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
    size_ += bytes;
}

FileDigester::Result FileDigester::finish() {
    if (leaf_open_) leaves_.push_back(leaf_.finish());
    leaf_open_ = false;
    Result result{size_, root_digest(size_, leaves_), std::move(leaves_), {}};
    if (with_sha256_) result.sha256 = plain_.finish();
    leaves_.clear();
    size_ = 0;
    return result;
}

Digest content_digest(std::string_view data) {
    FileDigester digester;
    digester.update(data);
    return digester.finish().root;
}

}  // namespace drawhitch::proto
