// Demo: the whole road on an embedded box. A private sshd on loopback plays the box, this program's own verbs walk the
// road as a user would type them, and a bad link in between is cut in mid-pull. Everything lies in directories of its
// own; only the results stay, with the ledger and the report of the teardown beside them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/op.hpp"

namespace drawhitch::flow {

struct DemoOptions {
    std::string program{};    // absolute path of the drawhitch to run
    std::string directory{};  // where the project, the results and the report go; must not exist yet
    bool next_free{false};    // when it does, take the first of DIRECTORY-2, DIRECTORY-3 … that does not
    std::string temporary{};  // $TMPDIR or /tmp
    bool capture{false};      // keep the verbs' own output to ourselves (--json)
    bool color{false};
    std::function<void(const std::string& line)> say{};
};

struct DemoStep {
    std::string command{};
    int exit{0};
    double seconds{0};
};

struct DemoReport {
    std::vector<DemoStep> steps{};
    std::string results{};             // directory of the pulled files
    std::vector<std::string> files{};  // what lies there
    std::string receipt{};             // the SHA-256 of each, as `sha256sum -c` reads them
    std::uint64_t link_cut_at{0};      // bytes the pull had carried when its link was cut
};

// Code::exists when the directory is there, not_found without sshd or python3, remote_failed when a step ends with
// another exit code than the road wants (its command is named). Whatever happens, also on cancel: the box, its jobs and
// its files are gone afterwards; an impatient second Ctrl-C waits for that.
Result<DemoReport> demo(const Op& op, const DemoOptions& options);

}  // namespace drawhitch::flow
