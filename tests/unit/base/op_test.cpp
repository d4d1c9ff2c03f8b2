#include "base/op.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/random.hpp"

using namespace drawhitch;

namespace {

// Stands still unless told; sleeping advances it.
class StillClock final : public Clock {
  public:
    Instant now() const override { return now_; }
    WallTime wall() const override { return {}; }
    void sleep(milliseconds duration, const Cancel&) override { now_ += duration; }

  private:
    Instant now_{std::chrono::seconds{1000}};
};

class Recorder final : public EventSink {
  public:
    void emit(const Event& event) noexcept override { seen.push_back(event); }
    std::vector<Event> seen{};
};

}  // namespace

TEST_CASE("a token below another is requested with it, and leaves it alone") {
    Cancel parent;
    Cancel child{&parent};
    CHECK_FALSE(child.requested());
    Cancel other{&parent};
    other.request();
    CHECK(other.requested());
    CHECK_FALSE(parent.requested());
    parent.request();
    CHECK(child.requested());
}

TEST_CASE("a deadline only ever narrows, and ends the operation") {
    Cancel cancel;
    StillClock clock;
    const Op op{cancel, clock, silent_events()};
    CHECK(op.left(milliseconds{77}) == milliseconds{77});
    const Op narrow = op.within(milliseconds{100});
    CHECK(narrow.within(milliseconds{500}).deadline == narrow.deadline);
    CHECK(narrow.left(milliseconds{1000}) == milliseconds{100});
    CHECK(narrow.check());
    clock.sleep(milliseconds{100}, cancel);
    CHECK(narrow.check().error().code == Code::deadline);
    CHECK(op.check());
}

TEST_CASE("cancel wakes a poll, stays readable and ends the operation") {
    Cancel cancel;
    StillClock clock;
    const Op op{cancel, clock, silent_events()};
    pollfd wake{cancel.fd(), POLLIN, 0};
    CHECK(::poll(&wake, 1, 0) == 0);
    cancel.request();
    cancel.request();
    for (int i = 0; i < 2; ++i)
        CHECK(::poll(&wake, 1, 0) == 1);
    CHECK(op.check().error().code == Code::cancelled);
}

TEST_CASE("the system clock's sleep ends at once when cancelled from another thread") {
    Cancel cancel;
    std::thread other([&] { cancel.request(); });
    system_clock().sleep(std::chrono::hours{1}, cancel);
    other.join();
    CHECK(cancel.requested());
}

TEST_CASE("an activity begins, advances and ends once, also when left early") {
    Recorder sink;
    {
        Activity activity{sink, "pull", EventUnit::bytes, 10};
        activity.advance_to(4);
    }
    REQUIRE(sink.seen.size() == 3);
    CHECK(sink.seen[0].kind == EventKind::started);
    CHECK(sink.seen[1].kind == EventKind::advanced);
    CHECK(sink.seen[1].done == 4);
    CHECK(sink.seen[2].kind == EventKind::finished);
    CHECK(sink.seen[0].activity == sink.seen[2].activity);
    {
        Activity activity{sink, "push"};
        activity.finish("done");
    }
    CHECK(sink.seen.size() == 5);
    CHECK(sink.seen[4].text == "done");
}

TEST_CASE("descriptor loops write everything, read up to the end, and name what failed") {
    auto pipe = make_pipe();
    REQUIRE(pipe);
    REQUIRE(write_all(pipe->write.get(), "hello", "pipe"));
    pipe->write.reset();
    std::string buffer(8, '\0');
    CHECK(read_full(pipe->read.get(), buffer, "pipe").value() == 5);
    CHECK(buffer.substr(0, 5) == "hello");
    const auto failed = write_all(-1, "x", "the thing");
    CHECK(failed.error().message.find("the thing") != std::string::npos);
    CHECK((::fcntl(pipe->read.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("random values differ and have the length asked for") {
    CHECK(random_hex(8).size() == 16);
    CHECK(random_bytes(1000).size() == 1000);
    CHECK(random_hex(16) != random_hex(16));
    CHECK(random_u64() != random_u64());
}
