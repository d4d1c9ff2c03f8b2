#include "flow/down/roots.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/proto/limits.hpp"

namespace drawhitch::flow {

namespace {

// Left free for what the box opens for itself.
constexpr int k_most_roots = proto::k_roots_max - 8;

}  // namespace

Status BoxRoots::connect(const Op& op) {
    if (box_ && opened_ < k_most_roots) return ok();
    box_.reset();
    TRY_ASSIGN(Box box, Box::connect(op, deps_, lease_));
    box_ = std::move(box);
    opened_ = 0;
    return ok();
}

Result<proto::RootId> BoxRoots::open(const Op& op, const std::string& path) {
    // Longer than any name can be, as a claim in an old ledger may say: it was never there, and the helper would take
    // the question for noise and end.
    const auto parts = split(path, '/');
    const bool impossible = path.size() > proto::k_path_max || std::ranges::any_of(parts, [](std::string_view part) {
                                return part.size() > proto::k_name_max;
                            });
    if (impossible) return Error{Code::not_found, "no path on the box can be that long"};
    TRY(connect(op));
    ++opened_;
    return box_->agent().open_root(op, path, false);
}

Result<RootMark> BoxRoots::mark(const Op& op) {
    TRY(connect(op));
    ++opened_;
    return box_->mark(op);
}

}  // namespace drawhitch::flow
