// Relay: a TCP relay on loopback that plays a bad link for `drawhitch demo` and for tests: it slows the way from the
// box and cuts connections at a byte count. Owns its sockets and one thread; never leaves 127.0.0.1.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/cancel.hpp"
#include "base/fd.hpp"

namespace drawhitch::demo {

class Relay {
  public:
    // Listens on a free port of 127.0.0.1 and forwards each connection to 127.0.0.1:`target_port`.
    static Result<std::unique_ptr<Relay>> start(std::uint16_t target_port);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

    // Bytes per second towards the laptop, over all connections; 0 is unlimited. May be changed at any time.
    void limit_rate(std::uint64_t bytes_per_second) { rate_ = bytes_per_second; }

    // Once `bytes` more have gone towards the laptop, every connection is reset. One cut; ask again for another.
    void cut_after(std::uint64_t bytes) { cut_at_ = down_ + bytes; }
    [[nodiscard]] bool cut_pending() const { return cut_at_ != k_never; }

    // Bytes carried towards the laptop so far.
    [[nodiscard]] std::uint64_t carried() const { return down_; }

  private:
    struct Link;
    static constexpr std::uint64_t k_never = ~std::uint64_t{0};

    Relay(UniqueFd listener, std::uint16_t port, std::uint16_t target) noexcept;
    [[nodiscard]] std::vector<pollfd> waits() const;
    void loop();
    void accept_one();
    void move_down(Link& link, std::uint64_t allowance);
    static void move_up(Link& link);
    std::uint64_t refill(std::int64_t elapsed_ms);
    void cut_if_due();

    UniqueFd listener_{};
    std::uint16_t port_{0};
    std::uint16_t target_{0};
    std::atomic<std::uint64_t> rate_{0};
    std::atomic<std::uint64_t> down_{0};
    std::atomic<std::uint64_t> cut_at_{k_never};
    std::uint64_t allowance_{0};  // bytes that may go down now; touched by the thread only
    std::vector<std::unique_ptr<Link>> links_{};
    Cancel stop_{};
    std::thread thread_{};
};

}  // namespace drawhitch::demo
