#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/parse/structure.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::size_t k_piece = 256U << 10U;
// Deeper is no result of a job; bounds memory.
constexpr std::size_t k_deepest = 10'000;
constexpr std::string_view k_lines = "json lines";
// With what Python's json module writes for floats that are no numbers.
constexpr std::array<std::string_view, 6> k_words{"true", "false", "null", "NaN", "Infinity", "-Infinity"};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// A sequence of JSON values, byte by byte. A library's parser would end at the first NaN, wants one value a file, and
// does not tell a file that ends too early from one that is no JSON at all, which is all that counts here.
class Values {
  public:
    // False once a byte is met that no JSON has there.
    bool feed(char c) {
        if (in_string_) return feed_string(c);
        if (!word_.empty()) {
            if (is_digit(c) || std::string_view{"+-.eE"}.find(c) != std::string_view::npos || (c >= 'a' && c <= 'z') ||
                (c >= 'A' && c <= 'Z')) {
                return feed_word(c);
            }
            if (!word_is_whole()) return false;
            end_word();
        }
        return is_blank(c) || feed_mark(c);
    }

    // Between values: nothing is missing if the bytes end here. A number at the end is whole as it stands.
    [[nodiscard]] bool at_rest() const { return open_.empty() && !in_string_ && (word_.empty() || word_is_whole()); }
    // The bytes could go on to something whole.
    [[nodiscard]] bool may_go_on() const { return word_.empty() || word_is_whole() || word_may_grow(); }
    // Whole values that lie behind, the one at the very end not among them.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool began() const { return count_ > 0 || !open_.empty() || in_string_ || !word_.empty(); }

  private:
    enum class Next { value, value_or_end, key, key_or_end, colon, comma_or_end };

    bool feed_string(char c) {
        if (escaped_) {
            escaped_ = false;
        } else if (c == '\\') {
            escaped_ = true;
        } else if (c == '"') {
            in_string_ = false;
            end_string();
        }
        return true;
    }

    void end_string() {
        if (!is_key_) return end_value();
        next_ = Next::colon;
    }

    [[nodiscard]] bool is_number() const { return is_digit(word_[0]) || (word_[0] == '-' && word_[1] != 'I'); }

    // Of a number only its first and last two bytes are kept: they may be long.
    bool feed_word(char c) {
        if (is_number() && word_.size() > 2) {
            word_[word_.size() - 1] = c;
        } else {
            word_ += c;
        }
        if (is_number()) return is_digit(c) || std::string_view{"+-.eE"}.find(c) != std::string_view::npos;
        return word_is_whole() || word_may_grow();
    }
    [[nodiscard]] bool word_is_whole() const {
        if (is_number()) return is_digit(word_.back());
        return std::ranges::find(k_words, word_) != k_words.end();
    }
    [[nodiscard]] bool word_may_grow() const {
        return is_number() || std::ranges::any_of(k_words, [&](std::string_view w) { return w.starts_with(word_); });
    }
    void end_word() {
        word_.clear();
        end_value();
    }

    bool feed_mark(char c) {
        switch (c) {
            case '"':
                return begin_string();
            case '{':
            case '[':
                return begin_container(c);
            case '}':
            case ']':
                return end_container(c);
            case ':':
                return step(Next::colon, Next::value);
            case ',':
                return step(Next::comma_or_end, !open_.empty() && open_.back() == '{' ? Next::key : Next::value);
            default:
                return begin_word(c);
        }
    }
    bool step(Next from, Next to) {
        if (next_ != from) return false;
        next_ = to;
        return true;
    }
    [[nodiscard]] bool value_may_begin() const { return next_ == Next::value || next_ == Next::value_or_end; }

    bool begin_string() {
        is_key_ = next_ == Next::key || next_ == Next::key_or_end;
        in_string_ = is_key_ || value_may_begin();
        return in_string_;
    }
    bool begin_container(char c) {
        if (!value_may_begin() || open_.size() == k_deepest) return false;
        open_ += c;
        next_ = c == '{' ? Next::key_or_end : Next::value_or_end;
        return true;
    }
    bool end_container(char c) {
        const char wanted = c == '}' ? '{' : '[';
        const bool may_end = next_ == Next::comma_or_end || next_ == (c == '}' ? Next::key_or_end : Next::value_or_end);
        if (!may_end || open_.empty() || open_.back() != wanted) return false;
        open_.pop_back();
        end_value();
        return true;
    }
    bool begin_word(char c) {
        if (!value_may_begin()) return false;
        word_ = c;
        return is_digit(c) || word_may_grow();
    }
    void end_value() {
        if (open_.empty()) ++count_;
        next_ = open_.empty() ? Next::value : Next::comma_or_end;
    }

