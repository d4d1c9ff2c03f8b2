#include "flow/cp_names.hpp"

#include "flow/name_check.hpp"

namespace drawhitch::flow {

Status check_names_there(const Op& op, Link& link, const std::vector<proto::FileEntry>& entries, const Place& to) {
    std::vector<std::string> paths;
    for (const proto::FileEntry& entry : entries)
        paths.push_back(entry.path);
    if (parse::colliding_names(paths, {true, true}, 1).empty()) return ok();
    const auto probed = link.agent->probe_root(op, *link.claim);
    // Where that cannot be tried out, the copy's own first write says why.
    if (!probed) return probed.error().retry == Retry::reconnect ? Status{probed.error()} : ok();
    const Status checked = check_names(paths, {probed->case_folding, probed->normalising}, to.directory);
    if (checked) return ok();
    Error error = checked.error();
    error.next.clear();
    return error;
}

}  // namespace drawhitch::flow
