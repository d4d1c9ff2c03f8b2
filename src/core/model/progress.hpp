// Progress: how far a job says it is. Values only; core/parse/progress.hpp reads it from the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace drawhitch::model {

struct Progress {
    std::optional<std::int64_t> step{};
    std::optional<std::int64_t> steps{};
    std::optional<std::int64_t> epoch{};
    std::optional<std::int64_t> epochs{};
    std::optional<double> loss{};  // finite
    bool loss_is_nan{false};       // the last loss was NaN or infinite

    [[nodiscard]] bool known() const { return step || epoch || loss || loss_is_nan; }
    bool operator==(const Progress&) const = default;
};

// "step 1200/3000, epoch 2/10, loss 1.93"; empty when nothing is known.
std::string describe(const Progress& progress);

}  // namespace drawhitch::model
