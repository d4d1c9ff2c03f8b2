// Child: a local program with its three streams, driven full-duplex. The local transport and the transport over the
// user's `ssh` are made of it. It knows nothing of boxes.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

struct ChildSpec {
    std::vector<std::string> argv{};  // argv[0] is looked up in PATH when it has no '/'
    std::vector<std::string> env{};   // "NAME=value" entries that replace or extend our own environment
    std::string directory{};          // working directory; empty: ours. A relative argv[0] with a '/' starts there
    bool own_session{true};           // false keeps the terminal within reach, for a program that asks the user
    bool own_streams{true};           // false hands it our standard streams; nothing can be sent or received then
};

// Stdin is a socket, as under sshd; stdout and stderr are pipes. Signals are delivered to the program in their default
// state whatever this process blocks or ignores. Destroying it closes the streams, then ends what is left of the
// program's process group (hang-up, then kill, within half a second), so that nothing stays behind; a program that made
// a session of its own lives on.
class Child {
  public:
    static Result<std::unique_ptr<Child>> start(const ChildSpec& spec);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // As Process::step. Input for a program that no longer reads is taken and dropped, as sshd does.
    Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input);
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    struct TheirEnds;
    Child() = default;
    Result<TheirEnds> make_streams();
    std::size_t send(std::string_view outgoing);
    bool receive(UniqueFd& fd, Stream stream, Step& step);
    void wait_for_streams(const Op& op, bool sending) const;
    Result<Exit> wait_for_exit(const Op& op);
    bool reap();
    void end_group() noexcept;

    pid_t pid_{-1};
    UniqueFd ended_{};  // readable once the program has ended, where the system has such a thing
    UniqueFd in_{};
    UniqueFd out_{};
    UniqueFd err_{};
    bool err_first_{false};  // alternates, so that a flood on one stream cannot starve the other
    std::string buffer_{};
    std::optional<Exit> exit_{};
    bool own_session_{true};
};

}  // namespace drawhitch::transport
