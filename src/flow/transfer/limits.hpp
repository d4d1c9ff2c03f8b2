// The sizes that pull and push share, so that both ask for the same pieces.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drawhitch::flow {

inline constexpr std::uint32_t k_span_chunks = 4;           // small enough that idle connections find work near the end
inline constexpr std::uint64_t k_bundle_bytes = 1U << 20U;  // one block
inline constexpr std::size_t k_bundle_files = 512;
inline constexpr std::size_t k_most_requests = 64;  // in flight on one connection
inline constexpr int k_most_wrong = 3;              // a digest that is wrong as often is no accident

}  // namespace drawhitch::flow
