#include "core/parse/wildcard.hpp"

#include <algorithm>
#include <array>

namespace drawhitch::parse {

namespace {

// The named sets inside brackets are ASCII only, whatever the locale; "space" is git's own narrow notion of it.
bool in_named_set(std::string_view name, unsigned c, bool& known) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    const bool graph = c > 0x20 && c < 0x7F;
    struct Row {
        std::string_view name{};
        bool holds{false};
    };
    const std::array<Row, 12> rows{{
        {"alnum", upper || lower || digit},
        {"alpha", upper || lower},
        {"blank", c == ' ' || c == '\t'},
        {"cntrl", c < 0x20 || c == 0x7F},
        {"digit", digit},
        {"graph", graph},
        {"lower", lower},
        {"print", graph || c == ' '},
        {"punct", graph && !upper && !lower && !digit},
        {"space", space},
        {"upper", upper},
        {"xdigit", digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
    }};
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    known = row != rows.end();
    return known && row->holds;
}

// Reads the inside of one bracket expression. `at` stands on the byte being read.
class SetReader {
  public:
    SetReader(std::string_view text, std::size_t start) : text_(text), at_(start) {}

    // False: the bracket is never closed, or names an unknown set.
    bool read(std::bitset<256>& set) {
        const bool negated = peek() == '!' || peek() == '^';
        if (negated) ++at_;
        bool first = true;
        for (; first || peek() != ']'; first = false) {
            if (at_ >= text_.size()) return false;
            if (!read_item(set)) return false;
        }
        if (negated) set.flip();
        set.reset('/');  // no set ever crosses a directory
        return true;
    }
    [[nodiscard]] std::size_t end() const { return at_ + 1; }

  private:
    [[nodiscard]] int peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : -1;
    }

    bool read_item(std::bitset<256>& set) {
        if (peek() == '-' && low_ >= 0 && peek(1) >= 0 && peek(1) != ']') {
            ++at_;
            return read_range(set);
        }
        if (peek() == '[' && peek(1) == ':') {
            const std::size_t close = text_.find(']', at_ + 2);
            if (close == std::string_view::npos) return false;
            if (close > at_ + 2 && text_[close - 1] == ':') return read_named(set, close);
        }
        if (peek() == '\\') ++at_;
        if (peek() < 0) return false;
        low_ = peek();
        set.set(static_cast<std::size_t>(low_));
        ++at_;
        return true;
    }

    bool read_range(std::bitset<256>& set) {
        if (peek() == '\\') ++at_;
        if (peek() < 0) return false;
        for (int c = low_; c <= peek(); ++c)
            set.set(static_cast<std::size_t>(c));
        low_ = -1;
        ++at_;
        return true;
    }

    bool read_named(std::bitset<256>& set, std::size_t close) {
        const std::string_view name = text_.substr(at_ + 2, close - 1 - (at_ + 2));
        bool known = false;
        for (unsigned c = 0; c < 256; ++c) {
            if (in_named_set(name, c, known)) set.set(c);
        }
        low_ = -1;
        at_ = close + 1;
        return known;
    }

    std::string_view text_{};
    std::size_t at_{0};
    int low_{-1};  // the byte before a '-' that would begin a range
};

}  // namespace

Wildcard Wildcard::compile(std::string_view pattern, DeepStar deep) {
    Wildcard compiled;
    const std::size_t special = std::min(pattern.find_first_of("*?[\\"), pattern.size());
    compiled.head_ = pattern.substr(0, special);
    compiled.compile_tail(pattern.substr(special), deep);
    return compiled;
}

void Wildcard::compile_tail(std::string_view tail, DeepStar deep) {
    const bool after_slash = head_.empty() || head_.back() == '/';
    std::size_t at = 0;
    while (at < tail.size()) {
        const char c = tail[at];
        if (c == '*') {
            const bool starts = at == 0 ? after_slash || deep == DeepStar::git : tail[at - 1] == '/';
            at = compile_stars(tail, at, starts);
        } else if (c == '?') {
            push(Kind::any);
            ++at;
        } else if (c == '[') {
            at = compile_set(tail, at);
        } else {
            if (c == '\\') ++at;
            if (at >= tail.size()) {
                push(Kind::never);
                broken_ = true;
                return;
            }
            push(Kind::byte, static_cast<unsigned char>(tail[at]));
            ++at;
        }
    }
}

std::size_t Wildcard::compile_stars(std::string_view tail, std::size_t at, bool starts_component) {
    const std::size_t end = std::min(tail.find_first_not_of('*', at), tail.size());
    const std::string_view rest = tail.substr(end);
    const bool ends_component = rest.empty() || rest.front() == '/' || rest.starts_with("\\/");
    if (end - at < 2 || !starts_component || !ends_component) {
        push(Kind::star);
        return end;
    }
    if (!rest.starts_with('/')) {
        push(Kind::deep);
        return end;
    }
    // "**/**/" means what "**/" means; one of them also keeps reach() shallow.
    const bool repeated = tokens_.size() >= 3 && tokens_[tokens_.size() - 3].kind == Kind::skip_two;
    if (!repeated) {
        push(Kind::skip_two);
        push(Kind::deep);
        push(Kind::byte, '/');
    }
    return end + 1;
}

std::size_t Wildcard::compile_set(std::string_view tail, std::size_t at) {
    Set set;
    SetReader reader(tail, at + 1);
    if (!reader.read(set)) {
        push(Kind::never);
        broken_ = true;
        return tail.size();
    }
    tokens_.push_back(Token{Kind::set, 0, static_cast<std::uint32_t>(sets_.size())});
    sets_.push_back(set);
    return reader.end();
}

// Marks a state, and those it leads to without reading a byte.
void Wildcard::reach(std::vector<std::uint8_t>& states, std::size_t state) const {
    while (states[state] == 0) {
        states[state] = 1;
        if (state == tokens_.size()) return;
        const Kind kind = tokens_[state].kind;
        if (kind == Kind::skip_two) {
            reach(states, state + 3);
        } else if (kind != Kind::star && kind != Kind::deep) {
            return;
        }
        ++state;
    }
}

void Wildcard::step(const std::vector<std::uint8_t>& from, std::vector<std::uint8_t>& to, unsigned char byte) const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (from[i] == 0) continue;
        const Token& token = tokens_[i];
        const bool stays = token.kind == Kind::deep || (token.kind == Kind::star && byte != '/');
        const bool moves = (token.kind == Kind::byte && token.byte == byte) ||
                           (token.kind == Kind::any && byte != '/') ||
                           (token.kind == Kind::set && sets_[token.index][byte]);
        if (stays) reach(to, i);
        if (moves) reach(to, i + 1);
    }
}

bool Wildcard::matches(std::string_view text) const {
    if (!text.starts_with(head_)) return false;
    text.remove_prefix(head_.size());
    if (tokens_.empty()) return text.empty();
    std::vector<std::uint8_t> now(tokens_.size() + 1, 0);
    std::vector<std::uint8_t> next(tokens_.size() + 1, 0);
    reach(now, 0);
    for (char c : text) {
        std::fill(next.begin(), next.end(), std::uint8_t{0});
        step(now, next, static_cast<unsigned char>(c));
        now.swap(next);
        if (std::find(now.begin(), now.end(), std::uint8_t{1}) == now.end()) return false;
    }
    return now.back() != 0;
}

}  // namespace drawhitch::parse
