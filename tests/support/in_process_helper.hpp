// InProcessHelper: the helper's serve loop on a thread of the test, reached through two pipes, and the Process that
// Session wants over the same pipes. Nothing is installed or spawned.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/fd.hpp"
#include "helper/server.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::support {

// The client's ends of a helper.
struct HelperPipes {
    UniqueFd to_helper{};
    UniqueFd from_helper{};
};

// A Process over two descriptors that somebody else serves. Its exit is reported when the reading end is at its end.
std::unique_ptr<transport::Process> make_pipe_process(HelperPipes pipes);

class InProcessHelper {
  public:
    static constexpr const char* k_nonce = "0123456789abcdef";  // as raw bytes
    static constexpr const char* k_build_id = "in-process";

    // `cache_path` is that of the digest cache; empty keeps none.
    explicit InProcessHelper(milliseconds silence = milliseconds{30'000}, Clock& clock = system_clock(),
                             std::string cache_path = {});
    // `prepare` runs on the helper's thread before it serves.
    explicit InProcessHelper(std::function<void()> prepare);
    // Waits for the loop to end, which it does when the client's ends are closed.
    ~InProcessHelper();
    InProcessHelper(const InProcessHelper&) = delete;
    InProcessHelper& operator=(const InProcessHelper&) = delete;

    // Once: the raw ends, for tests that speak bytes.
    HelperPipes take_pipes() { return std::move(pipes_); }
    // Once: a started agent around them. Fails the test if that does not work.
    std::unique_ptr<agent::Agent> connect(const Op& op, const agent::SessionOptions& options = {});
    // Joins; call it after closing the client's ends, or when the helper ends by itself.
    helper::Ended wait();

  private:
    void start(helper::ServerOptions options, Clock& clock, std::function<void()> prepare);

    HelperPipes pipes_{};
    helper::Ended ended_{helper::Ended::finished};
    std::thread thread_{};
};

}  // namespace drawhitch::support
