// ProgramBench: the built program against a private sshd behind a proxy, with a home, a state and a project of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

class ProgramBench {
  public:
    // Adopts the server as b1, through the proxy; throws when that fails. `transport` is "ssh" or "openssh".
    explicit ProgramBench(const std::string& transport = "ssh");

    // `drawhitch WORDS…` in the project directory.
    [[nodiscard]] Program program(std::vector<std::string> words) const;
    Ran run(std::vector<std::string> words) const;
    // The same, throwing unless the exit code is 0.
    Ran must(std::vector<std::string> words) const;
    // Starts it, lets it run for `microseconds` and kills it with SIGKILL; false if it ended before. Returns only when
    // it is gone.
    bool killed_after(std::vector<std::string> words, unsigned microseconds) const;

    // The words of an adopt of this server, through the proxy, as `box`.
    [[nodiscard]] std::vector<std::string> adopt_words(const std::string& box) const;
    // Another laptop, with a state and a project of its own, that has adopted the same box under the same name.
    void add_laptop(const std::string& name);
    Ran run_on(const std::string& laptop, std::vector<std::string> words) const;
    [[nodiscard]] std::string project_on(const std::string& laptop) const { return dir_ / (laptop + "project"); }

    [[nodiscard]] Proxy& proxy() { return *proxy_; }
    [[nodiscard]] std::string project() const { return dir_ / "project"; }
    // The box's root for this project, and a run's work directory in it.
    [[nodiscard]] std::string root() const { return sshd_.dir() / "data/drawhitch/project"; }
    [[nodiscard]] const TempDir& dir() const { return dir_; }

  private:
    [[nodiscard]] Program program_on(const std::string& laptop, std::vector<std::string> words) const;

    PrivateSshd sshd_{};
    std::string transport_{};
    std::unique_ptr<Proxy> proxy_{};
    TempDir dir_{};
};

}  // namespace drawhitch::support
