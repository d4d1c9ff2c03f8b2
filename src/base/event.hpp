// Events: how work tells what it does, without knowing who shows it. Sinks live in io/term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace drawhitch {

enum class EventKind {
    started,    // an activity begins, or begins again: `text` is its title, `total` its size if known, `done` a head
                // start
    advanced,   // `done` units so far (absolute), `total` may be revised
    finished,   // the activity ends: `text` says how, may be empty
    note,       // a line for the user
    warning,    // a line that also lands in warnings[] of --json
    debug,      // -v only
    heartbeat,  // "still here, nothing new": shown where silence would worry
};

enum class EventUnit { none, bytes, files, seconds };

// `activity` pairs the events of one activity; ids come from next_activity().
struct Event {
    EventKind kind{EventKind::note};
    std::uint64_t activity{0};
    EventUnit unit{EventUnit::none};
    std::uint64_t done{0};
    std::optional<std::uint64_t> total{};
    std::string text{};
};

// Must not throw and must not block for long: it is called from destructors and transfer loops, from any thread.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void emit(const Event& event) noexcept = 0;
};

std::uint64_t next_activity() noexcept;

// Swallows everything.
EventSink& silent_events();

// Begins an activity and ends it when it goes out of scope.
class Activity {
  public:
    Activity(EventSink& sink, std::string title, EventUnit unit = EventUnit::none,
             std::optional<std::uint64_t> total = std::nullopt);
    ~Activity();
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;
    // What was there before this activity began (a resume): counted as done, never as speed. Call it before advancing.
    void begin_at(std::uint64_t done);
    void advance_to(std::uint64_t done);
    void set_total(std::uint64_t total);
    void finish(std::string how);

  private:
    EventSink& sink_;
    Event state_{};
    bool finished_{false};
};

}  // namespace drawhitch
