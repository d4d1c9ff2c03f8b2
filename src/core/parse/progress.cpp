#include "core/parse/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/text.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/log_lines.hpp"

namespace drawhitch::parse {

namespace {

using model::Progress;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A position in a line, and what can be taken from there.
struct Cursor {
    std::string_view rest{};

    void skip(std::string_view any_of) { rest.remove_prefix(std::min(rest.find_first_not_of(any_of), rest.size())); }
    bool take(std::string_view word) {
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    }
    // Digits, also grouped in threes: "30,899". A number with a fraction is none.
    std::optional<std::int64_t> whole() {
        std::string digits;
        std::size_t at = 0;
        while (at < rest.size() && digits.size() < 19) {
            const bool group = rest[at] == ',' && !digits.empty() && at + 3 < rest.size() && is_digit(rest[at + 1]) &&
                               is_digit(rest[at + 2]) && is_digit(rest[at + 3]) &&
                               (at + 4 == rest.size() || !is_digit(rest[at + 4]));
            if (!is_digit(rest[at]) && !group) break;
            if (!group) digits += rest[at];
            ++at;
        }
        if (at + 1 < rest.size() && rest[at] == '.' && is_digit(rest[at + 1])) return std::nullopt;
        const auto value = signed_number(digits);
        if (value) rest.remove_prefix(at);
        return value;
    }
};

struct Count {
    std::int64_t done{0};
    std::optional<std::int64_t> all{};
};

// "12", "12/100", "12 / 100", "12 of 100".
std::optional<Count> count_at(Cursor cursor) {
    Count count;
    const auto done = cursor.whole();
    if (!done) return std::nullopt;
    count.done = *done;
    cursor.skip(" ");
    if (cursor.take("/") || cursor.take("of ")) {
        cursor.skip(" ");
        count.all = cursor.whole();
    }
    return count;
}

// The count behind the last mention of `key` as a word: "step 20", "step=20/100", "'step': 20", "[Epoch 3]".
std::optional<Count> count_after(std::string_view line, std::string_view key) {
    for (std::size_t at = line.rfind(key); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : line.rfind(key, at - 1)) {
        const bool inside_word = at > 0 && is_letter(line[at - 1]);
        Cursor cursor{line.substr(at + key.size())};
        if (inside_word || (!cursor.rest.empty() && is_letter(cursor.rest[0]))) continue;
        cursor.skip("\"' :=#[(");
        if (auto count = count_at(cursor)) return count;
    }
    return std::nullopt;
}

// The bar of tqdm: "45%|████▌     | 450/1000 [00:10<00:12, 42.1it/s]".
std::optional<Count> tqdm_count(std::string_view line) {
    const std::size_t percent = line.rfind("%|");
    if (percent == std::string_view::npos) return std::nullopt;
    const std::size_t bar_end = line.find('|', percent + 2);
    if (bar_end == std::string_view::npos) return std::nullopt;
    Cursor cursor{line.substr(bar_end + 1)};
    cursor.skip(" ");
    auto count = count_at(cursor);
    if (!count || !count->all) return std::nullopt;
    return count;
}

// The bar of Keras: "120/1875 [=====>......] - ETA: 5s - loss: 0.5", alone on its line.
std::optional<Count> keras_count(std::string_view line) {
    Cursor cursor{line};
    cursor.skip(" ");
    auto count = count_at(cursor);
    if (!count || !count->all) return std::nullopt;
    if (line.find("[=") == std::string_view::npos && line.find("[>") == std::string_view::npos &&
        line.find("━") == std::string_view::npos) {
        return std::nullopt;
    }
    return count;
}

struct Loss {
    double value{0};
    bool is_nan{false};
};

std::optional<Loss> number_at(std::string_view text) {
    Cursor cursor{text};
    cursor.skip("\"' :=(");
    // Also "tensor(1.93, …)".
    if (cursor.take("tensor(")) cursor.skip(" ");
    std::string_view rest = cursor.rest;
    const bool negative = rest.starts_with("-");
    if (negative) rest.remove_prefix(1);
    if (rest.starts_with("nan") || rest.starts_with("inf")) return Loss{0, true};
    if (rest.empty() || (!is_digit(rest[0]) && rest[0] != '.')) return std::nullopt;
    const std::string digits(rest.substr(0, std::min(rest.find_first_not_of("0123456789.e+-"), rest.size())));
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str() || !std::isfinite(value)) return std::nullopt;
    return Loss{negative ? -value : value, false};
}

// The training loss; losses of validation are another series.
std::optional<Loss> loss_in(std::string_view line) {
    constexpr std::string_view k_key = "loss";
    constexpr std::array<std::string_view, 4> k_others{"val_", "eval_", "test_", "valid_"};
    for (std::size_t at = line.rfind(k_key); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : line.rfind(k_key, at - 1)) {
        const std::string_view before = line.substr(0, at);
        if (!before.empty() && is_letter(before.back())) continue;
        if (std::any_of(k_others.begin(), k_others.end(), [&](auto other) { return before.ends_with(other); }))
            continue;
        if (auto loss = number_at(line.substr(at + k_key.size()))) return loss;
    }
    return std::nullopt;
}

void read_line(std::string_view shown, Progress& progress) {
    const std::string line = lower(shown);
    std::optional<Count> step;
    for (std::string_view key : {"global_step", "step", "steps", "iteration", "iter", "batch"}) {
        if (!step) step = count_after(line, key);
    }
    if (!step) step = tqdm_count(line);
    if (!step) step = keras_count(line);
    if (step) {
        progress.step = step->done;
        progress.steps = step->all ? step->all : progress.steps;
        if (progress.steps && *progress.steps < step->done) progress.steps.reset();
    }
    if (const auto epoch = count_after(line, "epoch")) {
        progress.epoch = epoch->done;
        progress.epochs = epoch->all ? epoch->all : progress.epochs;
    }
    if (const auto loss = loss_in(line)) {
        progress.loss_is_nan = loss->is_nan;
        progress.loss = loss->is_nan ? std::nullopt : std::optional(loss->value);
    }
}

}  // namespace

model::Progress progress(std::string_view log, bool begins_in_line) {
    if (begins_in_line) {
        const std::size_t end = log.find_first_of("\r\n");
        log.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
    }
    Progress progress;
    LogLines lines;
    lines.feed(log, [&](std::string_view line) { read_line(line, progress); });
    read_line(lines.current(), progress);
    return progress;
}

}  // namespace drawhitch::parse
