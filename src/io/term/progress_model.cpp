#include "io/term/progress_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/text.hpp"
#include "io/term/width.hpp"

namespace drawhitch::term {

namespace {

using std::chrono::seconds;

constexpr seconds k_rate_window{5};
constexpr seconds k_eta_window{30};    // longer, so that the time left does not jump with every gust
constexpr seconds k_least_for_eta{1};  // before that the start of the connection is measured, not the transfer
constexpr std::uint64_t k_least_bytes_for_eta = 64U << 10U;  // a greeting is no measure of a link
constexpr milliseconds k_sample_step{200};  // samples closer than this are merged: at most 150 are kept
constexpr seconds k_worth_telling{5};       // silence shorter than this is not mentioned
constexpr std::size_t k_bar_columns = 20;
constexpr std::size_t k_title_columns = 28;

double in_seconds(Instant::duration length) {
    return std::chrono::duration<double>(length).count();
}

std::string bar(unsigned percent) {
    const std::size_t full = k_bar_columns * percent / 100;
    std::string text = "[" + std::string(full, '=');
    if (full < k_bar_columns) text += '>' + std::string(k_bar_columns - full - 1, ' ');
    return text + "]";
}

}  // namespace

Track::Track(const Event& event, Instant now)
    : activity_(event.activity),
      unit_(event.unit),
      title_(printable(event.text)),
      done_(event.done),
      total_(event.total),
      since_(now),
      moved_(now),
      samples_{Sample{now, event.done}} {}

void Track::apply(const Event& event, Instant now) {
    if (event.total) total_ = event.total;
    if (event.done != done_) moved_ = now;
    done_ = event.done;
    // The newest sample moves along until the step is over; the one before it stays as the measured point.
    if (samples_.size() > 1 && now - samples_[samples_.size() - 2].at < k_sample_step) {
        samples_.back() = Sample{now, done_};
    } else {
        samples_.push_back(Sample{now, done_});
    }
    while (samples_.size() > 2 && samples_[1].at <= now - k_eta_window)
        samples_.pop_front();
}

double Track::rate_over(seconds window, Instant now) const {
    const Instant start = now - window;
    // The last sample at or before the start of the window tells what was done by then.
    const auto after = std::ranges::find_if(samples_, [start](const Sample& s) { return s.at > start; });
    const Sample& base = after == samples_.begin() ? samples_.front() : *std::prev(after);
    const double length = std::min(in_seconds(now - base.at), in_seconds(window));
    if (length <= 0.0 || done_ <= base.done) return 0.0;
    return static_cast<double>(done_ - base.done) / length;
}

double Track::rate(Instant now) const {
    return rate_over(k_rate_window, now);
}

std::optional<seconds> Track::eta(Instant now) const {
    if (!total_ || *total_ < done_ || rate(now) <= 0.0) return std::nullopt;
    if (now - since_ < k_least_for_eta) return std::nullopt;
    const std::uint64_t moved = done_ - samples_.front().done;
    if (unit_ == EventUnit::bytes && moved < std::min(k_least_bytes_for_eta, *total_ / 4)) return std::nullopt;
    const double left = static_cast<double>(*total_ - done_) / rate_over(k_eta_window, now);
    constexpr double k_never = 30.0 * 24 * 3600;  // a month: not an estimate any more
    if (left > k_never) return std::nullopt;
    return seconds{std::lround(left)};
}

seconds Track::quiet_for(Instant now) const {
    return std::chrono::duration_cast<seconds>(now - moved_);
}

std::optional<unsigned> Track::percent() const {
    if (!total_) return std::nullopt;
    if (*total_ == 0) return 100U;
    const auto share = static_cast<double>(std::min(done_, *total_)) / static_cast<double>(*total_);
    return static_cast<unsigned>(share * 100.0);
}

std::string Track::amount() const {
    const auto shown = [this](std::uint64_t count) {
        return unit_ == EventUnit::bytes ? human_bytes(count) : std::to_string(count);
    };
    if (unit_ == EventUnit::none && !total_) return {};
    std::string text = shown(done_);
    if (total_) text += " / " + shown(*total_);
    if (unit_ == EventUnit::files) text += " files";
    if (unit_ == EventUnit::seconds) text += " s";
    return text;
}

std::string Track::speed(Instant now) const {
    const double rate_now = rate(now);
    if (unit_ == EventUnit::bytes) return human_bytes(static_cast<std::uint64_t>(rate_now)) + "/s";
    if (unit_ != EventUnit::files) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.0f/s", rate_now);
    return text;
}

std::string Track::bar_line(std::size_t width, Instant now) const {
    std::vector<std::string> parts{pad_right(cut_to_width(title_, k_title_columns), k_title_columns)};
    const std::optional<unsigned> share = percent();
    if (share && width >= 80) parts.push_back(bar(*share));
    if (share) parts.push_back(pad_left(std::to_string(*share) + "%", 4));
    if (std::string text = amount(); !text.empty()) parts.push_back(std::move(text));
    if (std::string text = speed(now); !text.empty()) parts.push_back(std::move(text));
    const auto left = eta(now);
    if (left) {
        parts.push_back("ETA " + human_duration(*left));
    } else if (quiet_for(now) >= k_worth_telling) {
        parts.push_back("nothing for " + human_duration(quiet_for(now)));
    }
    std::string line = cut_to_width(join(parts, "  "), width);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string Track::sentence(Instant now) const {
    std::vector<std::string> parts;
    if (const auto share = percent()) parts.push_back(std::to_string(*share) + "%");
    if (std::string text = amount(); !text.empty()) parts.push_back(std::move(text));
    if (std::string text = speed(now); !text.empty()) parts.push_back(std::move(text));
    if (const auto left = eta(now)) parts.push_back("about " + human_duration(*left) + " left");
    if (quiet_for(now) >= k_worth_telling) parts.push_back("nothing new for " + human_duration(quiet_for(now)));
    return title_ + (parts.empty() ? std::string{} : ": " + join(parts, ", "));
}

void ProgressModel::apply(const Event& event, Instant now) {
    const auto at = std::ranges::find(tracks_, event.activity, &Track::activity);
    switch (event.kind) {
        case EventKind::started:
            if (at == tracks_.end()) {
                tracks_.emplace_back(event, now);
            } else {
                *at = Track{event, now};  // begun again, from where `done` says
            }
            return;
        case EventKind::advanced:
            if (at != tracks_.end()) at->apply(event, now);
            return;
        case EventKind::finished:
            if (at != tracks_.end()) tracks_.erase(at);
            return;
        case EventKind::note:
        case EventKind::warning:
        case EventKind::debug:
        case EventKind::heartbeat:
            return;
    }
}

const Track* ProgressModel::find(std::uint64_t activity) const {
    const auto at = std::ranges::find(tracks_, activity, &Track::activity);
    return at == tracks_.end() ? nullptr : &*at;
}

std::vector<std::string> ProgressModel::render(std::size_t width, std::size_t most, Instant now) const {
    std::vector<std::string> lines;
    for (const Track& track : tracks_) {
        if (lines.size() + 1 == most && tracks_.size() > most) {
            lines.push_back("… and " + std::to_string(tracks_.size() - lines.size()) + " more");
            break;
        }
        lines.push_back(track.bar_line(width, now));
    }
    return lines;
}

}  // namespace drawhitch::term
