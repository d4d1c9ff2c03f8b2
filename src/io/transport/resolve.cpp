#include "io/transport/resolve.hpp"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/fd.hpp"
#include "io/transport/ssh_error.hpp"
#include "io/transport/wait.hpp"

namespace drawhitch::transport {

namespace {

struct Answer {
    int code{0};
    std::vector<Address> addresses{};
};

Answer look_up(const std::string& host, std::uint16_t port, int flags) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICSERV | flags;
    addrinfo* list = nullptr;
    Answer answer;
    answer.code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list);
    for (const addrinfo* item = answer.code == 0 ? list : nullptr; item != nullptr; item = item->ai_next) {
        if (item->ai_addrlen > sizeof(sockaddr_storage)) continue;
        Address address;
        std::memcpy(&address.bytes, item->ai_addr, item->ai_addrlen);
        address.length = item->ai_addrlen;
        address.family = item->ai_family;
        answer.addresses.push_back(address);
    }
    if (list != nullptr) ::freeaddrinfo(list);
    return answer;
}

// The resolver's own order, but the first address of the other family comes second, and so on: a family that leads
// nowhere then costs one step, not all of them.
std::vector<Address> alternate(const std::vector<Address>& in) {
    std::vector<Address> first;
    std::vector<Address> other;
    for (const Address& address : in)
        (address.family == in.front().family ? first : other).push_back(address);
    std::vector<Address> out;
    for (std::size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
        if (i < first.size()) out.push_back(first[i]);
        if (i < other.size()) out.push_back(other[i]);
    }
    return out;
}

// Shared with a thread that may outlive the call.
struct Errand {
    std::mutex mutex{};
    std::optional<Answer> answer{};
    Pipe done{};
};

Result<Answer> look_up_aside(const Op& op, const std::string& host, std::uint16_t port, milliseconds patience) {
    auto errand = std::make_shared<Errand>();
    TRY_ASSIGN(errand->done, make_pipe());
    std::thread([errand, host, port] {
        Answer answer = look_up(host, port, AI_ADDRCONFIG);
        const std::lock_guard lock(errand->mutex);
        errand->answer = std::move(answer);
        const char byte = 1;
        [[maybe_unused]] const ssize_t count = ::write(errand->done.write.get(), &byte, 1);
    }).detach();
    const Op bounded = op.within(patience);
    for (;;) {
        TRY(op.check());
        {
            const std::lock_guard lock(errand->mutex);
            if (errand->answer) return *errand->answer;
        }
        if (!bounded.check()) return Answer{EAI_AGAIN, {}};
        Wait wait(bounded);
        wait.add(errand->done.read.get(), POLLIN);
        wait.now(k_longest_wait);
    }
}

}  // namespace

Result<std::vector<Address>> resolve(const Op& op, const std::string& host, std::uint16_t port, milliseconds patience) {
    TRY(op.check());
    Answer answer = look_up(host, port, AI_NUMERICHOST);
    if (answer.code != 0) {
        TRY_ASSIGN(answer, look_up_aside(op, host, port, patience));
    }
    if (answer.code != 0) return resolver_error(answer.code, host);
    if (answer.addresses.empty()) return resolver_error(EAI_NONAME, host);
    return alternate(answer.addresses);
}

std::string shown(const Address& address) {
    char text[NI_MAXHOST] = {};
    const auto* bytes = reinterpret_cast<const sockaddr*>(&address.bytes);
    const int failed = ::getnameinfo(bytes, address.length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return failed == 0 ? text : "an address";
}

}  // namespace drawhitch::transport
