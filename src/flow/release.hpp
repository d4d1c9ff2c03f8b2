// ReleaseBuilder: makes one release on a box out of a local tree. Private to flow/push.cpp; one attempt (whose file
// contents may use further connections, and reconnect by themselves), idempotent, so that the caller may repeat it.
#pragma once

#include <string>
#include <vector>

#include "core/plan/push.hpp"
#include "flow/push.hpp"
#include "flow/transfer/fence.hpp"
#include "flow/transfer/push_types.hpp"

namespace drawhitch::flow {

class ReleaseBuilder {
  public:
    // More of them, at most `most` at once; all claimed by `fence`.
    struct Connections {
        const Dial& dial;
        Fence& fence;
        int most{1};
    };
    // `links_work`: hard links, as far as is known.
    ReleaseBuilder(const Op& op, const LocalTree& tree, const TreeSource& source, const Connections& connections,
                   bool links_work)
        : links_worked_(links_work), op_(op), tree_(tree), source_(source), connections_(connections) {}

    // Builds, compares, moves into place and makes it current. Code::changed when local files changed meanwhile. `link`
    // is replaced when the engine had to connect again.
    Status build(Link& link, std::string_view current, PushReport& report);
    // The engine tried its connections as hard as it may: another attempt would be one too many.
    [[nodiscard]] bool gave_up() const { return gave_up_; }

  private:
    Status plan_with(Link& link, std::string_view current, bool hard_links);
    Status check_room(Link& link);
    Status arrange(Link& link);
    Status send(Link& link, PushReport& report);
    Status put_in_force(Link& link);
    Status apply(Link& link, std::vector<proto::Change> changes, bool keep_going);
    bool links_worked_{true};
    bool gave_up_{false};

    const Op& op_;
    const LocalTree& tree_;
    const TreeSource& source_;
    const Connections& connections_;
    plan::PushPlan plan_{};
};

// Writes `current` and, where links work, `latest`.
Status make_current(const Op& op, Link& link, const proto::Digest& hash);

}  // namespace drawhitch::flow