    Next next_{Next::value};
    std::string open_{};  // '{' and '['
    std::string word_{};
    bool in_string_{false};
    bool is_key_{false};
    bool escaped_{false};
    std::uint64_t count_{0};
};

StructureVerdict told(model::Structure state, std::string_view format, std::string detail) {
    return {state, std::string{format}, std::move(detail)};
}

// Answers what `each` answers for the first byte that it does not let pass; nothing if all do.
template <class Each>
Result<std::optional<StructureVerdict>> each_byte(Reader& file, std::uint64_t first, Each each) {
    std::string piece(k_piece, '\0');
    for (std::uint64_t at = first; at < file.size();) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(k_piece, file.size() - at));
        TRY_ASSIGN(const std::size_t count, file.read_at(at, std::span{piece.data(), wanted}));
        if (count != wanted) return Error{Code::changed, "the file shrank while it was checked"};
        for (std::size_t i = 0; i < count; ++i) {
            std::optional<StructureVerdict> verdict = each(piece[i], at + i);
            if (verdict) return verdict;
        }
        at += count;
    }
    return std::optional<StructureVerdict>{};
}

// What the first bytes say: a mark of UTF-8 is passed over; UTF-16 (of some shells) is not read.
struct Start {
    std::uint64_t first{0};
    std::optional<StructureVerdict> verdict{};
};
Result<Start> look_at_start(Reader& file) {
    std::array<char, 3> bytes{};
    TRY_ASSIGN(const std::size_t count, file.read_at(0, bytes));
    const std::string_view head{bytes.data(), count};
    using model::Structure;
    if (head == "\xEF\xBB\xBF") return Start{3, {}};
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
        return Start{0, told(Structure::unknown_format, "json", "it is UTF-16 text, which is not checked")};
    if (head.starts_with('\0'))
        return Start{0, told(Structure::broken, "json", "it begins with zeros: its data was never written")};
    return Start{};
}

}  // namespace

Result<StructureVerdict> check_json(Reader& file) {
    using model::Structure;
    TRY_ASSIGN(const Start start, look_at_start(file));
    if (start.verdict) return *start.verdict;
    Values values;
    const auto each = [&](char c, std::uint64_t at) -> std::optional<StructureVerdict> {
        if (c == '\0') {
            return told(Structure::broken, "json",
                        "zeros from byte " + std::to_string(at) + " on: data that was never written");
        }
        if (values.feed(c)) return std::nullopt;
        // Comments, trailing commas, another program's format: nobody knows whether it is whole.
        return told(Structure::unknown_format, "json", "no JSON at byte " + std::to_string(at) + ": not checked");
    };
    TRY_ASSIGN(const auto found, each_byte(file, start.first, each));
    if (found) return *found;
    if (!values.began()) return told(Structure::broken, "json", "the file is empty");
    if (values.at_rest()) return told(Structure::sound, values.count() > 1 ? k_lines : "json", {});
    if (values.count() == 0) return told(Structure::broken, "json", "the file is cut short: it ends inside its value");
    return told(Structure::unknown_format, k_lines, "its last value is cut short");
}

Result<StructureVerdict> check_json_lines(Reader& file) {
    using model::Structure;
    TRY_ASSIGN(const Start start, look_at_start(file));
    if (start.verdict) return *start.verdict;
    Values line;
    bool wrong = false;
    std::uint64_t number = 1;
    std::uint64_t first_wrong = 0;
    const auto each = [&](char c, std::uint64_t) -> std::optional<StructureVerdict> {
        if (c != '\n') {
            wrong = wrong || !line.feed(c);
            return std::nullopt;
        }
        if ((wrong || !line.at_rest()) && first_wrong == 0) first_wrong = number;
        line = {};
        wrong = false;
        ++number;
        return std::nullopt;
    };
    TRY_ASSIGN(const auto found, each_byte(file, start.first, each));
    if (found) return *found;
    // A writer that was killed leaves half a line, and one that went on behind it leaves it in the middle: the other
    // lines are worth what they were, so that this is told and no damage.
    if (!wrong && !line.at_rest() && line.may_go_on())
        return told(Structure::unknown_format, k_lines, "its last line, " + std::to_string(number) + ", is cut short");
    if (wrong && first_wrong == 0) first_wrong = number;
    if (first_wrong == 0) return told(Structure::sound, k_lines, {});
    return told(Structure::unknown_format, k_lines, "line " + std::to_string(first_wrong) + " is no whole JSON value");
}

}  // namespace drawhitch::parse
