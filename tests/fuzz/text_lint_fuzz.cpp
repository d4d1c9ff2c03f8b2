// Any bytes as a script: mending says beforehand whether it changes anything, never touches what is no text, only takes
// bytes away, and leaves nothing of what it mends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/parse/text_lint.hpp"

using namespace drawhitch;

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// The first line is the path, the rest the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const std::string_view path = text.substr(0, text.find('\n'));
    const std::string_view bytes = path.size() < size ? text.substr(path.size() + 1) : std::string_view{};
    for (const bool executable : {false, true})
        for (const parse::Flaw flaw : parse::lint(path, bytes, executable))
            must(!parse::describe(flaw).empty());
    const std::string fixed = parse::fix_eol(bytes);
    must(parse::needs_fix(bytes) == (fixed != bytes));
    must(fixed.size() <= bytes.size());
    if (!parse::is_text(bytes)) {
        must(fixed == bytes);
        must(parse::lint(path, bytes, false).empty());
    }
    return 0;
}
