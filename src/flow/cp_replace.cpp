#include "flow/cp_replace.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "core/proto/path.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_names_asked = 10;  // names in the question; the number of all is told

std::string link_at(const std::string& path) {
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    return length < 0 ? std::string{} : std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

Result<Standing> standing_here(const std::string& directory, const std::vector<CopyTarget>& targets,
                               const SameContent& is_same) {
    Standing standing;
    for (const CopyTarget& target : targets) {
        const std::string path = directory + "/" + target.path;
        struct stat found {};
        if (::lstat(path.c_str(), &found) != 0) continue;
        bool same = false;
        if (!target.link.empty()) {
            same = S_ISLNK(found.st_mode) && link_at(path) == target.link;
        } else if (S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == target.size) {
            TRY_ASSIGN(same, is_same(target));
        }
        if (same) {
            standing.same.insert(target.path);
        } else {
            standing.other.push_back(target.path);
        }
    }
    return standing;
}

Status agree_to_replace(const Op& op, Deps& deps, const std::vector<std::string>& other, const std::string& again) {
    if (other.empty()) return ok();
    const auto count = static_cast<std::uint64_t>(other.size());
    std::string names;
    for (std::size_t i = 0; i < std::min(other.size(), k_names_asked); ++i)
        names += "\n  " + printable(other[i]);
    if (other.size() > k_names_asked) names += "\n  and " + std::to_string(other.size() - k_names_asked) + " more";
    const std::string question = "at the destination " + counted(count, "file") +
                                 " with other content would be replaced:" + names + "\nReplace " +
                                 (other.size() == 1 ? "it?" : "them?");
    const auto agreed = deps.prompt.yes_no(op, question, again + " --yes");
    if (!agreed && agreed.error().code != Code::usage) return agreed.error();
    if (agreed && *agreed) return ok();
    return Error{Code::exists, counted(count, "file") + " with other content " + (count == 1 ? "is" : "are") +
                                   " at the destination; nothing was copied"}
        .because("it would be replaced:" + names)
        .then(again + " --yes");
}

Status refuse_records(const std::string& root, const std::vector<std::string>& targets) {
    const auto top = proto::path_components(root);
    for (const std::string& target : targets) {
        const auto parts = proto::path_components(target);
        if (parts.size() <= top.size() || !std::equal(top.begin(), top.end(), parts.begin())) continue;
        const std::string_view room = parts[top.size()];
        const bool work = parts.size() > top.size() + 3 && parts[top.size() + 2] == "work";
        if (room != "releases" && (room != "runs" || work)) continue;
        return Error{Code::exists, "refused " + printable(target) + ": it lies in the " +
                                       (room == "runs" ? "records of a run" : "releases") + "; nothing was copied"}
            .because("they prove what was pushed and what ran, and are never changed")
            .then(room == "runs" ? "drawhitch help cp" : "drawhitch push");
    }
    return ok();
}

}  // namespace drawhitch::flow
