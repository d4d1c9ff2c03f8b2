// Names of files that a run may be resumed from. Pure. A profile's word about scratch is a guess about everybody's
// runs, so it never covers these: for a run that was killed, the latest checkpoint is the only copy.
#pragma once

#include <string_view>

namespace drawhitch::judge {

// `path` is relative to a run's work directory. True for what has the ending of a checkpoint or of a state, whatever a
// writer appended to it (".tmp", a process number), and for what is called latest, last, best, epoch …, or has
// "checkpoint" or "ckpt" in its name, or lies in a directory of such a name, whatever its ending. Compiled Python
// (.pyc) is none of these.
bool may_be_resumed_from(std::string_view path);

}  // namespace drawhitch::judge
