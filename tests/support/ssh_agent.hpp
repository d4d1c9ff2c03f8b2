// SshAgent: an ssh-agent of the test's own.
#pragma once

#include <sys/types.h>

#include <string>

#include "support/temp_dir.hpp"

namespace drawhitch::support {

class SshAgent {
  public:
    SshAgent();
    ~SshAgent();
    SshAgent(const SshAgent&) = delete;
    SshAgent& operator=(const SshAgent&) = delete;

    [[nodiscard]] std::string socket() const { return dir_ / "agent"; }
    // Hands it the private key of a file without a passphrase.
    void add(const std::string& key) const;

  private:
    TempDir dir_{};
    pid_t pid_{-1};
};

}  // namespace drawhitch::support
