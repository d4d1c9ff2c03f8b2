// Any bytes as a profile: problems or a profile, never a crash; a profile without problems keeps its promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/config/load_profile.hpp"

using namespace drawhitch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto loaded = config::load_profile(text, "fuzz.toml", "");
    if (!loaded.ok()) {
        if (config::problems_error(loaded.problems).message.empty()) std::abort();
        return 0;
    }
    const model::Profile& profile = loaded.value;
    if (model::find_verb(profile, model::Verb::terminate) == nullptr) std::abort();
    if (model::storage_of(profile, profile.paths.data_dir) == nullptr) std::abort();
    return 0;
}
