#include <exception>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "io/term/event_text.hpp"
#include "io/term/screen.hpp"
#include "io/term/sinks.hpp"

namespace drawhitch::term {

namespace {

constexpr std::size_t k_most_bars = 6;
constexpr std::size_t k_default_width = 80;

// Up to the first line of the bars, then erase to the end of the screen. The bars switch line wrapping off while they
// are drawn, so a line is a row whatever the width has become.
std::string erase_lines(std::size_t lines) {
    return lines == 0 ? std::string{} : "\x1b[" + std::to_string(lines) + "A\r\x1b[J";
}

}  // namespace

LiveSink::LiveSink(SinkOptions options, Clock& clock) : options_(options), clock_(clock) {}

LiveSink::~LiveSink() {
    clear();
}

void LiveSink::write(const std::string& out) noexcept {
    // A terminal that is gone can only be ignored: the work goes on.
    (void)write_all(options_.fd, out, "standard error");
}

void LiveSink::erase(std::string& out) {
    out += erase_lines(drawn_);
    drawn_ = 0;
}

void LiveSink::draw(std::string& out) {
    if (hidden_ || options_.quiet || model_.idle()) return;
    const std::size_t width = terminal_width(options_.fd, options_.width == 0 ? k_default_width : options_.width);
    const std::vector<std::string> lines = model_.render(width > 1 ? width - 1 : width, k_most_bars, clock_.now());
    out += "\x1b[?7l";
    for (const std::string& line : lines)
        out += line + "\n";
    out += "\x1b[?7h";
    drawn_ = lines.size();
}

void LiveSink::emit(const Event& event) noexcept {
    try {
        const std::lock_guard lock{mutex_};
        model_.apply(event, clock_.now());
        const std::string line = event_text(event, options_);
        const bool last_bar_gone = event.kind == EventKind::finished && model_.idle() && drawn_ > 0;
        if (line.empty() && !last_bar_gone) return;  // the next tick shows it
        std::string out;
        erase(out);
        if (!line.empty()) out += line + "\n";
        draw(out);
        write(out);
    } catch (const std::exception&) {  // out of memory: this line is lost
        return;
    }
}

void LiveSink::tick() noexcept {
    try {
        const std::lock_guard lock{mutex_};
        if (drawn_ == 0 && (hidden_ || model_.idle())) return;
        std::string out;
        erase(out);
        draw(out);
        write(out);
    } catch (const std::exception&) {  // out of memory: the next tick tries again
        return;
    }
}

void LiveSink::clear() noexcept {
    try {
        const std::lock_guard lock{mutex_};
        std::string out;
        erase(out);
        if (!out.empty()) write(out);
    } catch (const std::exception&) {  // out of memory: some bars stay on the screen
        return;
    }
}

void LiveSink::hide() noexcept {
    clear();
    const std::lock_guard lock{mutex_};
    hidden_ = true;
}

void LiveSink::show() noexcept {
    const std::lock_guard lock{mutex_};
    hidden_ = false;
}

}  // namespace drawhitch::term
