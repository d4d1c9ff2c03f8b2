// The sizes that pull and push share, so that both ask for the same pieces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace drawhitch::flow {

inline constexpr std::uint32_t k_span_chunks = 4;  // small enough that idle connections find work near the end
// With fewer spans left than this for each connection they are shared out chunk by chunk: what a slow connection has
// taken keeps all of them waiting in the end.
inline constexpr std::size_t k_cut_below = 4;
inline constexpr std::uint64_t k_bundle_bytes = 1U << 20U;  // one block
inline constexpr std::size_t k_bundle_files = 512;
inline constexpr std::size_t k_most_requests = 64;  // in flight on one connection
// Nanoseconds. A connection of which nothing was heard for so long may be dead: the transport gives it up much later.
inline constexpr std::int64_t k_silent = 3'000'000'000;
// sshd drops logins at random above ten unauthenticated ones (MaxStartups 10:30:100).
inline constexpr int k_most_at_the_door = 8;
inline constexpr milliseconds k_reserve_looks{20};  // how soon a connection in reserve sees that it is needed
inline constexpr int k_most_wrong = 3;              // a digest that is wrong as often is no accident

}  // namespace drawhitch::flow
