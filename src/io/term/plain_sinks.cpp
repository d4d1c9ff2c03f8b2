// PlainSink, JsonLinesSink, WarningRecorder.
#include <algorithm>
#include <exception>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "io/term/event_text.hpp"
#include "io/term/output.hpp"
#include "io/term/sinks.hpp"

namespace drawhitch::term {

namespace {

constexpr std::chrono::seconds k_tell_every{10};
constexpr milliseconds k_thin_out{250};  // advanced events of one activity on --jsonl are at least this far apart
constexpr std::size_t k_most_warnings = 500;

std::string_view kind_name(EventKind kind) {
    switch (kind) {
        case EventKind::started:
            return "started";
        case EventKind::advanced:
            return "advanced";
        case EventKind::finished:
            return "finished";
        case EventKind::note:
            return "note";
        case EventKind::warning:
            return "warning";
        case EventKind::debug:
            return "debug";
        case EventKind::heartbeat:
            return "heartbeat";
    }
    return "note";
}

std::string_view unit_name(EventUnit unit) {
    switch (unit) {
        case EventUnit::none:
            return "";
        case EventUnit::bytes:
            return "bytes";
        case EventUnit::files:
            return "files";
        case EventUnit::seconds:
            return "seconds";
    }
    return "";
}

Json event_object(const Event& event, WallTime now) {
    Json object = Json::object();
    object.set("kind", kind_name(event.kind)).set("time", rfc3339(now));
    if (event.activity != 0) {
        object.set("activity", event.activity).set("unit", unit_name(event.unit)).set("done", event.done);
        object.set("total", event.total ? Json{*event.total} : Json{});
    }
    if (!event.text.empty()) object.set("text", event.text);
    return object;
}

}  // namespace

PlainSink::PlainSink(SinkOptions options, Clock& clock) : options_(options), clock_(clock) {}

void PlainSink::line(const std::string& text) {
    // A log that is full or gone can only be ignored: the work goes on.
    (void)write_all(options_.fd, text + "\n", "standard error");
}

void PlainSink::emit(const Event& event) noexcept {
    try {
        const std::lock_guard lock{mutex_};
        const Instant now = clock_.now();
        if (event.kind == EventKind::started && model_.find(event.activity) == nullptr) {
            told_.push_back(Told{event.activity, now});
            if (!options_.quiet && !event.text.empty()) line(printable(event.text));
        }
        model_.apply(event, now);
        if (event.kind == EventKind::finished)
            std::erase_if(told_, [&](const Told& t) { return t.activity == event.activity; });
        const std::string text = event_text(event, options_);
        if (!text.empty()) line(text);
        tell_running(now);
    } catch (const std::exception&) {  // out of memory: this line is lost
        return;
    }
}

void PlainSink::tell_running(Instant now) {
    if (options_.quiet) return;
    for (Told& told : told_) {
        const Track* track = model_.find(told.activity);
        if (track == nullptr || now - told.at < k_tell_every) continue;
        told.at = now;
        line(track->sentence(now));
    }
}

void PlainSink::tick() noexcept {
    try {
        const std::lock_guard lock{mutex_};
        tell_running(clock_.now());
    } catch (const std::exception&) {  // out of memory: the next tick tries again
        return;
    }
}

void JsonLinesSink::emit(const Event& event) noexcept {
    if (event.kind == EventKind::debug) return;
    try {
        {
            const std::lock_guard lock{mutex_};
            const Instant now = clock_.now();
            const auto at = std::ranges::find(last_, event.activity, &std::pair<std::uint64_t, Instant>::first);
            if (event.kind == EventKind::advanced && at != last_.end()) {
                if (now - at->second < k_thin_out) return;
                at->second = now;
            } else if (event.kind == EventKind::advanced) {
                last_.emplace_back(event.activity, now);
            } else if (event.kind == EventKind::finished && at != last_.end()) {
                last_.erase(at);
            }
        }
        output_.event_line(event_object(event, clock_.wall()));
    } catch (const std::exception&) {  // out of memory: this event is lost
        return;
    }
}

void WarningRecorder::emit(const Event& event) noexcept {
    if (event.kind != EventKind::warning) return;
    try {
        const std::lock_guard lock{mutex_};
        if (warnings_.size() < k_most_warnings) {
            warnings_.push_back(event.text);
        } else {
            ++lost_;
        }
    } catch (const std::exception&) {  // out of memory: this warning is lost for the envelope
        return;
    }
}

std::vector<std::string> WarningRecorder::warnings() const {
    const std::lock_guard lock{mutex_};
    std::vector<std::string> all = warnings_;
    if (lost_ > 0) all.push_back("and " + std::to_string(lost_) + " more warnings, shown on standard error only");
    return all;
}

}  // namespace drawhitch::term
