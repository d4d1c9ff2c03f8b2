// Memory for libssh2. It is wiped when given back, because it held keys and passphrases; and on the way it tells two
// things that libssh2 1.11 learns and does not hand on: whether an exit status really came (it reports 0 without one),
// and the number of the channel it belongs to. A missing exit status must never read as success.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace drawhitch::transport {

// Belongs to one session, as its `abstract` pointer; single-threaded like it.
class SshMemory {
  public:
    static void* allocate(std::size_t count, void** abstract) noexcept;
    static void* reallocate(void* bytes, std::size_t count, void** abstract) noexcept;
    static void release(void* bytes, void** abstract) noexcept;

    // The number of the channel opened last.
    [[nodiscard]] std::optional<std::uint32_t> opened() const { return opened_; }
    // Whether an exit status or an exit signal came for a channel; asking forgets.
    [[nodiscard]] bool has_exit(std::uint32_t channel) const { return exits_.count(channel) != 0; }
    void forget(std::uint32_t channel) { exits_.erase(channel); }

    // Who owns the session: libssh2's callbacks get here by the same pointer.
    void* owner{nullptr};
    // What libssh2's question callback answers with; set only while it may ask, wiped after.
    std::string password{};

  private:
    void look(const unsigned char* packet, std::size_t size) noexcept;

    std::optional<std::uint32_t> opened_{};
    std::set<std::uint32_t> exits_{};
};

}  // namespace drawhitch::transport
