#include "io/transport/ssh_memory.hpp"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace drawhitch::transport {

namespace {

// The block's true size, a little above what was asked for. libssh2 sometimes frees with us what it or OpenSSL
// allocated elsewhere, and the other way round, so blocks must be malloc's own, with no header in front.
std::size_t size_of(void* block) noexcept {
#if defined(__APPLE__)
    return ::malloc_size(block);
#else
    return ::malloc_usable_size(block);
#endif
}

// Larger blocks carry channel data, never keys: wiping those would cost a tenth of the throughput.
constexpr std::size_t k_wiped_bytes = 16U << 10U;

// RFC 4254: 90 opens a channel, 98 is a request on one.
constexpr unsigned char k_channel_open = 90;
constexpr unsigned char k_channel_request = 98;

std::uint32_t number(const unsigned char* bytes) {
    return static_cast<std::uint32_t>(bytes[0]) << 24U | static_cast<std::uint32_t>(bytes[1]) << 16U |
           static_cast<std::uint32_t>(bytes[2]) << 8U | bytes[3];
}

void wipe_block(unsigned char* bytes, std::size_t size) noexcept {
    volatile unsigned char* target = bytes;
    for (std::size_t i = 0; i < size; ++i)
        target[i] = 0;
}

}  // namespace

void* SshMemory::allocate(std::size_t count, void**) noexcept {
    return std::malloc(count == 0 ? 1 : count);
}

void* SshMemory::reallocate(void* bytes, std::size_t count, void** abstract) noexcept {
    if (bytes == nullptr) return allocate(count, abstract);
    void* moved = allocate(count, abstract);
    if (moved == nullptr) return nullptr;
    const std::size_t old = size_of(bytes);
    std::memcpy(moved, bytes, old < count ? old : count);
    release(bytes, nullptr);
    return moved;
}

void SshMemory::release(void* bytes, void** abstract) noexcept {
    if (bytes == nullptr) return;
    auto* content = static_cast<unsigned char*>(bytes);
    const std::size_t size = size_of(bytes);
    auto* memory = abstract != nullptr ? static_cast<SshMemory*>(*abstract) : nullptr;
    if (memory != nullptr) memory->look(content, size);
    if (size <= k_wiped_bytes) wipe_block(content, size);
    std::free(bytes);
}

// Both packets start with their type. An open request: string "session", then our number of the channel. A channel
// request: our number, then its name.
void SshMemory::look(const unsigned char* packet, std::size_t size) noexcept {
    static constexpr std::string_view k_session("\0\0\0\7session", 11);
    if (size < 20) return;
    const std::string_view text(reinterpret_cast<const char*>(packet), size);
    if (packet[0] == k_channel_open && text.substr(1).starts_with(k_session)) {
        opened_ = number(packet + 1 + k_session.size());
    } else if (packet[0] == k_channel_request) {
        const std::string_view name = text.substr(9, 11);
        if (number(packet + 5) == 11 && (name == "exit-status" || name == "exit-signal"))
            exits_.insert(number(packet + 1));
    }
}

}  // namespace drawhitch::transport
