// Any text as the answer of `ssh -G`: lines that are not understood change nothing, and whether the ssh program is
// needed can always be said.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/parse/ssh_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto config = drawhitch::parse::ssh_config(text);
    const bool jumps = !config.proxy_jump.empty() || !config.proxy_command.empty();
    if (jumps && drawhitch::parse::needs_ssh_program(config).empty()) std::abort();
    // A line nobody knows, behind the others, is passed over.
    const auto more = drawhitch::parse::ssh_config(std::string{text} + "\nnosuchword x\n");
    if (more.host_name != config.host_name || more.port != config.port || more.user != config.user) std::abort();
    if (more.identity_files != config.identity_files) std::abort();
    return 0;
}
