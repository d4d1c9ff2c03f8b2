#include "base/random.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include "base/text.hpp"

namespace drawhitch {

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    // getentropy serves at most 256 bytes a call. It cannot fail on a running kernel; without it nothing is safe.
    for (std::size_t at = 0; at < count; at += 256) {
        if (::getentropy(bytes.data() + at, std::min<std::size_t>(256, count - at)) != 0) std::abort();
    }
    return bytes;
}

std::uint64_t random_u64() {
    std::uint64_t value = 0;
    std::memcpy(&value, random_bytes(sizeof value).data(), sizeof value);
    return value;
}

std::string random_hex(std::size_t count) {
    return hex(random_bytes(count));
}

}  // namespace drawhitch
