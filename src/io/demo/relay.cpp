#include "io/demo/relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "base/time.hpp"

namespace drawhitch::demo {

namespace {

// How often the loop wakes while a rate limit holds bytes back. Short enough that the limit looks like a link.
constexpr int k_tick_ms = 5;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

// One direction's bytes that were read and could not be written yet.
struct Buffer {
    std::string bytes{};
    bool ended{false};
};

// Moves at most `most` bytes; returns what was written, or -1 when the connection is gone.
ssize_t shift(int from, int to, Buffer& buffer, std::size_t most) {
    if (buffer.bytes.empty() && !buffer.ended && most != 0) {
        std::array<char, 65536> piece{};
        const ssize_t count = ::read(from, piece.data(), std::min(most, piece.size()));
        if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
        if (count == 0) {
            buffer.ended = true;
            ::shutdown(to, SHUT_WR);
            return 0;
        }
        buffer.bytes.assign(piece.data(), static_cast<std::size_t>(count));
    }
    if (buffer.bytes.empty()) return 0;
    const ssize_t count = ::write(to, buffer.bytes.data(), buffer.bytes.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    buffer.bytes.erase(0, static_cast<std::size_t>(count));
    return count;
}

void reset_connection(UniqueFd& socket) {
    // A linger of zero makes close send RST, as a broken path's other end would.
    const linger at_once{1, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket.reset();
}

}  // namespace

struct Relay::Link {
    UniqueFd laptop{};
    UniqueFd box{};
    Buffer down{};
    Buffer up{};
    bool broken{false};
    [[nodiscard]] bool over() const {
        return broken || (down.ended && down.bytes.empty() && up.ended && up.bytes.empty());
    }
};

Relay::Relay(UniqueFd listener, std::uint16_t port, std::uint16_t target) noexcept
    : listener_(std::move(listener)), port_(port), target_(target) {}

Result<std::unique_ptr<Relay>> Relay::start(std::uint16_t target_port) {
    UniqueFd listener{::socket(AF_INET, SOCK_STREAM, 0)};
    if (!listener) return errno_error(errno, "open", "a socket");
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener.get(), 64) != 0 ||
        ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return errno_error(errno, "listen on", "127.0.0.1");
    }
    TRY(set_nonblocking(listener.get()));
    std::unique_ptr<Relay> relay{new Relay(std::move(listener), ntohs(address.sin_port), target_port)};
    relay->thread_ = std::thread([raw = relay.get()] { raw->loop(); });
    return relay;
}

Relay::~Relay() {
    stop_.request();
    if (thread_.joinable()) thread_.join();
}

void Relay::accept_one() {
    UniqueFd laptop{::accept(listener_.get(), nullptr, nullptr)};
    if (!laptop) return;
    UniqueFd box{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address = loopback(target_);
    if (!box || ::connect(box.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    if (!set_nonblocking(laptop.get()) || !set_nonblocking(box.get())) return;
    auto link = std::make_unique<Link>();
    link->laptop = std::move(laptop);
    link->box = std::move(box);
    links_.push_back(std::move(link));
}

std::uint64_t Relay::refill(std::int64_t elapsed_ms) {
    const std::uint64_t rate = rate_;
    if (rate == 0) return ~std::uint64_t{0};
    const std::uint64_t burst = std::max<std::uint64_t>(rate / 50, 4096);  // 20 ms of the rate
    allowance_ = std::min(burst, allowance_ + rate * static_cast<std::uint64_t>(elapsed_ms) / 1000);
    return allowance_;
}

void Relay::move_down(Link& link, std::uint64_t allowance) {
    std::uint64_t most = allowance;
    if (cut_at_ != k_never) most = std::min(most, std::max(cut_at_ - down_, std::uint64_t{1}));
    const ssize_t count = shift(link.box.get(), link.laptop.get(), link.down,
                                static_cast<std::size_t>(std::min<std::uint64_t>(most, 65536)));
    if (count < 0) {
        link.broken = true;
        return;
    }
    const auto moved = static_cast<std::uint64_t>(count);
    down_ += moved;
    allowance_ -= std::min(allowance_, moved);
}

void Relay::move_up(Link& link) {
    if (shift(link.laptop.get(), link.box.get(), link.up, 65536) < 0) link.broken = true;
}

void Relay::cut_if_due() {
    if (down_ < cut_at_) return;
    cut_at_ = k_never;  // first: who sees the reset may ask at once whether the cut is still to come
    for (auto& link : links_) {
        reset_connection(link->laptop);
        reset_connection(link->box);
        link->broken = true;
    }
}

std::vector<pollfd> Relay::waits() const {
    std::vector<pollfd> waits{{stop_.fd(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    const bool open_tap = rate_ == 0 || allowance_ > 0;
    for (const auto& link : links_) {
        const short from_laptop = link->up.bytes.empty() && !link->up.ended ? POLLIN : 0;
        const short to_laptop = link->down.bytes.empty() ? 0 : POLLOUT;
        const short from_box = open_tap && link->down.bytes.empty() && !link->down.ended ? POLLIN : 0;
        const short to_box = link->up.bytes.empty() ? 0 : POLLOUT;
        waits.push_back({link->laptop.get(), static_cast<short>(from_laptop | to_laptop), 0});
        waits.push_back({link->box.get(), static_cast<short>(from_box | to_box), 0});
    }
    return waits;
}

void Relay::loop() {
    Clock& clock = system_clock();
    Instant last = clock.now();
    while (!stop_.requested()) {
        std::vector<pollfd> waiting = waits();
        ::poll(waiting.data(), static_cast<nfds_t>(waiting.size()), rate_ == 0 || links_.empty() ? 100 : k_tick_ms);
        const Instant now = clock.now();
        const auto elapsed = std::chrono::duration_cast<milliseconds>(now - last);
        const std::uint64_t allowance = refill(elapsed.count());
        last += elapsed;
        if ((waiting[1].revents & POLLIN) != 0) accept_one();
        for (auto& link : links_) {
            move_up(*link);
            if (!link->broken && (allowance > 0 || !link->down.bytes.empty()))
                move_down(*link, rate_ == 0 ? allowance : allowance_);
        }
        cut_if_due();
        std::erase_if(links_, [](const auto& link) { return link->over(); });
    }
}

}  // namespace drawhitch::demo
