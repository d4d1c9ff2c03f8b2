#include "io/term/sinks.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "base/fd.hpp"
#include "io/term/log_file.hpp"
#include "io/term/output.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::term;
using std::chrono::seconds;
using support::FakeClock;
using support::TempDir;

namespace {

class Screen {
  public:
    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] std::string shown() const { return support::read_file(path_); }

  private:
    TempDir dir_{};
    std::string path_{dir_ / "screen"};
    UniqueFd fd_{::open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)};
};

Event note(std::string text) {
    return Event{.kind = EventKind::note, .text = std::move(text)};
}
Event warning(std::string text) {
    return Event{.kind = EventKind::warning, .text = std::move(text)};
}
Event debug(std::string text) {
    return Event{.kind = EventKind::debug, .text = std::move(text)};
}

}  // namespace

TEST_CASE("the plain sink tells a long activity every ten seconds in whole lines") {
    Screen screen;
    FakeClock clock;
    PlainSink sink{{.fd = screen.fd()}, clock};
    Activity activity{sink, "pulling", EventUnit::bytes, 100};
    clock.advance(milliseconds{9'000});
    sink.tick();
    CHECK(screen.shown() == "pulling\n");
    activity.advance_to(50);
    clock.advance(milliseconds{2'000});
    sink.tick();
    CHECK(screen.shown() == "pulling\npulling: 50%, 50 B / 100 B, 10 B/s, about 11 s left\n");
    activity.finish("pulled");
    CHECK(screen.shown().ends_with("\npulled\n"));
}

TEST_CASE("quiet leaves warnings only; verbose adds debug lines") {
    Screen quiet_screen;
    Screen loud_screen;
    FakeClock clock;
    PlainSink quiet{{.fd = quiet_screen.fd(), .quiet = true}, clock};
    PlainSink loud{{.fd = loud_screen.fd(), .verbose = 1, .color = true}, clock};
    FanOut both{{&quiet, &loud}};
    both.emit(note("n"));
    both.emit(debug("d"));
    both.emit(warning("w\x1b"));
    CHECK(quiet_screen.shown() == "warning: w\\x1b\n");
    CHECK(loud_screen.shown() == "n\n\x1b[2mdebug: d\x1b[0m\n\x1b[33mwarning:\x1b[0m w\\x1b\n");
}

TEST_CASE("a heartbeat is a line of its own, unless quiet was asked for") {
    Screen screen;
    Screen quiet_screen;
    FakeClock clock;
    PlainSink plain{{.fd = screen.fd()}, clock};
    PlainSink quiet{{.fd = quiet_screen.fd(), .quiet = true}, clock};
    FanOut both{{&plain, &quiet}};
    for (int look = 0; look < 2; ++look)
        both.emit(Event{.kind = EventKind::heartbeat, .text = "b1: r1 RUNNING"});
    CHECK(screen.shown() == "b1: r1 RUNNING\nb1: r1 RUNNING\n");
    CHECK(quiet_screen.shown().empty());
}

TEST_CASE("the live sink erases exactly the bars it drew, and leaves none behind") {
    Screen screen;
    FakeClock clock;
    {
        LiveSink sink{{.fd = screen.fd(), .width = 60}, clock};
        Activity one{sink, "one"};
        Activity two{sink, "two"};
        sink.tick();
        CHECK(screen.shown() == "\x1b[?7lone\ntwo\n\x1b[?7h");
        sink.emit(note("between"));
        CHECK(screen.shown().ends_with("\x1b[2A\r\x1b[Jbetween\n\x1b[?7lone\ntwo\n\x1b[?7h"));
        sink.hide();
        CHECK(screen.shown().ends_with("\x1b[2A\r\x1b[J"));
        const std::string hidden = screen.shown();
        sink.tick();
        CHECK(screen.shown() == hidden);
        sink.show();
        sink.tick();
        CHECK(screen.shown().ends_with("\x1b[?7lone\ntwo\n\x1b[?7h"));
    }
    CHECK(screen.shown().ends_with("\x1b[J"));
}

TEST_CASE("JSON lines thin out progress and keep everything else") {
    Screen screen;
    FakeClock clock;
    Output out{OutputOptions{.fd = screen.fd(), .format = Format::jsonl, .command = "pull"}};
    JsonLinesSink sink{out, clock};
    Activity activity{sink, "pulling", EventUnit::bytes, 1000};
    for (std::uint64_t i = 1; i <= 100; ++i) {
        clock.advance(milliseconds{10});
        activity.advance_to(i);
    }
    sink.emit(warning("careful"));
    activity.finish("done");
    const std::string shown = screen.shown();
    CHECK(std::ranges::count(shown, '\n') == 1 + 4 + 1 + 1);
    CHECK(shown.find(R"("kind":"warning")") != std::string::npos);
    CHECK(shown.find(R"("done":100,"total":1000,"text":"done")") != std::string::npos);
}

TEST_CASE("the recorder keeps warnings in order and counts what does not fit") {
    WarningRecorder recorder;
    recorder.emit(note("n"));
    for (int i = 0; i < 600; ++i)
        recorder.emit(warning(std::to_string(i)));
    const auto warnings = recorder.warnings();
    REQUIRE(warnings.size() == 501);
    CHECK(warnings[1] == "1");
    CHECK(warnings.back().starts_with("and 100 more"));
}

TEST_CASE("the log file is for its owner alone and holds every event but progress") {
    const TempDir dir;
    const std::string path = dir / "log";
    {
        auto log = LogFile::open(path);
        REQUIRE(log);
        (*log)->emit(note("hello\nsecond"));
        (*log)->emit(debug("detail"));
        (*log)->emit({EventKind::advanced, 1, EventUnit::bytes, 1, 2, {}});
        (*log)->emit({EventKind::finished, 1, EventUnit::bytes, 2, 2, "pulled"});
    }
    const std::string text = support::read_file(path);
    CHECK(std::ranges::count(text, '\n') == 3);
    CHECK(text.find(" info hello\\x0asecond\n") != std::string::npos);
    CHECK(text.find(" debug detail\n") != std::string::npos);
    CHECK(text.find(" info #1 end pulled\n") != std::string::npos);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    const auto missing = LogFile::open(dir / "no/such/dir");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Code::not_found);
}

TEST_CASE("a ticker beats until it is destroyed") {
    std::atomic<int> beats{0};
    {
        const Ticker ticker{milliseconds{1}, [&beats] { ++beats; }};
        while (beats.load() < 3)
            std::this_thread::yield();
    }
    const int after = beats.load();
    std::this_thread::yield();
    CHECK(beats.load() == after);
}
