#include "io/transport/key_agent.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "io/transport/ssh_wire.hpp"
#include "io/transport/wait.hpp"

namespace drawhitch::transport {

namespace {

// draft-miller-ssh-agent, section 5.1.
constexpr char k_request_identities = 11;
constexpr char k_identities_answer = 12;
constexpr char k_sign_request = 13;
constexpr char k_sign_response = 14;

constexpr std::size_t k_longest_message = 256U << 10U;  // OpenSSH's agent sends no longer message
constexpr milliseconds k_list_patience{5'000};
constexpr milliseconds k_sign_patience{60'000};  // its user may have to confirm

Error agent_error(std::string_view what) {
    return Error{Code::key_unusable, "the ssh-agent " + std::string(what)};
}

}  // namespace

Result<KeyAgent> KeyAgent::connect(const Op& op, const std::string& socket_path) {
    TRY(op.check());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path.size() >= sizeof address.sun_path) return agent_error("has too long a socket path");
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
    UniqueFd fd{::socket(AF_UNIX, SOCK_STREAM, 0)};
    if (!fd) return agent_error(std::string("cannot be reached: ") + std::strerror(errno));
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    TRY(set_nonblocking(fd.get()));
    no_sigpipe(fd.get());
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return agent_error("at " + printable(socket_path) + " cannot be reached: " + std::strerror(errno));
    }
    return KeyAgent(std::move(fd));
}

namespace {

// Sends what it can of `out`, and appends to `in` what is there; whether anything was.
Result<bool> exchange(int socket, std::string& out, std::string& in) {
    const auto hung_up = [] { return agent_error(std::string("hung up: ") + std::strerror(errno)); };
    if (!out.empty()) {
        const ssize_t count = ::send(socket, out.data(), out.size(), k_send_flags);
        if (count < 0 && !would_block(errno)) return hung_up();
        if (count > 0) out.erase(0, static_cast<std::size_t>(count));
    }
    char buffer[4096];
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count == 0) return agent_error("hung up");
    if (count < 0 && !would_block(errno)) return hung_up();
    if (count > 0) in.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
}

}  // namespace

Result<std::string> KeyAgent::ask(const Op& op, std::string_view request) {
    std::string out = wire_string(request);
    std::string in;
    for (;;) {
        TRY(op.check());
        TRY_ASSIGN(const bool more, exchange(socket_.get(), out, in));
        WireReader reader(in);
        std::uint32_t size = 0;
        if (reader.number(size)) {
            if (size == 0 || size > k_longest_message) return agent_error("does not speak the agent protocol");
            if (in.size() >= 4 + std::size_t{size}) return in.substr(4, size);
        }
        if (more) continue;
        Wait wait(op);
        wait.add(socket_.get(), static_cast<short>(POLLIN | (out.empty() ? 0 : POLLOUT)));
        wait.now(k_longest_wait);
    }
}

Result<std::vector<AgentKey>> KeyAgent::list(const Op& op) {
    auto answer = ask(op.within(k_list_patience), std::string_view(&k_request_identities, 1));
    if (!answer && answer.error().code == Code::deadline && op.check()) return agent_error("does not answer");
    if (!answer) return std::move(answer).error();
    WireReader reader(*answer);
    std::uint32_t count = 0;
    if (answer->front() != k_identities_answer || !reader.skip(1) || !reader.number(count))
        return agent_error("lists no keys");
    std::vector<AgentKey> keys;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::string_view blob;
        std::string_view comment;
        if (!reader.text(blob) || !reader.text(comment)) return agent_error("does not speak the agent protocol");
        keys.push_back(AgentKey{std::string(blob), std::string(comment)});
    }
    return keys;
}

Result<std::string> KeyAgent::sign(const Op& op, std::string_view blob, std::string_view data, std::uint32_t flags) {
    std::string request(1, k_sign_request);
    request += wire_string(blob) + wire_string(data) + wire_number(flags);
    auto answer = ask(op.within(k_sign_patience), request);
    if (!answer && answer.error().code == Code::deadline && op.check()) return agent_error("does not answer");
    if (!answer) return std::move(answer).error();
    WireReader reader(*answer);
    std::string_view signature;
    if (answer->front() != k_sign_response || !reader.skip(1) || !reader.text(signature)) {
        return agent_error("refuses to sign with this key").because("it is locked, or its user did not confirm");
    }
    return std::string(signature);
}

}  // namespace drawhitch::transport
