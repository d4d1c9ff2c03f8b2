// The one contract of Transport and Process. Every implementation is put through it, the fakes included; what differs
// is said in Abilities, and nothing else may.
#pragma once

#include <functional>
#include <memory>

#include "io/transport/transport.hpp"

namespace drawhitch::contract {

struct Abilities {
    bool tells_signals{true};       // a death by signal arrives as its name; else as a non-zero exit code
    bool tells_deaths{true};        // a death by signal is told from a broken connection
    bool runs_programs{true};       // a real machine is behind it, so that programs have an effect
    bool interleaves{true};         // output comes while input still goes
    std::size_t volume{8U << 20U};  // bytes moved by the bulk cases
};

using MakeTransport = std::function<std::unique_ptr<transport::Transport>()>;

// Call it from a TEST_CASE of its own; each section makes a fresh transport.
void check_transport(const MakeTransport& make, const Abilities& abilities = {});

}  // namespace drawhitch::contract
