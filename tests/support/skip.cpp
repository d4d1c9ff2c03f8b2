#include "support/skip.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <stdexcept>

namespace drawhitch::support {

void skip_without(const std::string& what) {
    const char* none = std::getenv("DRAWHITCH_NO_SKIPS");
    if (none != nullptr && *none != '\0') FAIL("missing, and DRAWHITCH_NO_SKIPS is set: " << what);
    SKIP("missing: " << what);
    throw std::logic_error("not reached: both end the case");
}

void skip_unless_root(const std::string& why) {
    if (::geteuid() != 0) SKIP("needs root: " << why);
}

}  // namespace drawhitch::support
