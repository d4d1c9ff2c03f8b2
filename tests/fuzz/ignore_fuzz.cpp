// First line: a path. The rest: an ignore file. Judging must end soon and must not depend on how it is asked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/parse/ignore.hpp"

using namespace drawhitch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view path = input.substr(0, input.find('\n'));
    if (path.empty() || path.size() > 4096) return 0;
    const std::string_view text = path.size() < input.size() ? input.substr(path.size() + 1) : std::string_view{};
    parse::IgnoreRules rules;
    rules.add(parse::IgnoreLayer::gitignore, "", ".gitignore", text);
    const bool whole = rules.judge_with_parents(path, false).ignored;
    bool by_steps = false;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        by_steps = by_steps || rules.judge(path.substr(0, slash), true).ignored;
    }
    by_steps = by_steps || rules.judge(path, false).ignored;
    if (whole != by_steps) std::abort();
    return 0;
}
