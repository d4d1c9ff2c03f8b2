// Changing a setting in any text: refused, or the text then says so and loads.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/config/load_settings.hpp"

using namespace drawhitch;

namespace {

void try_set(std::string_view text, std::string_view key, std::string_view value) {
    const auto edited = config::with_setting(text, "config.toml", key, value);
    if (!edited) return;
    const auto loaded = config::load_settings(*edited, "config.toml");
    if (!loaded.ok() || config::setting_value(loaded.value, key).value_or("") != value) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try_set(text, "color", "never");
    try_set(text, "log_file", "/a \"b\"\n");
    try_set(text, "connection.poll_s", "9");
    try_set(text, "connection.poll_s", "");
    try_set(text, "plain", "");
    return 0;
}
