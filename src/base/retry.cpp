#include "base/retry.hpp"

#include <algorithm>
#include <cmath>

namespace drawhitch {

milliseconds next_delay(const RetryPolicy& policy, int attempt, std::optional<milliseconds> server_asked,
                        std::uint64_t random) {
    const double grown = static_cast<double>(policy.base.count()) * std::pow(policy.factor, std::max(0, attempt - 1));
    const double step = std::min(grown, static_cast<double>(policy.cap.count()));
    const double low = std::min(static_cast<double>(policy.base.count()) / 2, step);
    const double share = static_cast<double>(random >> 11) / 9007199254740992.0;  // 2^53: a double in [0, 1)
    const milliseconds own{static_cast<std::int64_t>(low + (step - low) * share)};
    return server_asked ? std::max(own, *server_asked) : own;
}

}  // namespace drawhitch
