// Any answer of a box to the inspection gives facts, and what was not told to its end is not called complete.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/parse/machine_facts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto seen = drawhitch::parse::machine_facts(text, "n0");
    const bool has_mark = text.find("=n0=") != std::string_view::npos;
    if (seen.complete && !has_mark) std::abort();
    if (!has_mark && seen.facts.env.size() + seen.facts.container_env.size() != 0) std::abort();
    // Another call's answer says nothing about this one.
    if (drawhitch::parse::machine_facts(text, "another-nonce").complete &&
        text.find("another-nonce") == std::string_view::npos)
        std::abort();
    return 0;
}
