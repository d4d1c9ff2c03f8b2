// The line an event is worth on standard error, shared by the sinks for people.
#pragma once

#include <string>

#include "base/event.hpp"

namespace drawhitch::term {

struct SinkOptions;

// Printable, without a line end; empty when nothing is to be said at this verbosity. Started and advanced events have
// no line of their own.
std::string event_text(const Event& event, const SinkOptions& options);

}  // namespace drawhitch::term
