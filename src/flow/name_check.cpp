#include "flow/name_check.hpp"

#include <vector>

#include "base/text.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_listed = 20;

std::string_view what_it_ignores(const parse::NameRules& rules) {
    if (rules.ignores_case && rules.ignores_unicode_form) return "case and the form of letters";
    return rules.ignores_case ? "case" : "the form of letters";
}

// Two names that differ in form only look the same: bytes tell them apart.
std::string shown(const std::string& name, const std::string& other) {
    if (name.size() == other.size()) return printable(name);
    return printable(name) + " (" + std::to_string(name.size()) + " bytes)";
}

}  // namespace

Status check_names(std::span<const std::string> paths, const parse::NameRules& rules, const std::string& where) {
    const auto pairs = parse::colliding_names(paths, rules, k_listed + 1);
    if (pairs.empty()) return ok();
    std::vector<std::string> lines;
    for (const parse::Collision& pair : pairs) {
        if (lines.size() == k_listed) {
            lines.push_back("and more");
            break;
        }
        lines.push_back(shown(pair.first, pair.second) + " and " + shown(pair.second, pair.first) +
                        ": rename one there, for example to " + printable(pair.rename));
    }
    const std::string count =
        pairs.size() > k_listed ? "more than " + std::to_string(k_listed) : std::to_string(pairs.size());
    return Error{Code::usage, count + (pairs.size() == 1 ? " pair" : " pairs") + " of names would be the same in " +
                                  printable(where) + ", which ignores " + std::string(what_it_ignores(rules)) +
                                  "; nothing was transferred"}
        .because(join(lines, "\n"))
        .then("drawhitch pull --to DIRECTORY");
}

}  // namespace drawhitch::flow
