// Looking at everything a verb wipes: each tier, and each file system mounted inside it, streamed into the list of
// undeclared files. Reads only. Private to flow/down.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/op.hpp"
#include "core/judge/tier_map.hpp"
#include "core/judge/undeclared.hpp"
#include "flow/down/roots.hpp"

namespace drawhitch::flow {

class TierScan {
  public:
    // `home` is the login user's. All references outlive the scan.
    TierScan(BoxRoots& roots, const judge::TierMap& tiers, const std::string& home, judge::Undeclared& undeclared);

    // True when every entry of the tier was seen, or told about as unreadable. An Error is a lost connection, a cancel
    // or a deadline; anything else about one place makes the answer false.
    Result<bool> look(const Op& op, const judge::Tier& tier);

  private:
    Result<bool> walk(const Op& op, const std::string& place);
    Status take(const std::string& place, const proto::FileEntry& entry);
    [[nodiscard]] std::vector<std::string> skipped_below(const std::string& place) const;

    BoxRoots& roots_;
    const judge::TierMap& tiers_;
    judge::Undeclared& undeclared_;
    std::vector<std::string> not_searched_{};
    std::set<std::string> mounts_{};  // found, to be walked next
    std::set<std::string> walked_{};
};

}  // namespace drawhitch::flow
