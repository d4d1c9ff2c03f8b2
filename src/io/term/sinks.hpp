// Event sinks: who is told what happens, and how. Each is noexcept and thread-safe, as EventSink demands. They write to
// standard error; only JsonLinesSink goes through Output. None of them decides anything about the work.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/event.hpp"
#include "base/time.hpp"
#include "io/term/progress_model.hpp"

namespace drawhitch::term {

class Output;

struct SinkOptions {
    int fd{2};
    bool quiet{false};  // only warnings
    int verbose{0};     // 1: debug lines, too
    bool color{false};
    std::size_t width{0};  // of the terminal when it cannot be asked
};

// A terminal: bars at the bottom, lines above them. `tick` redraws; a Ticker calls it ten times a second.
class LiveSink final : public EventSink {
  public:
    LiveSink(SinkOptions options, Clock& clock);
    ~LiveSink() override;
    void emit(const Event& event) noexcept override;
    void tick() noexcept;
    // Takes the bars off the screen until the next tick, so that others can write.
    void clear() noexcept;
    // Takes the bars off until `show`: a question is being asked.
    void hide() noexcept;
    void show() noexcept;

  private:
    void erase(std::string& out);
    void draw(std::string& out);
    void write(const std::string& out) noexcept;

    SinkOptions options_;
    Clock& clock_;
    std::mutex mutex_{};
    ProgressModel model_{};
    std::size_t drawn_{0};  // lines on the screen now
    bool hidden_{false};
};

// A log, a pipe, a dumb terminal, --plain: whole lines only. A running activity is told every ten seconds.
class PlainSink final : public EventSink {
  public:
    PlainSink(SinkOptions options, Clock& clock);
    void emit(const Event& event) noexcept override;
    void tick() noexcept;

  private:
    struct Told {
        std::uint64_t activity{0};
        Instant at{};
    };
    void tell_running(Instant now);
    void line(const std::string& text);

    SinkOptions options_;
    Clock& clock_;
    std::mutex mutex_{};
    ProgressModel model_{};
    std::vector<Told> told_{};
};

// --jsonl: every event but debug lines is one object on standard output.
class JsonLinesSink final : public EventSink {
  public:
    JsonLinesSink(Output& output, Clock& clock) : output_(output), clock_(clock) {}
    void emit(const Event& event) noexcept override;

  private:
    Output& output_;
    Clock& clock_;
    std::mutex mutex_{};
    std::vector<std::pair<std::uint64_t, Instant>> last_{};  // advanced events are thinned out to a few a second
};

// Keeps the warnings for the envelope, at most some hundred.
class WarningRecorder final : public EventSink {
  public:
    void emit(const Event& event) noexcept override;
    [[nodiscard]] std::vector<std::string> warnings() const;

  private:
    mutable std::mutex mutex_{};
    std::vector<std::string> warnings_{};
    std::size_t lost_{0};
};

// Hands every event to several sinks, in order. It owns none of them.
class FanOut final : public EventSink {
  public:
    explicit FanOut(std::vector<EventSink*> sinks) : sinks_(std::move(sinks)) {}
    void emit(const Event& event) noexcept override {
        for (EventSink* sink : sinks_)
            sink->emit(event);
    }

  private:
    std::vector<EventSink*> sinks_;
};

// Calls `beat` from a thread of its own until it is destroyed.
class Ticker {
  public:
    Ticker(milliseconds every, std::function<void()> beat);
    ~Ticker();
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;

  private:
    struct State;
    std::unique_ptr<State> state_;
    std::thread thread_{};
};

}  // namespace drawhitch::term
