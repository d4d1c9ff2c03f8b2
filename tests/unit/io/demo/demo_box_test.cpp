#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <string>
#include <thread>

#include "base/op.hpp"
#include "io/demo/children.hpp"
#include "io/demo/private_sshd.hpp"
#include "io/demo/relay.hpp"

using namespace drawhitch;

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

UniqueFd connect_to(std::uint16_t port) {
    UniqueFd made{::socket(AF_INET, SOCK_STREAM, 0)};
    const sockaddr_in address = loopback(port);
    if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) made.reset();
    return made;
}

// Sends `size` bytes to each client and closes.
class Source {
  public:
    explicit Source(std::size_t size) {
        listener_ = UniqueFd{::socket(AF_INET, SOCK_STREAM, 0)};
        sockaddr_in address = loopback(0);
        socklen_t length = sizeof address;
        REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
        REQUIRE(::listen(listener_.get(), 4) == 0);
        REQUIRE(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this, size] {
            const UniqueFd client{::accept(listener_.get(), nullptr, nullptr)};
            const std::string bytes(size, 'x');
            std::size_t at = 0;
            while (at < size) {
                const ssize_t count = ::send(client.get(), bytes.data() + at, size - at, MSG_NOSIGNAL);
                if (count <= 0) break;
                at += static_cast<std::size_t>(count);
            }
        });
    }
    ~Source() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }

  private:
    UniqueFd listener_{};
    std::uint16_t port_{0};
    std::thread thread_{};
};

struct Drained {
    std::size_t bytes{0};
    int error{0};
};

Drained drain(int fd) {
    Drained drained;
    std::string piece(65536, '\0');
    for (;;) {
        const ssize_t count = ::read(fd, piece.data(), piece.size());
        if (count < 0) drained.error = errno;
        if (count <= 0) return drained;
        drained.bytes += static_cast<std::size_t>(count);
    }
}

struct PrivateFolder {
    PrivateFolder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
    ~PrivateFolder() { (void)!::system(("rm -rf " + path).c_str()); }
    std::string path{"/tmp/drawhitch-test-XXXXXX"};
};

}  // namespace

TEST_CASE("the relay carries everything and then the end") {
    const Source source{300'000};
    auto relay = demo::Relay::start(source.port());
    REQUIRE(relay);
    const UniqueFd client = connect_to((*relay)->port());
    const Drained drained = drain(client.get());
    CHECK(drained.bytes == 300'000);
    CHECK(drained.error == 0);
    CHECK((*relay)->carried() == 300'000);
}

TEST_CASE("the relay resets every connection at the byte asked for, once") {
    const Source source{300'000};
    auto relay = demo::Relay::start(source.port());
    REQUIRE(relay);
    (*relay)->cut_after(100'000);
    const UniqueFd client = connect_to((*relay)->port());
    const Drained drained = drain(client.get());
    CHECK(drained.error == ECONNRESET);
    CHECK((*relay)->carried() == 100'000);
    CHECK_FALSE((*relay)->cut_pending());
}

TEST_CASE("a command's output and exit code are returned, a signal as 128 plus its number") {
    const Cancel cancel;
    const Op op{cancel, system_clock(), silent_events()};
    const auto plain = demo::run_to_end(op, {"sh", "-c", "echo out; echo err >&2; exit 3"});
    REQUIRE(plain);
    CHECK(plain->exit_code == 3);
    CHECK(plain->output == "out\nerr\n");
    CHECK(demo::run_to_end(op, {"sh", "-c", "kill -KILL $$"})->exit_code == 128 + SIGKILL);
    CHECK_FALSE(demo::run_to_end(op, {"/nonexistent/program"}));
}

TEST_CASE("the private sshd lets its key in, has its own home, and ends with its detached jobs") {
    const PrivateFolder folder;
    const Cancel cancel;
    const Op op{cancel, system_clock(), silent_events()};
    demo::adopt_orphans();
    auto sshd = demo::PrivateSshd::start(op, folder.path);
    REQUIRE(sshd);
    CHECK((*sshd)->fingerprint().substr(0, 7) == "SHA256:");
    const auto said =
        demo::run_to_end(op, {"ssh", "-F", "none", "-i", (*sshd)->identity_file(), "-o", "IdentitiesOnly=yes", "-o",
                              "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
                              "-p", std::to_string((*sshd)->port()), (*sshd)->user() + "@127.0.0.1",
                              "echo $HOME; setsid sleep 300 >/dev/null 2>&1 </dev/null & echo $!"});
    REQUIRE(said);
    REQUIRE(said->exit_code == 0);
    const std::size_t line = said->output.find('\n');
    CHECK(said->output.substr(0, line) == (*sshd)->home());
    const auto job = static_cast<pid_t>(std::stol(said->output.substr(line + 1)));
    sshd->reset();
    demo::end_descendants(system_clock());
    // setsid forks when its caller leads a group; whichever of the two it was, nothing of it is left below us.
    CHECK(::kill(job, 0) != 0);
}
