// Framed: the sections of a box script's output. A section counts only between its own begin and end lines, which carry
// the call's nonce; everything else is noise (banners, start-up files, `wall`). Never fails: what is cut off is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::parse {

struct Section {
    std::string name{};
    std::string body{};  // any bytes, without the newline that comes before the end line
    int rc{0};
};

struct Framed {
    std::vector<Section> sections{};  // complete ones; where a name was repeated, the last
    bool finished{false};             // the closing line was seen

    [[nodiscard]] const Section* find(std::string_view name) const;
};

Framed framed(std::string_view text, std::string_view nonce);

// The value of "key=value" in a section's body; the first such line counts.
std::optional<std::string_view> value_of(std::string_view body, std::string_view key);
// All values of that key, in order.
std::vector<std::string_view> values_of(std::string_view body, std::string_view key);

// Decimal text as a whole, without sign; absent for anything else or what does not fit.
std::optional<std::uint64_t> whole_number(std::string_view text);
// The same with an optional minus.
std::optional<std::int64_t> signed_number(std::string_view text);
// "12.34": digits, at most one point, nothing else.
std::optional<double> decimal(std::string_view text);
// Splits at runs of spaces and tabs.
std::vector<std::string_view> fields(std::string_view line);

}  // namespace drawhitch::parse
