// Wildcard: one compiled pattern of `*`, `**`, `?`, `[…]` and backslash escapes over bytes, as .gitignore means them.
// Owns matching only; which paths a pattern is asked about (anchoring, directories, precedence) is decided in glob.hpp
// and ignore.hpp. Matching never backtracks: its time is at most pattern length x text length, whatever the pattern.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::parse {

// `**` crosses directories only as a whole component. git also lets it do so right behind a leading literal
// ("foo**/bar" matches foo/x/bar): ignore files ask for that.
enum class DeepStar { whole_component, git };

class Wildcard {
  public:
    // Any bytes are accepted; a pattern that can never match (unclosed bracket, lone backslash at the end) compiles to
    // one that matches nothing, and says so in is_broken().
    static Wildcard compile(std::string_view pattern, DeepStar deep);

    [[nodiscard]] bool matches(std::string_view text) const;
    [[nodiscard]] bool is_broken() const { return broken_; }

  private:
    enum class Kind : std::uint8_t {
        byte,      // this byte
        any,       // one byte but '/'
        set,       // one byte of sets_[index]
        star,      // any bytes but '/'
        deep,      // any bytes
        skip_two,  // the next two tokens may be left out: "**" + "/" also means no directory at all
        never,
    };
    struct Token {
        Kind kind{Kind::never};
        unsigned char byte{0};
        std::uint32_t index{0};
    };
    using Set = std::bitset<256>;

    void compile_tail(std::string_view tail, DeepStar deep);
    std::size_t compile_stars(std::string_view tail, std::size_t at, bool starts_component);
    std::size_t compile_set(std::string_view tail, std::size_t at);
    void reach(std::vector<std::uint8_t>& states, std::size_t state) const;
    void step(const std::vector<std::uint8_t>& from, std::vector<std::uint8_t>& to, unsigned char byte) const;
    void push(Kind kind, unsigned char byte = 0) { tokens_.push_back(Token{kind, byte, 0}); }

    std::string head_{};  // literal bytes before the first special one
    std::vector<Token> tokens_{};
    std::vector<Set> sets_{};
    bool broken_{false};
};

}  // namespace drawhitch::parse
