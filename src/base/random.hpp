// Randomness from the kernel, for nonces, salts and jitter. Never seeded, never predictable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace drawhitch {

std::string random_bytes(std::size_t count);
std::uint64_t random_u64();
// `count` random bytes as 2 x `count` lower-case hex digits.
std::string random_hex(std::size_t count);

}  // namespace drawhitch
