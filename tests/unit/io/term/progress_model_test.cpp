#include "io/term/progress_model.hpp"

#include <catch2/catch_test_macros.hpp>

#include "io/term/width.hpp"

using namespace drawhitch;
using namespace drawhitch::term;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t k_mib = 1024UL * 1024;

// A transfer of 512 MiB with a hand on the clock.
class Transfer {
  public:
    explicit Transfer(std::uint64_t head_start = 0) {
        model_.apply({EventKind::started, 1, EventUnit::bytes, head_start, 512 * k_mib, "pull b1"}, now_);
        done_ = head_start;
    }
    void run(seconds length, std::uint64_t per_second) {
        for (seconds passed{0}; passed < length; ++passed) {
            for (int tenth = 0; tenth < 10; ++tenth) {
                now_ += milliseconds{100};
                done_ += per_second / 10;
                model_.apply({EventKind::advanced, 1, EventUnit::bytes, done_, 512 * k_mib, {}}, now_);
            }
        }
    }
    void wait(seconds length) { now_ += length; }
    [[nodiscard]] double rate() const { return model_.find(1)->rate(now_); }
    [[nodiscard]] const Track& track() const { return *model_.find(1); }
    [[nodiscard]] std::string line(std::size_t width) const { return model_.render(width, 5, now_).front(); }
    [[nodiscard]] Instant now() const { return now_; }
    ProgressModel& model() { return model_; }

  private:
    ProgressModel model_{};
    Instant now_{seconds{1000}};
    std::uint64_t done_{0};
};

bool near(double value, double wanted) {
    return value > wanted * 0.95 && value < wanted * 1.05;
}

}  // namespace

TEST_CASE("the rate follows the last seconds and not the whole transfer") {
    Transfer transfer;
    transfer.run(seconds{20}, 10 * k_mib);
    CHECK(near(transfer.rate(), 10.0 * k_mib));
    transfer.run(seconds{6}, 2 * k_mib);
    CHECK(near(transfer.rate(), 2.0 * k_mib));
}

TEST_CASE("the rate falls to zero when nothing arrives, and the line says for how long") {
    Transfer transfer;
    transfer.run(seconds{10}, 10 * k_mib);
    transfer.wait(seconds{3});
    CHECK(near(transfer.rate(), 4.0 * k_mib));  // two of the last five seconds
    CHECK(transfer.track().eta(transfer.now()));
    transfer.wait(seconds{9});
    CHECK(transfer.rate() == 0.0);
    CHECK_FALSE(transfer.track().eta(transfer.now()));
    CHECK(transfer.line(120).ends_with("0 B/s  nothing for 12 s"));
}

TEST_CASE("what was there before a resume is no speed") {
    Transfer transfer{500 * k_mib};
    transfer.run(seconds{2}, k_mib);
    CHECK(near(transfer.rate(), 1.0 * k_mib));
    CHECK(transfer.line(120).find(" 98%  502 MiB / 512 MiB") != std::string::npos);
}

TEST_CASE("a head start that is found only after the beginning is no speed either") {
    class ToModel final : public EventSink {
      public:
        ToModel(ProgressModel& model, const Instant& now) : model_(model), now_(now) {}
        void emit(const Event& event) noexcept override { model_.apply(event, now_); }

      private:
        ProgressModel& model_;
        const Instant& now_;
    };
    ProgressModel model;
    Instant now{seconds{5}};
    ToModel sink{model, now};
    Activity activity{sink, "pull b1", EventUnit::bytes, 512 * k_mib};
    now += seconds{1};
    activity.begin_at(400 * k_mib);
    now += seconds{1};
    activity.advance_to(401 * k_mib);
    REQUIRE(model.tracks().size() == 1);
    CHECK(near(model.tracks().front().rate(now), 1.0 * k_mib));
}

TEST_CASE("the time left is what is missing at the present rate") {
    Transfer transfer;
    transfer.run(seconds{12}, 10 * k_mib);
    const auto left = transfer.track().eta(transfer.now());
    REQUIRE(left);
    CHECK(*left >= seconds{37});
    CHECK(*left <= seconds{41});
}

TEST_CASE("no time left is told from a first moment or a few bytes") {
    ProgressModel model;
    Instant now{seconds{1000}};
    const auto line = [&](milliseconds later, std::uint64_t done) {
        now += later;
        model.apply({EventKind::advanced, 1, EventUnit::bytes, done, 92 * k_mib, {}}, now);
        return model.render(200, 5, now).front() + model.find(1)->sentence(now);
    };
    const auto tells = [](const std::string& text) {
        return text.find("ETA") != std::string::npos || text.find("left") != std::string::npos;
    };
    model.apply({EventKind::started, 1, EventUnit::bytes, 0, 92 * k_mib, "push b1"}, now);
    CHECK_FALSE(tells(line(milliseconds{108}, 18)));
    CHECK_FALSE(tells(line(milliseconds{400}, k_mib)));
    CHECK(tells(line(milliseconds{600}, 2 * k_mib)));
    // However long it takes, a few bytes are no measure.
    model.apply({EventKind::started, 1, EventUnit::bytes, 0, 92 * k_mib, "push b1"}, now);
    CHECK_FALSE(tells(line(milliseconds{3000}, 18)));
    // What is small as a whole is told all the same.
    model.apply({EventKind::started, 1, EventUnit::files, 0, 40, "look"}, now);
    now += seconds{2};
    model.apply({EventKind::advanced, 1, EventUnit::files, 10, 40, {}}, now);
    CHECK(model.find(1)->eta(now) == seconds{6});
}

TEST_CASE("a line never exceeds the width, and the bar goes first") {
    Transfer transfer;
    transfer.run(seconds{5}, 10 * k_mib);
    for (std::size_t width = 1; width < 140; ++width)
        CHECK(display_width(transfer.line(width)) <= width);
    CHECK(transfer.line(120).find("[=>") != std::string::npos);
    CHECK(transfer.line(60).find('[') == std::string::npos);
}

TEST_CASE("activities without a total or unit show what is known") {
    ProgressModel model;
    const Instant now{seconds{5}};
    model.apply({EventKind::started, 7, EventUnit::none, 0, {}, "connecting"}, now);
    CHECK(model.render(80, 5, now).front().starts_with("connecting"));
    CHECK(model.find(7)->sentence(now) == "connecting");
    model.apply({EventKind::started, 8, EventUnit::files, 0, 0, "nothing to do"}, now);
    CHECK(model.find(8)->sentence(now) == "nothing to do: 100%, 0 / 0 files, 0/s");
}

TEST_CASE("many activities are counted in the last line; finished ones leave") {
    ProgressModel model;
    const Instant now{seconds{5}};
    for (std::uint64_t i = 1; i <= 9; ++i) {
        model.apply({EventKind::started, i, EventUnit::none, 0, {}, "work " + std::to_string(i)}, now);
    }
    const auto lines = model.render(80, 4, now);
    REQUIRE(lines.size() == 4);
    CHECK(lines.back() == "… and 6 more");
    for (std::uint64_t i = 1; i <= 9; ++i)
        model.apply({EventKind::finished, i, EventUnit::none, 0, {}, {}}, now);
    CHECK(model.idle());
    model.apply({EventKind::advanced, 3, EventUnit::none, 1, {}, {}}, now);
    CHECK(model.idle());
}

TEST_CASE("a title from a box cannot move the cursor") {
    ProgressModel model;
    model.apply({EventKind::started, 1, EventUnit::none, 0, {}, "x\x1b[2J"}, Instant{});
    CHECK(model.render(80, 5, Instant{}).front().find('\x1b') == std::string::npos);
}
