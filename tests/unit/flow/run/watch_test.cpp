// How long a watch waits between two looks at a box that does not answer, on a clock that only sleeping moves.
#include "flow/run/watch.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "flow/deps.hpp"
#include "io/transport/transport.hpp"
#include "support/fake_clock.hpp"
#include "support/local_deps.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using model::VerdictKind;

namespace {

using std::chrono::seconds;

// A box that never answers; when it was asked is kept. Asking takes no time.
class SilentConnector final : public flow::Connector {
  public:
    explicit SilentConnector(Clock& clock) : clock_(clock) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        asked_.push_back(clock_.now());
        return Error{Code::link_lost, "the connection ended"};
    }
    [[nodiscard]] std::vector<milliseconds> pauses() const {
        std::vector<milliseconds> between;
        for (std::size_t i = 1; i < asked_.size(); ++i)
            between.push_back(std::chrono::duration_cast<milliseconds>(asked_[i] - asked_[i - 1]));
        return between;
    }

  private:
    Clock& clock_;
    std::vector<Instant> asked_{};
};

struct Scene {
    support::FakeClock clock{};
    support::TestOp op{clock, std::chrono::hours{1000}};
    support::LocalDeps local{op};
    model::Lease lease{local.adopt("b1")};
    SilentConnector silent{clock};

    Scene() {
        model::RunSpec spec;
        spec.name = "r1";
        spec.command = {"true"};
        const auto run = local.ledger().claim_run(lease.id, spec);
        REQUIRE(run);
        REQUIRE(local.ledger().confirm_run(run->id));
    }
    // Stopped after `most` looks.
    Result<flow::RunsView> watch(flow::WatchOptions options, int most) {
        flow::Deps& own = local.deps();
        flow::Deps deps{own.ledger, silent, own.helpers, own.prompt, own.laptop, own.project, own.settings};
        options.every = seconds{10};
        int looks = 0;
        return flow::watch_runs(op, deps, lease, options, [&](const auto&, bool) {
            if (++looks >= most) op.cancel().request();
        });
    }
};

}  // namespace

TEST_CASE("the pauses of a watch grow while the box does not answer, up to two minutes and no further") {
    Scene scene;
    const auto view = scene.watch({.until_done = true}, 400);
    REQUIRE(!view);
    CHECK(view.error().code == Code::cancelled);
    const auto pauses = scene.silent.pauses();
    REQUIRE(pauses.size() == 399);
    // After the n-th failure at most 10 s * 2^(n-1), and never so short that it hammers.
    milliseconds step = seconds{10};
    for (const milliseconds pause : pauses) {
        CHECK(pause >= seconds{5});
        CHECK(pause <= step);
        step = std::min<milliseconds>(step * 2, seconds{120});
    }
    CHECK(*std::max_element(pauses.begin(), pauses.end()) > seconds{90});
}

TEST_CASE("a watch of a box that does not answer ends after ten minutes, with what was known last") {
    Scene scene;
    const auto view = scene.watch({}, 1000);
    REQUIRE(view);
    CHECK(view->unreachable.has_value());
    CHECK(view->runs.front().verdict.kind == VerdictKind::unreachable);
    CHECK(scene.clock.slept() > seconds{600});
    CHECK(scene.clock.slept() <= seconds{720});
}
