// cp: ad-hoc copies between this machine and a box, with the same engine and proof as pull and push, and without
// roster, receipt or release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/deps.hpp"
#include "flow/transfer/pull_types.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::flow {

struct CpOptions {
    std::string box{};  // as lease_to_read takes it, or lease_to_change
    // Absolute, or relative to the user's home there. Without "." and ".." components.
    std::string box_path{};
    std::string local_path{};  // absolute; a trailing slash means "into this directory"
    bool to_box{false};
    std::string again{};  // the command as it was typed, without --yes: what an error suggests
};

struct CopiedFile {
    std::string path{};  // relative to what was named
    std::uint64_t size{0};
    FileState state{FileState::skipped};
    std::string sha256{};    // hex, of the content on both sides; of one to be sent as it is here; else empty
    std::string box_path{};  // absolute on the box
    std::string root{};      // root digest of what both sides have, hex; empty unless copied
    std::string why{};
    bool planned{false};  // --dry-run: it would be copied
    // Of the laptop's file, with exactly these bytes; of ctime_ns 0 where nobody knows.
    disk::Stamp stamp{};
};

struct CpReport {
    std::string destination{};  // as it stands now: absolute
    std::vector<CopiedFile> files{};
    Wire wire{};
    std::vector<std::string> replaced{};  // absolute, at the destination: what other content gives way, or would
    bool planned{false};                  // --dry-run: nothing was changed on either side
    std::uint64_t held{0};                // --dry-run: bytes of what would go that an interrupted copy left there
    bool stopped{false};                  // it ended early: `problem` says why, states say what is whole
    std::uint64_t arrived{0};             // bytes that are there now, of files half copied too
    std::optional<Error> problem{};
};

// A file, or a directory with all below it. A destination that is a directory receives the source under its own name,
// any other destination is the new name. Links that stay inside the copied tree are copied as links, others, pipes,
// sockets and devices are left out and named. Files with the same content on both sides are kept; others that would be
// replaced are shown and asked about (Code::exists unless agreed), and each is replaced as a whole. Releases and the
// records of runs are never written to.
// What was copied goes into the lease's events, so that a teardown knows it again.
// With Deps::dry_run all is looked at, nobody is asked, and nothing is changed on either side or in the ledger.
// A directory that receives files on the box has a small `.drawhitch` directory meanwhile, which fences late writers.
Result<CpReport> cp(const Op& op, Deps& deps, const CpOptions& options);

}  // namespace drawhitch::flow
