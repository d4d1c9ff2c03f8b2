// PushView: what a push did not send as it is, in words and for machines; the same wherever code is pushed.
#pragma once

namespace drawhitch {
struct Op;
namespace flow {
struct LocalTree;
}
namespace term {
class Output;
}
}  // namespace drawhitch

namespace drawhitch::cli {

// Names files that were held back (they look like secrets), left out (no box could use them) or carry flaws.
void tell_what_stays(const Op& op, term::Output& out, const flow::LocalTree& tree);

}  // namespace drawhitch::cli
