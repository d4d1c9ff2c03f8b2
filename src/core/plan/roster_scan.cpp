#include "core/plan/roster_scan.hpp"

#include <array>
#include <bitset>
#include <vector>

#include "base/text.hpp"

namespace drawhitch::plan {

namespace {

using Set = std::bitset<256>;

std::size_t index(char c) {
    return static_cast<unsigned char>(c);
}

// A byte outside of brackets, as an extended regular expression takes it literally.
std::string literal(char c) {
    constexpr std::string_view k_special = "\\^$.[]|()*+?{}/";
    if (k_special.find(c) == std::string_view::npos || c == '/') return {c};
    return c == '\\' ? "\\\\" : "[" + std::string{c} + "]";
}

// awk takes a backslash inside of brackets as an escape; ']' must come first, '-' last, '^' not first.
std::string bracket(Set set) {
    set.reset(0);
    set.reset(index('/'));
    set.reset(index('\n'));
    if (set.none()) return "[^\\001-\\377]";
    std::string first;
    std::string middle;
    std::string last;
    for (std::size_t i = 1; i < set.size(); ++i) {
        const char c = static_cast<char>(static_cast<unsigned char>(i));
        if (!set[i]) continue;
        if (c == ']') {
            first = "]";
        } else if (c == '-' || c == '^') {
            last.insert(last.begin(), c);
        } else if (c == '\\') {
            middle += "\\\\";
        } else {
            middle += c;
        }
    }
    // A lone '^' would negate.
    if (first.empty() && middle.empty() && last == "^") return "\\^";
    if (first.empty() && middle.empty() && last == "^-") last = "-^";
    return "[" + first + middle + last + "]";
}

void add_range(Set& set, int from, int to) {
    for (int c = from; c <= to; ++c)
        set.set(static_cast<std::size_t>(c));
}

// The named sets inside brackets, ASCII only.
struct NamedSet {
    std::string_view name{};
    std::string_view ranges{};  // pairs of first and last byte
};
constexpr std::array<NamedSet, 12> k_named{{
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"blank", "  \t\t"},
    {"cntrl", "\x01\x1f\x7f\x7f"},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "  \t\n\r\r"},
    {"upper", "AZ"},
    {"xdigit", "09AFaf"},
}};

void add_named(Set& set, std::string_view name) {
    for (const NamedSet& named : k_named) {
        if (named.name != name) continue;
        for (std::size_t i = 0; i + 1 < named.ranges.size(); i += 2)
            add_range(set, named.ranges[i], named.ranges[i + 1]);
    }
}

// Translates one pattern component after another.
class Translator {
  public:
    explicit Translator(std::string_view text) : text_(text) {}

    std::string component() {
        std::string out;
        while (at_ < text_.size())
            out += next();
        return out;
    }

  private:
    std::string next() {
        const char c = text_[at_++];
        switch (c) {
            case '*':
                while (at_ < text_.size() && text_[at_] == '*')
                    ++at_;
                return "[^/]*";
            case '?':
                return "[^/]";
            case '[':
                return set();
            case '\\':
                return at_ < text_.size() ? literal(text_[at_++]) : std::string("\\\\");
            default:
                return literal(c);
        }
    }

    [[nodiscard]] int peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : -1;
    }

    std::string set() {
        Set set;
        const bool negated = peek() == '!' || peek() == '^';
        if (negated) ++at_;
        int low = -1;
        for (bool first = true; at_ < text_.size() && (first || peek() != ']'); first = false)
            low = item(set, low);
        ++at_;
        if (negated) set.flip();
        return bracket(set);
    }

    // Reads one item; returns the byte that may begin a range, or -1.
    int item(Set& set, int low) {
        if (peek() == '[' && peek(1) == ':') {
            const std::size_t close = text_.find(']', at_ + 2);
            if (close != std::string_view::npos && close > at_ + 2 && text_[close - 1] == ':') {
                add_named(set, text_.substr(at_ + 2, close - at_ - 3));
                at_ = close + 1;
                return -1;
            }
        }
        const bool range = peek() == '-' && low >= 0 && peek(1) >= 0 && peek(1) != ']';
        if (range) ++at_;
        if (peek() == '\\' && peek(1) >= 0) ++at_;
        const int high = peek();
        ++at_;
        for (int c = range ? low : high; c <= high; ++c)
            set.set(static_cast<std::size_t>(c));
        return range ? -1 : high;
    }

    std::string_view text_{};
    std::size_t at_{0};
};

// Splits at slashes outside of brackets and escapes (a set never matches one, but may hold one).
std::vector<std::string_view> components(std::string_view pattern) {
    std::vector<std::string_view> parts;
    for (std::string_view part : split(pattern, '/')) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

bool is_literal(std::string_view part) {
    return part.find_first_of("*?[\\") == std::string_view::npos;
}

bool is_deep(std::string_view part) {
    return part.size() >= 2 && part.find_first_not_of('*') == std::string_view::npos;
}

}  // namespace

RosterScan roster_scan(std::string_view pattern) {
    while (pattern.starts_with("./"))
        pattern.remove_prefix(2);
    const bool directories_only = pattern.ends_with('/');
    while (pattern.ends_with('/'))
        pattern.remove_suffix(1);
    const bool anchored = pattern.find('/') != std::string_view::npos;
    const auto parts = components(pattern);
    RosterScan scan;
    for (std::size_t i = 0; anchored && i < parts.size() && is_literal(parts[i]); ++i)
        scan.start += (i == 0 ? "" : "/") + std::string(parts[i]);
    if (scan.start.empty()) scan.start = ".";
    std::string body;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        if (is_deep(parts[i])) {
            body += last ? ".*" : "(.*/)?";
        } else {
            body += Translator(parts[i]).component() + (last ? "" : "/");
        }
    }
    scan.expression = (anchored ? "^[.]/" : "/") + body + (directories_only ? "/.*$" : "(/.*)?$");
    return scan;
}

}  // namespace drawhitch::plan
