// BoxRoots: directories of a box opened one after the other, however many: a connection holds a bounded number of
// roots, so a full one is replaced. For flow/down and du.
#pragma once

#include <optional>
#include <string>

#include "flow/box.hpp"

namespace drawhitch::flow {

class BoxRoots {
  public:
    BoxRoots(Deps& deps, const model::Lease& lease) : deps_(deps), lease_(lease) {}

    // Connects if needed, which proves the box's host key.
    Status connect(const Op& op);
    // Connected before.
    [[nodiscard]] agent::Agent& agent() { return box_->agent(); }
    [[nodiscard]] transport::Transport& transport() { return box_->transport(); }
    // The directory's number on the present agent; ask `agent` for it after this call. Code::not_found when it is not
    // there.
    Result<proto::RootId> open(const Op& op, const std::string& path);
    // Whose the lease's own root is.
    Result<RootMark> mark(const Op& op);

  private:
    Deps& deps_;
    const model::Lease& lease_;
    std::optional<Box> box_{};
    int opened_{0};
};

}  // namespace drawhitch::flow
