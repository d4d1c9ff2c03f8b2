// PrivateSshd: an OpenSSH server of our own on 127.0.0.1, with its own keys, configuration and home directory, run as
// the current user: the box of `drawhitch demo`. Nothing outside its directory is touched, and it ends with the object.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/op.hpp"

namespace drawhitch::demo {

class PrivateSshd {
  public:
    // Makes keys and configuration in `directory` (which exists, is private, and is not ours to delete) and starts the
    // server. Codes: not_found (no sshd or ssh-keygen on this machine), remote_failed (it did not start; `why` has its
    // log's end).
    static Result<std::unique_ptr<PrivateSshd>> start(const Op& op, std::string directory);
    // Ends the server. What was started through it and detached lives on: see end_descendants.
    ~PrivateSshd();
    PrivateSshd(const PrivateSshd&) = delete;
    PrivateSshd& operator=(const PrivateSshd&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] const std::string& user() const { return user_; }
    [[nodiscard]] std::string identity_file() const { return directory_ + "/client_key"; }
    [[nodiscard]] std::string home() const { return directory_ + "/home"; }
    // "SHA256:…" of its host key, as the console of a real provider might show it.
    [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

  private:
    explicit PrivateSshd(std::string directory) : directory_(std::move(directory)) {}
    Status make_keys(const Op& op, const std::string& keygen);
    Status configure();
    Status launch(const Op& op, const std::string& program);
    Status await_listening(const Op& op);

    std::string directory_{};
    std::string user_{};
    std::string fingerprint_{};
    std::uint16_t port_{0};
    pid_t pid_{-1};
};

}  // namespace drawhitch::demo
