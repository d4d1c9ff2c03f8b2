#include "core/parse/framed.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

// Takes one line off the front, without its end ("\n", or "\r\n" where a terminal sits in between).
std::string_view take_line(std::string_view& text) {
    const std::size_t at = text.find('\n');
    std::string_view line = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

struct Open {
    std::string name{};
    const char* body{nullptr};
};

// Each frame line is preceded by a newline of its own, which is no part of the body.
std::string_view body_until(const char* begin, const char* line) {
    std::string_view body(begin, static_cast<std::size_t>(line - begin));
    if (!body.empty() && body.back() == '\n') body.remove_suffix(1);
    if (!body.empty() && body.back() == '\r') body.remove_suffix(1);
    return body;
}

std::optional<int> rc_of(std::string_view text) {
    constexpr std::string_view k_mark = "rc=";
    if (!text.starts_with(k_mark)) return std::nullopt;
    const auto number = whole_number(text.substr(k_mark.size()));
    if (!number || *number > 255) return std::nullopt;
    return static_cast<int>(*number);
}

void close_section(Framed& framed, const Open& open, std::string_view body, int rc) {
    std::erase_if(framed.sections, [&](const Section& section) { return section.name == open.name; });
    framed.sections.push_back({open.name, std::string(body), rc});
}

}  // namespace

const Section* Framed::find(std::string_view name) const {
    const auto at = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
    return at == sections.end() ? nullptr : &*at;
}

Framed framed(std::string_view text, std::string_view nonce) {
    Framed result;
    if (nonce.empty()) return result;
    const std::string mark = "=" + std::string(nonce) + "=";
    std::optional<Open> open;
    while (!text.empty()) {
        const char* start = text.data();
        std::string_view line = take_line(text);
        if (!line.starts_with(mark)) continue;
        const auto words = fields(line.substr(mark.size()));
        if (words.empty()) continue;
        if (words[0] == "Z") {
            result.finished = true;
        } else if (words[0] == "B" && words.size() == 2) {
            open = Open{std::string(words[1]), text.data()};
        } else if (words[0] == "E" && words.size() == 3 && open) {
            const auto rc = words[1] == open->name ? rc_of(words[2]) : std::nullopt;
            if (rc) close_section(result, *open, body_until(open->body, start), *rc);
            open.reset();
        }
    }
    return result;
}

std::vector<std::string_view> values_of(std::string_view body, std::string_view key) {
    std::vector<std::string_view> values;
    while (!body.empty()) {
        const std::string_view line = take_line(body);
        if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=') {
            values.push_back(line.substr(key.size() + 1));
        }
    }
    return values;
}

std::optional<std::string_view> value_of(std::string_view body, std::string_view key) {
    const auto values = values_of(body, key);
    if (values.empty()) return std::nullopt;
    return values.front();
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> signed_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> decimal(std::string_view text) {
    // Not from_chars for double: older standard libraries of other systems lack it.
    const std::size_t point = text.find('.');
    const auto whole = whole_number(text.substr(0, point));
    if (!whole) return std::nullopt;
    auto value = static_cast<double>(*whole);
    if (point == std::string_view::npos) return value;
    double scale = 1;
    for (char c : text.substr(point + 1)) {
        if (c < '0' || c > '9') return std::nullopt;
        scale /= 10;
        value += scale * (c - '0');
    }
    return value;
}

std::vector<std::string_view> fields(std::string_view line) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t from = line.find_first_not_of(" \t");
        if (from == std::string_view::npos) return words;
        line.remove_prefix(from);
        const std::size_t length = std::min(line.find_first_of(" \t"), line.size());
        words.push_back(line.substr(0, length));
        line.remove_prefix(length);
    }
}

std::optional<DfRoom> df_line(std::string_view line) {
    constexpr std::uint64_t k_largest = 1ULL << 53U;  // no disk holds more
    const auto words = fields(line);
    for (std::size_t i = 4; i < words.size(); ++i) {
        const std::string_view percent = words[i];
        if (percent.size() < 2 || percent.back() != '%' || !whole_number(percent.substr(0, percent.size() - 1)))
            continue;
        const auto total = whole_number(words[i - 3]);
        const auto used = whole_number(words[i - 2]);
        const auto free = whole_number(words[i - 1]);
        if (!total || !used || !free || *total > k_largest || *free > k_largest) continue;
        return DfRoom{*total, *free};
    }
    return std::nullopt;
}

}  // namespace drawhitch::parse
