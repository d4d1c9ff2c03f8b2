// Kept copies: which of the files that receipts prove are still where they were put on the laptop. A receipt says what
// was true at its pull; whoever is about to let the box die asks what is true now.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/op.hpp"
#include "flow/dying_places.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

// What a look at a copy takes (`drawhitch verify` reads all of them again).
enum class CopyCheck {
    quick,    // a file of that size is there
    thorough  // one that is not in the very state (inode, both times) in which the pull left it is read, and must have
              // the recorded SHA-256
};

struct KeptCopies {
    std::vector<ledger::ProvenFile> here{};  // each distinct (path, root digest) once, newest receipt first
    std::vector<ledger::ProvenFile> gone{};  // contents that no recorded place holds any more
    std::set<std::string> dying{};           // places of `gone` that lie on the box itself, by path on the laptop
};

// Blocks for as long as reading takes; never writes. Errors of single files count as gone; the Error is for cancel,
// deadline and the ledger.
// `dying`, if given, outlives the call: a copy in such a place is none.
Result<KeptCopies> kept_copies(const Op& op, const ledger::Ledger& ledger, std::int64_t run, CopyCheck check,
                               DyingPlaces* dying = nullptr);

}  // namespace drawhitch::flow
