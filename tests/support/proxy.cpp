#include "support/proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace drawhitch::support {

namespace {

constexpr int k_tick_ms = 20;  // how soon freeze, thaw and reset are noticed

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

std::uint16_t bind_free(int fd) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* bytes = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd, bytes, size) != 0 || ::getsockname(fd, bytes, &size) != 0)
        throw std::runtime_error("no port on 127.0.0.1");
    return ntohs(address.sin_port);
}

void set(int fd, int level, int name, int value) {
    ::setsockopt(fd, level, name, &value, sizeof value);
}

// A linger of zero makes close send RST.
void reset_socket(UniqueFd& fd) {
    const linger at_once{1, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd.reset();
}

// One direction of a link.
struct Pipeline {
    std::string held{};
    bool ended{false};

    // Moves what fits; false when the connection is broken.
    bool move(int from, int to, std::size_t most, std::uint64_t& moved) {
        if (held.empty() && !ended) {
            held.resize(most);
            const ssize_t count = ::recv(from, held.data(), most, MSG_DONTWAIT);
            held.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
            if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
            if (count == 0) {
                ended = true;
                ::shutdown(to, SHUT_WR);
            }
        }
        if (held.empty()) return true;
        const ssize_t count = ::send(to, held.data(), held.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        held.erase(0, static_cast<std::size_t>(count));
        moved += static_cast<std::uint64_t>(count);
        return true;
    }
};

}  // namespace

Listener::Listener() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    port_ = bind_free(listener_.get());
}

void Listener::begin() {
    if (::listen(listener_.get(), 64) != 0) throw std::runtime_error("cannot listen");
    thread_ = std::thread([this] { loop(); });
}

void Listener::end() {
    stop_.request();
    if (thread_.joinable()) thread_.join();
}

void Listener::loop() {
    while (!stop_.requested()) {
        std::vector<Watched> all{{stop_.fd(), POLLIN}, {listener_.get(), POLLIN}};
        watched(all);
        std::vector<pollfd> fds;
        for (const Watched& one : all)
            fds.push_back(pollfd{one.fd, one.events, 0});
        ::poll(fds.data(), static_cast<nfds_t>(fds.size()), k_tick_ms);
        if ((fds[1].revents & POLLIN) != 0) {
            UniqueFd client{::accept(listener_.get(), nullptr, nullptr)};
            if (client) {
                ++accepted_;
                serve(std::move(client));
            }
        }
        work();
    }
}

struct Proxy::Link {
    UniqueFd client{};
    UniqueFd server{};
    Pipeline up{};
    Pipeline down{};
    bool broken{false};
    bool silent{false};
};

Proxy::Proxy(std::uint16_t target_port, int buffer) : target_(target_port), buffer_(buffer) {
    begin();
}

Proxy::~Proxy() {
    end();
}

void Proxy::serve(UniqueFd client) {
    auto link = std::make_unique<Link>();
    link->server = UniqueFd{::socket(AF_INET, SOCK_STREAM, 0)};
    for (const int fd : {client.get(), link->server.get()}) {
        set(fd, SOL_SOCKET, SO_RCVBUF, buffer_);
        set(fd, SOL_SOCKET, SO_SNDBUF, buffer_);
        set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    }
    const sockaddr_in address = loopback(target_);
    if (::connect(link->server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    link->client = std::move(client);
    links_.push_back(std::move(link));
}

void Proxy::watched(std::vector<Watched>& all) const {
    if (frozen_) return;
    for (const auto& link : links_) {
        if (link->silent) continue;
        const int from_client = link->up.held.empty() && !link->up.ended ? POLLIN : 0;
        const int to_server = link->up.held.empty() ? 0 : POLLOUT;
        const int from_server = link->down.held.empty() && !link->down.ended ? POLLIN : 0;
        const int to_client = link->down.held.empty() ? 0 : POLLOUT;
        all.push_back({link->client.get(), static_cast<short>(from_client | to_client)});
        all.push_back({link->server.get(), static_cast<short>(from_server | to_server)});
    }
}

void Proxy::cut() {
    for (auto& link : links_) {
        reset_socket(link->client);
        reset_socket(link->server);
    }
    links_.clear();
}

void Proxy::work() {
    if (reset_.exchange(false)) cut();
    if (unsilence_.exchange(false)) {
        for (auto& link : links_)
            link->silent = false;
    }
    if (frozen_) return;
    for (auto& link : links_) {
        if (link->silent) continue;
        std::uint64_t up = 0;
        std::uint64_t down = 0;
        const auto most = static_cast<std::size_t>(buffer_);
        if (!link->up.move(link->client.get(), link->server.get(), most, up) ||
            !link->down.move(link->server.get(), link->client.get(), most, down)) {
            link->broken = true;
        }
        if (link->up.ended && link->up.held.empty() && link->down.ended && link->down.held.empty()) link->broken = true;
        from_server_ += down;
        from_client_ += up;
    }
    std::erase_if(links_, [](const auto& link) { return link->broken; });
    alive_ = links_.size();
    if (from_server_ + from_client_ >= silence_at_) {
        silence_at_ = ~std::uint64_t{0};
        for (auto& link : links_)
            link->silent = true;
    }
    if (from_server_ >= reset_at_) {
        reset_at_ = ~std::uint64_t{0};
        cut();
    }
    if (from_server_ >= freeze_at_) {
        freeze_at_ = ~std::uint64_t{0};
        frozen_ = true;
    }
}

ScriptedServer::ScriptedServer(std::string greeting, bool hangs_up)
    : greeting_(std::move(greeting)), hangs_up_(hangs_up) {
    begin();
}

ScriptedServer::~ScriptedServer() {
    end();
}

void ScriptedServer::serve(UniqueFd client) {
    ::send(client.get(), greeting_.data(), greeting_.size(), MSG_NOSIGNAL);
    if (hangs_up_) {
        // A close with unread bytes would be a reset; a server that hangs up politely has read what came.
        ::shutdown(client.get(), SHUT_WR);
    }
    clients_.push_back(std::move(client));
}

void ScriptedServer::work() {
    char dropped[4096];
    std::erase_if(clients_, [&](const UniqueFd& client) {
        return ::recv(client.get(), dropped, sizeof dropped, MSG_DONTWAIT) == 0;
    });
}

void ScriptedServer::watched(std::vector<Watched>& all) const {
    for (const UniqueFd& client : clients_)
        all.push_back({client.get(), POLLIN});
}

FullPort::FullPort() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    port_ = bind_free(listener_.get());
    if (::listen(listener_.get(), 0) != 0) throw std::runtime_error("cannot listen");
    const sockaddr_in address = loopback(port_);
    for (int i = 0; i < 4; ++i) {
        fillers_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
        // Each begins to connect and is left at that.
        (void)::connect(fillers_.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
}

std::uint16_t closed_port() {
    const UniqueFd fd{::socket(AF_INET, SOCK_STREAM, 0)};
    return bind_free(fd.get());
}

}  // namespace drawhitch::support
