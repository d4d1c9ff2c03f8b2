#include "core/plan/roster_proposal.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::plan {

namespace {

constexpr std::array<std::string_view, 3> k_caches{"__pycache__", "node_modules", "lost+found"};
constexpr std::string_view k_environment = "pyvenv.cfg";

// Directories above a path, the outermost first.
std::vector<std::string_view> directories_of(std::string_view path) {
    std::vector<std::string_view> list;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
        list.push_back(path.substr(0, slash));
    return list;
}

std::string_view ending_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot);
}

// The bytes as a pattern that means only them.
std::string literal(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        if (std::string_view{"*?[]\\"}.find(byte) != std::string_view::npos) text += '\\';
        text += byte;
    }
    return text;
}

// Patterns have no braces.
bool can_be_typed(std::string_view pattern) {
    return printable(pattern) == pattern && pattern.find_first_of("{}") == std::string_view::npos;
}

class Proposal {
  public:
    explicit Proposal(const std::vector<std::string>& released) {
        for (const std::string& path : released) {
            for (const std::string_view directory : directories_of(path))
                mixed_.insert(directory);
            const std::string_view name = proto::path_name(path);
            released_names_.insert(name);
            released_endings_.insert({proto::path_parent(path), ending_of(name)});
        }
    }

    void note(const OutputFile& output) {
        const std::string_view name = proto::path_name(output.path);
        ++alike_[{proto::path_parent(output.path), ending_of(name)}];
    }

    void add(const OutputFile& output) {
        const std::string pattern = pattern_for(output.path);
        if (!can_be_typed(pattern)) return;
        ProposedPattern& proposed = patterns_[pattern];
        proposed.pattern = pattern;
        ++proposed.files;
        proposed.bytes += output.bytes;
    }

    std::vector<ProposedPattern> all() && {
        std::vector<ProposedPattern> list;
        for (auto& [pattern, proposed] : patterns_)
            list.push_back(std::move(proposed));
        std::ranges::stable_sort(list,
                                 [](const ProposedPattern& a, const ProposedPattern& b) { return a.bytes > b.bytes; });
        return list;
    }

  private:
    using Kind = std::pair<std::string_view, std::string_view>;  // directory and ending

    [[nodiscard]] std::string pattern_for(std::string_view path) const {
        for (const std::string_view directory : directories_of(path))
            if (!mixed_.contains(directory)) return literal(directory) + "/**";
        const std::string_view parent = proto::path_parent(path);
        const std::string_view name = proto::path_name(path);
        const std::string place = parent.empty() ? "" : literal(parent) + "/";
        const Kind kind{parent, ending_of(name)};
        const auto alike = alike_.find(kind);
        if (!kind.second.empty() && alike != alike_.end() && alike->second > 1 && !released_endings_.contains(kind))
            return (place.empty() ? "/" : place) + "*" + literal(kind.second);
        // Without a slash a pattern means such a name in any directory.
        return (place.empty() && released_names_.contains(name) ? "/" : place) + literal(name);
    }

    std::set<std::string_view> mixed_{};  // directories with released files
    std::set<std::string_view> released_names_{};
    std::set<Kind> released_endings_{};
    std::map<Kind, std::size_t> alike_{};
    std::map<std::string, ProposedPattern> patterns_{};
};

}  // namespace

bool is_by_product(std::string_view path) {
    std::string_view name = proto::path_name(path);
    if (name == k_environment) return true;
    const auto parts = proto::path_components(proto::path_parent(path));
    return std::ranges::any_of(parts, [](std::string_view part) {
        return part.starts_with('.') || std::ranges::find(k_caches, part) != k_caches.end();
    });
}

std::vector<ProposedPattern> propose_roster(const std::vector<OutputFile>& outputs,
                                            const std::vector<std::string>& released) {
    std::set<std::string_view> environments;
    for (const OutputFile& output : outputs)
        if (proto::path_name(output.path) == k_environment) environments.insert(proto::path_parent(output.path));
    const auto counts = [&](const OutputFile& output) {
        if (is_by_product(output.path)) return false;
        const auto above = directories_of(output.path);
        return std::ranges::none_of(above, [&](std::string_view part) { return environments.contains(part); });
    };
    Proposal proposal{released};
    for (const OutputFile& output : outputs)
        if (counts(output)) proposal.note(output);
    for (const OutputFile& output : outputs)
        if (counts(output)) proposal.add(output);
    return std::move(proposal).all();
}

}  // namespace drawhitch::plan
