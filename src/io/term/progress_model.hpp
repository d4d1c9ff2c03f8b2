// ProgressModel: what the running activities look like, from their events. Pure: no clock, no terminal; the sinks in
// sinks.hpp know those.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "base/time.hpp"

namespace drawhitch::term {

// One running activity. `rate` is measured over the last seconds, so it falls to zero when nothing arrives.
class Track {
  public:
    Track(const Event& event, Instant now);
    void apply(const Event& event, Instant now);

    [[nodiscard]] std::uint64_t activity() const { return activity_; }
    [[nodiscard]] const std::string& title() const { return title_; }
    [[nodiscard]] Instant since() const { return since_; }
    // Units per second over the sliding window that ends at `now`.
    [[nodiscard]] double rate(Instant now) const;
    // Time left at the rate of a longer window; nothing when the total is unknown, nothing moves, or too little has
    // moved to measure by.
    [[nodiscard]] std::optional<std::chrono::seconds> eta(Instant now) const;
    // How long nothing has advanced.
    [[nodiscard]] std::chrono::seconds quiet_for(Instant now) const;

    // "title  [=====>    ]  45%  123 MiB / 512 MiB  12.3 MiB/s  ETA 32 s", in at most `width` columns.
    [[nodiscard]] std::string bar_line(std::size_t width, Instant now) const;
    // The same facts as a sentence for a log: "title: 45 %, 123 MiB of 512 MiB, 12.3 MiB/s, about 32 s left".
    [[nodiscard]] std::string sentence(Instant now) const;

  private:
    struct Sample {
        Instant at{};
        std::uint64_t done{0};
    };

    [[nodiscard]] double rate_over(std::chrono::seconds window, Instant now) const;
    [[nodiscard]] std::string amount() const;
    [[nodiscard]] std::string speed(Instant now) const;
    [[nodiscard]] std::optional<unsigned> percent() const;

    std::uint64_t activity_{0};
    EventUnit unit_{EventUnit::none};
    std::string title_{};
    std::uint64_t done_{0};
    std::optional<std::uint64_t> total_{};
    Instant since_{};
    Instant moved_{};
    std::deque<Sample> samples_{};
};

class ProgressModel {
  public:
    // Follows started, advanced and finished; other kinds leave it as it is. Events of unknown activities are ignored.
    void apply(const Event& event, Instant now);
    [[nodiscard]] bool idle() const { return tracks_.empty(); }
    [[nodiscard]] const std::vector<Track>& tracks() const { return tracks_; }
    [[nodiscard]] const Track* find(std::uint64_t activity) const;
    // One line per activity, the oldest first, at most `most` lines; what does not fit is counted in the last one.
    [[nodiscard]] std::vector<std::string> render(std::size_t width, std::size_t most, Instant now) const;

  private:
    std::vector<Track> tracks_{};
};

}  // namespace drawhitch::term
