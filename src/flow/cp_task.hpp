// Copy: one `cp`. Private to flow/cp*.cpp: cp_from_box.cpp and cp_to_box.cpp are its two directions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/model/lease.hpp"
#include "core/proto/digest.hpp"
#include "flow/box.hpp"
#include "flow/cp.hpp"
#include "flow/cp_replace.hpp"
#include "flow/deps.hpp"
#include "flow/transfer/early_links.hpp"
#include "flow/transfer/link.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::flow {

class Copy {
  public:
    // What they refer to outlives it.
    Copy(const Op& op, Deps& deps, const CpOptions& options) : op_(op), deps_(deps), options_(options) {}
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    virtual ~Copy() = default;

    Result<CpReport> run();

  protected:
    virtual Result<CpReport> copy() = 0;

    // A connection without a root.
    Result<Link> connect(const Op& op, const model::Lease& lease, const Connecting& how);
    // One of `early`.
    Result<Link> connect_beside(const Op& op, const model::Lease& lease, EarlyLinks& early);
    // The first one. Others are begun beside it where the distance and `bytes` ask for them.
    Result<Link> connect_first(EarlyLinks& early, std::uint64_t bytes);
    // A dry run's answer: what is neither there nor left out would be copied.
    CpReport planned();
    void leave_out(const std::string& path, std::string why);
    void count_skips();

    const Op& op_;
    Deps& deps_;
    const CpOptions& options_;
    model::Lease lease_{};
    std::string here_{};  // what the report's paths are relative to on the laptop
    Standing standing_{};
    CpReport report_{};

  private:
    // A teardown need not ask about what has the same content here and there.
    Status record(const CpReport& report);
};

std::unique_ptr<Copy> copy_from_box(const Op& op, Deps& deps, const CpOptions& options);
std::unique_ptr<Copy> copy_to_box(const Op& op, Deps& deps, const CpOptions& options);

inline constexpr const char* k_ended_before = "the copy ended before it was whole";

bool is_there(const CopiedFile& file);
// The state, if any later change must show in it.
disk::Stamp stamp_at_rest(const disk::Stamp& stamp, WallTime now);
std::string sha256_of(const proto::FileDigester::Result& digests);

}  // namespace drawhitch::flow
