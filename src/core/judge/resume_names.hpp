// Names of files that a run may be resumed from. Pure. A profile's word about scratch is a guess about everybody's
// runs, so it never covers these: for a run that was killed, the latest checkpoint is the only copy.
#pragma once

#include <string_view>

namespace drawhitch::judge {

// `path` is relative to a run's work directory. True for what has the ending of a checkpoint or of a state, and for
// what is called latest, last, best, checkpoint or ckpt (or lies in a directory of such a name), but for temporary
// files.
bool may_be_resumed_from(std::string_view path);

}  // namespace drawhitch::judge
