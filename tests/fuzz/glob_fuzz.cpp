// First line: a pattern. The rest: a path. The matcher must agree with a plain recursive one, written down from the
// documentation, wherever that one ends in reasonable time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/parse/glob.hpp"

using namespace drawhitch;

namespace {

// Only patterns without brackets; `after_slash` tells that a component begins here.
bool plain_match(std::string_view pattern, std::string_view text, bool after_slash) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() == '*') {
        const std::size_t stars = std::min(pattern.find_first_not_of('*'), pattern.size());
        const std::string_view rest = pattern.substr(stars);
        const bool deep =
            stars > 1 && after_slash && (rest.empty() || rest.starts_with('/') || rest.starts_with("\\/"));
        if (deep && rest.starts_with('/') && plain_match(rest.substr(1), text, true)) return true;
        for (std::size_t used = 0; used <= text.size(); ++used) {
            if (plain_match(rest, text.substr(used), false)) return true;
            if (used < text.size() && text[used] == '/' && !deep) return false;
        }
        return false;
    }
    if (text.empty()) return false;
    if (pattern.front() == '?') return text.front() != '/' && plain_match(pattern.substr(1), text.substr(1), false);
    if (pattern.front() == '\\') pattern.remove_prefix(1);
    if (pattern.empty() || pattern.front() != text.front()) return false;
    return plain_match(pattern.substr(1), text.substr(1), pattern.front() == '/');
}

bool is_small_and_plain(std::string_view pattern, std::string_view path) {
    return pattern.size() <= 12 && path.size() <= 24 && pattern.find('[') == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view pattern = input.substr(0, input.find('\n'));
    const std::string_view path = pattern.size() < input.size() ? input.substr(pattern.size() + 1) : std::string_view{};
    const auto glob = parse::Glob::compile(pattern);
    if (glob) {
        const auto unit = glob->unit_of(path);
        if (unit && (unit->empty() || !path.starts_with(*unit))) std::abort();
        if (unit && path.find('/') != std::string_view::npos &&
            !glob->may_cover_inside(path.substr(0, path.find('/')))) {
            std::abort();
        }
    }
    if (is_small_and_plain(pattern, path)) {
        const auto compiled = parse::Wildcard::compile(pattern, parse::DeepStar::whole_component);
        if (compiled.matches(path) != plain_match(pattern, path, true)) std::abort();
    }
    return 0;
}
