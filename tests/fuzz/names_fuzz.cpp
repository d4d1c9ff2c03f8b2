// Any names: two that are called the same fold to one key in their directory, and the new name is nobody else's.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "core/parse/name_collisions.hpp"

using namespace drawhitch;

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// The first byte says what the destination ignores, each line behind it is a path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const parse::NameRules rules{(data[0] & 1U) != 0, (data[0] & 2U) != 0};
    std::vector<std::string> paths(1);
    for (std::size_t i = 1; i < size; ++i) {
        if (data[i] == '\n')
            paths.emplace_back();
        else
            paths.back() += static_cast<char>(data[i]);
    }
    const auto collisions = parse::colliding_names(paths, rules, 20);
    must(collisions.size() <= 20);
    must(!rules.exact() || collisions.empty());
    std::set<std::string> taken;
    for (const std::string& path : paths)
        taken.insert(parse::fold_name(path, rules));
    for (const auto& collision : collisions) {
        must(collision.first != collision.second);
        must(parse::fold_name(collision.first, rules) == parse::fold_name(collision.second, rules));
        must(taken.insert(parse::fold_name(collision.rename, rules)).second);
    }
    return 0;
}
