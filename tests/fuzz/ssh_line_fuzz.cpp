// Any words as a provider's SSH line: what comes out can be handed to ssh as words of its own and be taken for no
// option.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/parse/ssh_line.hpp"

namespace {

void must(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// Lines of the input are the words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < size; ++i) {
        if (data[i] == '\n')
            words.emplace_back();
        else
            words.back() += static_cast<char>(data[i]);
    }
    const auto line = drawhitch::parse::ssh_line(words);
    if (!line) {
        must(line.error().code == drawhitch::Code::usage && !line.error().message.empty());
        return 0;
    }
    must(!line->destination.empty() && line->destination.front() != '-');
    must(line->user.empty() || line->user.front() != '-');
    must(!line->port || *line->port != 0);
    return 0;
}
