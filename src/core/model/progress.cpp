#include "core/model/progress.hpp"

#include <array>
#include <charconv>

namespace drawhitch::model {

namespace {

void add(std::string& text, std::string_view word, std::optional<std::int64_t> done, std::optional<std::int64_t> all) {
    if (!done) return;
    if (!text.empty()) text += ", ";
    text.append(word).append(" ").append(std::to_string(*done));
    if (all) text.append("/").append(std::to_string(*all));
}

}  // namespace

std::string describe(const Progress& progress) {
    std::string text;
    add(text, "step", progress.step, progress.steps);
    add(text, "epoch", progress.epoch, progress.epochs);
    if (!progress.loss && !progress.loss_is_nan) return text;
    if (!text.empty()) text += ", ";
    if (progress.loss_is_nan) return text += "loss NaN";
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), *progress.loss, std::chars_format::general, 4);
    return text.append("loss ").append(digits.data(), end.ptr);
}

}  // namespace drawhitch::model
