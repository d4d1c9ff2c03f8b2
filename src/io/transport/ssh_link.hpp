// SshLink: one TCP connection with one libssh2 session, driven without ever blocking in it. It owns the socket, both
// directions' buffers and the watch over time; what is said over it is the business of its users.
#pragma once

#include <libssh2.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/op.hpp"
#include "io/transport/endpoint.hpp"
#include "io/transport/ssh_error.hpp"
#include "io/transport/ssh_memory.hpp"

namespace drawhitch::transport {

// How it keeps libssh2 out of trouble:
// - libssh2 never sees a socket that takes only part of a packet: what the kernel does not take waits in `out_`. Its
// known
//   faults with half-sent packets (interleaved channels, and a rekey in the middle, which can hang for good) cannot
//   occur.
// - libssh2 never sees the end of the connection as an error: it is told "nothing yet", so that what had arrived before
//   the end is delivered first.
// One thread at a time.
class SshLink {
  public:
    // Takes a connected, non-blocking socket. `key_types` go first in what is asked of the host.
    static Result<std::shared_ptr<SshLink>> start(UniqueFd socket, SshTarget target,
                                                  const std::vector<std::string>& key_types);
    ~SshLink();
    SshLink(const SshLink&) = delete;
    SshLink& operator=(const SshLink&) = delete;

    // One go at the SSH handshake; for `finish`.
    int handshake();
    // False once the connection has ended, also when nobody noticed yet.
    [[nodiscard]] bool alive() const;
    // Repeats a libssh2 call, waiting in between, until it no longer answers EAGAIN; gives its answer, which may be a
    // libssh2 error. Fails when the connection ends, stalls, or the operation is cancelled, which closes the socket.
    Result<int> finish(const Op& op, SshPhase phase, const std::function<int()>& call);
    // One wait for the socket, after anything libssh2 had to say was flushed. `owed`: silence is a stall.
    Status wait(const Op& op, SshPhase phase);
    // Hands what waits in `out_` to the kernel.
    void flush();

    [[nodiscard]] LIBSSH2_SESSION* session() const { return session_; }
    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] SshMemory& memory() { return *memory_; }
    [[nodiscard]] const SshTarget& target() const { return target_; }
    // Bytes encrypted and not yet taken by the kernel.
    [[nodiscard]] std::size_t backlog() const { return out_.size() - out_at_; }
    [[nodiscard]] bool dead() const { return dead_; }
    // The socket's end was seen; what arrived before may still be inside libssh2.
    [[nodiscard]] bool ended() const { return dead_ || closed_ || socket_error_ != 0; }

    // A failure in our words, from libssh2's code and all that is known of the connection.
    [[nodiscard]] Error error(SshPhase phase, int code) const;
    // Closes the socket at once.
    void kill();
    // A process has taken a channel, and gives it back; `ended` when its program has. The channel is closed without
    // waiting for the peer's agreement, which is collected later.
    void engage() { ++live_; }
    void retire(LIBSSH2_CHANNEL* channel, bool ended);
    // Whether any channel was closed on this connection so far.
    [[nodiscard]] bool has_retired() const { return has_retired_; }

  private:
    SshLink(UniqueFd socket, SshTarget target) : socket_(std::move(socket)), target_(std::move(target)) {}
    Status configure(const std::vector<std::string>& key_types);
    void collect_retired();
    void leave();
    [[nodiscard]] bool is_dropbear() const;
    bool watch_silence(const Op& op, SshPhase phase, milliseconds& quiet);
    void offer_keepalive();
    [[nodiscard]] std::uint64_t delivered() const;
    [[nodiscard]] SshPhase actual(SshPhase phase) const;

    ssize_t receive(void* buffer, std::size_t length);
    ssize_t send(const void* buffer, std::size_t length);
    friend struct SshCallbacks;

    UniqueFd socket_{};
    SshTarget target_{};
    std::unique_ptr<SshMemory> memory_{};
    LIBSSH2_SESSION* session_{nullptr};
    std::vector<LIBSSH2_CHANNEL*> retired_{};
    int live_{0};  // channels that processes hold

    std::string out_{};
    std::size_t out_at_{0};
    std::string greeting_{};
    std::string farewell_{};
    bool closed_{false};
    bool has_retired_{false};
    bool dead_{false};
    int socket_error_{0};

    std::uint64_t received_{0};
    std::uint64_t sent_{0};
    std::uint64_t heard_{0};      // received_ at the last sign of life
    std::uint64_t delivered_{0};  // delivered() then
    Instant quiet_since_{};
    std::optional<Instant> left_at_{};  // when the last wait ended
    bool keepalive_sent_{false};
};

}  // namespace drawhitch::transport
