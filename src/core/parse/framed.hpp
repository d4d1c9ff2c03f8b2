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

// Seconds since 1970; a box whose clock is beyond that has no clock.
inline constexpr std::uint64_t k_latest_time = 1ULL << 40U;

// Room of a file system, in the unit `df` was asked for: KiB or inodes.
struct DfRoom {
    std::uint64_t total{0};
    std::uint64_t free{0};
};
// "device total used free NN% mounted-on", as `df -P` prints it. The device's name may hold anything, but the numbers
// stand before the column that ends in '%'.
std::optional<DfRoom> df_line(std::string_view line);

}  // namespace drawhitch::parse
