// Proxy: a TCP relay on 127.0.0.1 that behaves like a bad network: small buffers, silence, resets. ScriptedServer: a
// server that says what the test tells it, and nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.hpp"
#include "base/fd.hpp"

namespace drawhitch::support {

// Accepts connections on a free port in a thread of its own until it is destroyed.
class Listener {
  public:
    virtual ~Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::size_t accepted() const { return accepted_; }

  protected:
    Listener();
    // To be called last in the constructor and first in the destructor of what derives.
    void begin();
    void end();
    virtual void serve(UniqueFd client) = 0;
    // Readable descriptors to watch, and what to do after each wait.
    virtual void work() = 0;

    struct Watched {
        int fd{-1};
        short events{0};
    };
    virtual void watched(std::vector<Watched>& all) const = 0;

  private:
    void loop();
    UniqueFd listener_{};
    std::uint16_t port_{0};
    std::atomic<std::size_t> accepted_{0};
    Cancel stop_{};
    std::thread thread_{};
};

class Proxy final : public Listener {
  public:
    // `buffer` bounds the kernel's socket buffers and what is moved at a time.
    explicit Proxy(std::uint16_t target_port, int buffer = 32768);
    ~Proxy() override;

    // From now on nothing moves either way, in connections old and new, though they stay open.
    void freeze() { frozen_ = true; }
    void thaw() { frozen_ = false; }
    // Resets every connection that lives now.
    void reset() { reset_ = true; }
    // Resets every connection once that many more bytes have come from the server.
    void reset_after(std::uint64_t bytes) { reset_at_ = from_server_ + bytes; }
    // Freezes likewise.
    void freeze_after(std::uint64_t bytes) { freeze_at_ = from_server_ + bytes; }
    // Once that many more bytes have moved either way, the connections that live then fall silent for good, as after a
    // change of network; later ones work. What the silenced ones hold is delivered after `unsilence`.
    void silence_after(std::uint64_t bytes) { silence_at_ = from_server_ + from_client_ + bytes; }
    void unsilence() { unsilence_ = true; }
    [[nodiscard]] std::uint64_t from_server() const { return from_server_; }
    [[nodiscard]] std::uint64_t from_client() const { return from_client_; }
    // Connections that are alive, silenced ones included.
    [[nodiscard]] std::size_t alive() const { return alive_; }

  private:
    struct Link;
    void serve(UniqueFd client) override;
    void work() override;
    void watched(std::vector<Watched>& all) const override;
    void cut();

    std::uint16_t target_{0};
    int buffer_{0};
    std::vector<std::unique_ptr<Link>> links_{};
    std::atomic<bool> frozen_{false};
    std::atomic<bool> reset_{false};
    std::atomic<std::uint64_t> from_server_{0};
    std::atomic<std::uint64_t> from_client_{0};
    std::atomic<std::uint64_t> silence_at_{~std::uint64_t{0}};
    std::atomic<bool> unsilence_{false};
    std::atomic<std::size_t> alive_{0};
    std::atomic<std::uint64_t> reset_at_{~std::uint64_t{0}};
    std::atomic<std::uint64_t> freeze_at_{~std::uint64_t{0}};
};

class ScriptedServer final : public Listener {
  public:
    // Sends `greeting` to each client, then hangs up or stays silent; what the client sends is dropped.
    ScriptedServer(std::string greeting, bool hangs_up);
    ~ScriptedServer() override;

  private:
    void serve(UniqueFd client) override;
    void work() override;
    void watched(std::vector<Watched>& all) const override;

    std::string greeting_{};
    bool hangs_up_{false};
    std::vector<UniqueFd> clients_{};
};

// A port that lets no connection come about, as a firewall that drops packets does: its queue is full.
class FullPort {
  public:
    FullPort();
    [[nodiscard]] std::uint16_t port() const { return port_; }

  private:
    UniqueFd listener_{};
    std::uint16_t port_{0};
    std::vector<UniqueFd> fillers_{};
};

// A port of 127.0.0.1 on which nothing listens.
std::uint16_t closed_port();

}  // namespace drawhitch::support
