// Server: the serve loop of the helper over two descriptors. One thread; strictly one request at a time. Runs as the
// program's main loop, and inside tests on pipes.
#pragma once

#include <memory>
#include <string>

#include "base/time.hpp"

namespace drawhitch::helper {

struct ServerOptions {
    std::string nonce{};     // k_nonce_size raw bytes
    std::string build_id{};  // told in hello
    milliseconds silence{30'000};
    std::string cache_path{};  // of the digest cache; empty = none
};

// How a connection ended; also the program's exit codes.
enum class Ended {
    finished = 0,  // end of input, or bye
    protocol = 3,
    silence = 4,
    output = 5
};

class Server {
  public:
    // Borrows the descriptors and makes them non-blocking.
    Server(int in, int out, ServerOptions options, Clock& clock);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Serves until the client is gone. Every lock is released and every descriptor of its own closed before it returns.
    Ended run();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// "x86_64" or "aarch64": what this was compiled for.
const char* architecture();

}  // namespace drawhitch::helper
