#include "io/term/event_text.hpp"

#include "base/text.hpp"
#include "io/term/sinks.hpp"

namespace drawhitch::term {

namespace {

std::string painted(const std::string& text, const char* color, const SinkOptions& options) {
    return options.color ? std::string{color} + text + "\x1b[0m" : text;
}

}  // namespace

std::string event_text(const Event& event, const SinkOptions& options) {
    switch (event.kind) {
        case EventKind::started:
        case EventKind::advanced:
            return {};
        case EventKind::warning:
            return painted("warning:", "\x1b[33m", options) + " " + printable(event.text);
        case EventKind::debug:
            return options.verbose > 0 ? painted("debug: " + printable(event.text), "\x1b[2m", options) : std::string{};
        case EventKind::finished:
        case EventKind::note:
        case EventKind::heartbeat:
            return options.quiet ? std::string{} : printable(event.text);
    }
    return {};
}

}  // namespace drawhitch::term
