#include "io/transport/dial.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <string_view>

#include "io/transport/resolve.hpp"
#include "io/transport/ssh_error.hpp"
#include "io/transport/wait.hpp"

namespace drawhitch::transport {

namespace {

constexpr milliseconds k_next_address{250};  // RFC 8305, "connection attempt delay"
constexpr std::size_t k_most_addresses = 6;
// A peer that is gone is noticed by the kernel after about 20 s of silence, also when nothing is being sent.
constexpr int k_keepalive_idle_s = 8;
constexpr int k_keepalive_interval_s = 4;
constexpr int k_keepalive_count = 3;
// Unsent bytes the kernel holds for us: enough for a fast link, little enough that control bytes are not stuck behind
// them.
constexpr int k_unsent_bytes = 512 << 10;

void set(int fd, int level, int name, int value) {
    // Each of these only improves matters; a system that refuses one still works.
    ::setsockopt(fd, level, name, &value, sizeof value);
}

// How the kernel paces what we send. The usual one takes each lost packet for its own excess: at a loss of one in a
// thousand and 80 ms it sends 3 MB/s. BBR goes by what arrives. Without leave the system's own stays.
void pace([[maybe_unused]] int fd) {
#if defined(TCP_CONGESTION)
    constexpr std::string_view k_pace = "bbr";
    ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, k_pace.data(), k_pace.size());
#endif
}

void tune(int fd) {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    pace(fd);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, k_keepalive_interval_s);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, k_keepalive_count);
#if defined(TCP_KEEPIDLE)
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, k_keepalive_idle_s);
#elif defined(TCP_KEEPALIVE)
    set(fd, IPPROTO_TCP, TCP_KEEPALIVE, k_keepalive_idle_s);
#endif
#if defined(TCP_NOTSENT_LOWAT)
    set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, k_unsent_bytes);
#endif
}

// Several connection attempts in flight at once.
class Race {
  public:
    explicit Race(const SshTarget& target) : target_(target) {}

    // Starts one attempt; true when it connected at once.
    bool start(const Address& address) {
        UniqueFd fd{::socket(address.family, SOCK_STREAM, 0)};
        if (!fd) return lose(errno);
        ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
        if (!set_nonblocking(fd.get())) return lose(EIO);
        no_sigpipe(fd.get());
        tune(fd.get());
        const auto* bytes = reinterpret_cast<const sockaddr*>(&address.bytes);
        if (::connect(fd.get(), bytes, address.length) == 0) {
            winner_ = std::move(fd);
            return true;
        }
        if (errno != EINPROGRESS && errno != EINTR) return lose(errno);
        running_.push_back(std::move(fd));
        return false;
    }

    // Waits for the attempts in flight; true when one connected.
    bool wait(const Op& op, milliseconds most) {
        Wait wait(op);
        for (const UniqueFd& fd : running_)
            wait.add(fd.get(), POLLOUT);
        wait.now(most);
        for (auto fd = running_.begin(); fd != running_.end();) {
            if (wait.found(fd->get()) == 0) {
                ++fd;
                continue;
            }
            int error = 0;
            socklen_t size = sizeof error;
            ::getsockopt(fd->get(), SOL_SOCKET, SO_ERROR, &error, &size);
            if (error == 0) {
                winner_ = std::move(*fd);
                return true;
            }
            lose(error);
            fd = running_.erase(fd);
        }
        return false;
    }

    [[nodiscard]] bool idle() const { return running_.empty(); }
    UniqueFd take() { return std::move(winner_); }
    // The most telling of the failures: a machine that answers "no" outweighs one that says nothing.
    [[nodiscard]] Error failure() const { return connect_error(error_, target_); }

  private:
    bool lose(int error) {
        if (error_ == 0 || error == ECONNREFUSED) error_ = error;
        return false;
    }

    const SshTarget& target_;
    std::vector<UniqueFd> running_{};
    UniqueFd winner_{};
    int error_{0};
};

}  // namespace

std::optional<std::chrono::nanoseconds> path_round_trip([[maybe_unused]] int socket) {
#if defined(__linux__) || defined(__FreeBSD__)
    tcp_info info{};
    socklen_t size = sizeof info;
    const bool told = ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    if (told && info.tcpi_rtt > 0) return std::chrono::microseconds{info.tcpi_rtt};
#elif defined(TCP_CONNECTION_INFO)
    tcp_connection_info info{};
    socklen_t size = sizeof info;
    const bool told = ::getsockopt(socket, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &size) == 0;
    if (told && info.tcpi_srtt > 0) return milliseconds{info.tcpi_srtt};
#endif
    return std::nullopt;
}

Result<UniqueFd> dial(const Op& op, const SshTarget& target) {
    TRY_ASSIGN(std::vector<Address> addresses, resolve(op, target.host, target.port, target.limits.connect));
    if (addresses.size() > k_most_addresses) addresses.resize(k_most_addresses);
    Race race(target);
    const Op bounded = op.within(target.limits.connect);
    std::size_t next = 0;
    while (next < addresses.size() || !race.idle()) {
        TRY(op.check());
        if (!bounded.check()) return connect_error(ETIMEDOUT, target);
        if (next < addresses.size() && race.start(addresses[next++])) return race.take();
        if (race.idle()) continue;
        const bool more = next < addresses.size();
        const Instant turn = op.clock.now() + k_next_address;
        do {
            if (race.wait(bounded, more ? k_next_address : k_longest_wait)) return race.take();
        } while (more && !race.idle() && op.clock.now() < turn && bounded.check());
    }
    return race.failure();
}

}  // namespace drawhitch::transport
