// Any bytes as drawhitch.toml: problems or a project; without trust nothing that needs it is left.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/config/load_project.hpp"

using namespace drawhitch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto loaded = config::load_project(text, "drawhitch.toml");
    (void)config::trust_text("/p/drawhitch.toml", config::keys_needing_trust(loaded.value));
    if (!config::keys_needing_trust(config::without_untrusted(loaded.value)).empty()) std::abort();
    return 0;
}
