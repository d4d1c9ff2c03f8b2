// Transport: the one primitive. Starting a program on a box and exchanging bytes with it is the only way to a box;
// everything else (scripts, the helper, log following) is built on it. Implementations: ssh (libssh2), openssh (the
// user's program), local (a child process), and the fakes of the tests; all pass tests/contract/transport_contract.hpp.
// No retries here, no decisions, no parsing of what the box says.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/op.hpp"

namespace drawhitch::transport {

// What may be started on a box. The text is sent through the user's login shell (bash, zsh, fish, csh …), so it is a
// constant, or made of the characters A-Z a-z 0-9 . _ - / only: no login shell ever parses a user's name.
class BoxCommand {
  public:
    // A POSIX shell that first prints `nonce` alone on a line (so start-up noise can be skipped), then reads script
    // lines from stdin until a line ".", evaluates them, and leaves the rest of stdin to the script. See script.hpp.
    // `nonce` is hex.
    static BoxCommand shell(std::string_view nonce);
    // An absolute program path and plain words; Code::unsafe_path if any other character occurs.
    static Result<BoxCommand> program(std::string_view path, std::string_view word = {});

    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    explicit BoxCommand(std::string text) : text_(std::move(text)) {}
    std::string text_{};
};

// How a program ended: an exit code, or the name of a signal ("KILL", without SIG).
struct Exit {
    int code{0};
    std::string signal{};
    [[nodiscard]] bool clean() const { return code == 0 && signal.empty(); }
};

enum class Stream { out, err };

// One turn of a full-duplex exchange.
struct Step {
    std::size_t sent{0};          // how many of the offered bytes were taken; offer the rest again, unchanged
    Stream stream{Stream::out};   // where `received` came from
    std::string_view received{};  // valid until the next call; empty when nothing came
    std::optional<Exit> exit{};   // set once, after the last byte of both streams was delivered
};

// A running program. One thread at a time. Destroying it closes the channel: a program that reads stdin sees EOF.
class Process {
  public:
    virtual ~Process() = default;

    // Offers `outgoing`, takes whichever of sending, stdout, stderr or exit is possible first, and returns then; so no
    // order of reads and writes can deadlock. `end_of_input` closes the program's stdin once all of `outgoing` was
    // taken. Blocks until something moved, the deadline, or cancel. Codes: cancelled, deadline, link_lost, stalled.
    virtual Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input) = 0;

    // The round trip of the path as the kernel sees it now, which grows with the queues on the way. Nothing where that
    // is not known: there is no socket, or it is another program's.
    [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> path_round_trip() const { return std::nullopt; }
};

// What a caller wants to know of, or to hold up, while a connection is made. All are called on the thread that makes
// it.
struct Milestones {
    // The path is there, with its first round trip; nobody was asked for anything yet.
    std::function<void(std::chrono::nanoseconds round_trip)> connected{};
    // The box has proven its key, and nothing of ours was shown yet. It may wait; an Error ends the connection.
    std::function<Status(const Op&)> before_login{};
    std::function<void()> logged_in{};
};

// One connection to a box (or none yet: implementations connect on first use). One thread at a time; several processes
// of one transport may be alive where the implementation allows it (Code::limits where not).
class Transport {
  public:
    virtual ~Transport() = default;

    // Connects if needed and starts the command. Every outside failure has its own Code (dns, refused, connect_timeout,
    // no_banner, host_key, auth, key_permissions, key_unusable, shell_missing, limits, link_lost …).
    virtual Result<std::unique_ptr<Process>> exec(const Op& op, const BoxCommand& command) = 0;

    // Before the first exec, for the connections that it makes from then on. Those that are another program's to make,
    // or that nobody has to be let in by, tell nothing.
    virtual void tell(Milestones /*milestones*/) {}

    // For people: "root@203.0.113.7:22 (ssh)", "local". Never contains a secret.
    [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace drawhitch::transport
