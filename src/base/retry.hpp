// Retry arithmetic: pure, so that it is a table in the tests. Who retries is decided in flow.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace drawhitch {

struct RetryPolicy {
    int max_attempts{5};       // attempts in all, the first one included
    milliseconds base{500};    // wait after the first failure
    milliseconds cap{30'000};  // no wait is longer, unless the server asked
    double factor{2.0};
};

// The wait before attempt `attempt` + 1 (attempts count from 1), "full jitter": uniform in [base/2, step], where step =
// min(cap, base * factor^(attempt-1)). `random` is any 64-bit value, supplied by the caller. A server's own wish
// (Retry-After) is never undercut.
milliseconds next_delay(const RetryPolicy& policy, int attempt, std::optional<milliseconds> server_asked,
                        std::uint64_t random);

}  // namespace drawhitch
