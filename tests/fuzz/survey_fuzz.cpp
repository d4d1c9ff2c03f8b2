// Any answer of a box to the survey gives facts, and what was not told whole is not called complete.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/judge/processes.hpp"
#include "core/parse/survey.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto seen = drawhitch::parse::survey(text, "n0");
    if (seen.complete && text.find("=n0=Z") == std::string_view::npos) std::abort();
    drawhitch::judge::ProcessPolicy policy{};
    policy.wiped = {"/"};
    (void)drawhitch::judge::unowned(seen.processes, policy);
    return 0;
}
