// Private SSH servers on 127.0.0.1 for tests: OpenSSH's sshd or dropbear, with their own keys, home and configuration,
// as the current user. They end with the object; what they logged is in the failure message of the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/lease.hpp"
#include "io/transport/endpoint.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

struct SshdOptions {
    bool dropbear{false};
    std::vector<std::string>
        config{};                     // lines of sshd_config, first match wins there, so they override ours; sshd only
    std::vector<std::string> args{};  // further arguments; dropbear only
    std::string password{};           // the user's, made known to this server only
    std::string login_shell{};        // absolute path: commands go through it as if it were the user's login shell
    std::vector<std::string> host_key_types{"ed25519"};  // as ssh-keygen names them; made once a test program
    std::string client_key_type{"ed25519"};
};

class PrivateSshd {
  public:
    explicit PrivateSshd(const SshdOptions& options = {});
    ~PrivateSshd();
    PrivateSshd(const PrivateSshd&) = delete;
    PrivateSshd& operator=(const PrivateSshd&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] const std::string& user() const { return user_; }
    // HOME of everything that runs there; empty at first.
    [[nodiscard]] std::string home() const { return dir_ / "home"; }
    [[nodiscard]] std::string client_key() const { return dir_ / "client_key"; }
    // Files of one's own beside the server's.
    [[nodiscard]] const TempDir& dir() const { return dir_; }
    [[nodiscard]] std::vector<model::HostKey> host_keys() const { return host_keys_; }
    // Everything needed to connect, by the given port (a proxy's) or its own.
    [[nodiscard]] transport::SshTarget target(std::uint16_t port = 0) const;
    [[nodiscard]] std::string log() const;
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    void make_keys(const SshdOptions& options);
    void write_config(const SshdOptions& options);
    void launch(const SshdOptions& options);
    [[nodiscard]] std::vector<std::string> command(const SshdOptions& options) const;
    bool await_greeting();
    void stop();

    TempDir dir_{};
    std::string user_{};
    std::uint16_t port_{0};
    pid_t pid_{-1};
    std::vector<model::HostKey> host_keys_{};
};

// A key pair at `path` and `path`.pub. `type` is "ed25519", "ecdsa" or "rsa"; keys without a passphrase are copies of
// one made once.
void make_key(const std::string& path, const std::string& type, const std::string& passphrase = {});

// Starts a program in a session of its own, stdin from /dev/null, its other streams appended to a file.
pid_t start_tool(const std::vector<std::string>& argv, const std::string& output);

// Runs a program to its end and throws unless it exits with 0.
void run_tool(const std::vector<std::string>& argv);

}  // namespace drawhitch::support
