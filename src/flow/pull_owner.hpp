// Whose a file is that lies on the laptop where a pull would land another. Reads only. Private to flow/pull*.cpp.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/op.hpp"
#include "core/proto/digest.hpp"
#include "io/disk/landing_notes.hpp"
#include "io/disk/root.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

enum class Whose {
    ours,         // a pull of this run wrote these very bytes, or was about to when it was killed
    another_run,  // a pull of another run did
    users,        // nobody wrote these bytes but the user, or a pull only found them equal
};

// What is judged: `found` is what lstat says of `path`, relative to the open `root`; `digest` its root digest, where
// somebody read it already.
struct InTheWay {
    const disk::Root& root;
    std::string path{};
    struct stat found {};
    std::optional<proto::Digest> digest{};
};

// By what the ledger holds of the place and what an interrupted pull noted. A file in the recorded state is not read;
// one of the recorded size is. Codes: cancelled, deadline, those of the ledger.
Result<Whose> whose_is(const Op& op, const ledger::Ledger& ledger, std::int64_t run, const disk::LandingNotes& notes,
                       const InTheWay& file);

}  // namespace drawhitch::flow
