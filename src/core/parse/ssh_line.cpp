#include "core/parse/ssh_line.hpp"

#include <charconv>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

// ssh's options that take a word, from ssh(1), and those that do not.
constexpr std::string_view k_with_word = "BbcDEeFIiJLlmOopQRSWw";
constexpr std::string_view k_alone = "46AaCfGgKkMNnqsTtVvXxYy";

Error wrong(std::string message) {
    return Error{Code::usage, std::move(message)}.then("drawhitch help adopt");
}

Result<std::uint16_t> port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (problem != std::errc{} || end != text.data() + text.size() || port == 0) {
        return wrong("\"" + printable(text) + "\" is no port");
    }
    return port;
}

// The first word may be the whole line, pasted between quotes; a blank in a later one belongs to a path.
Result<std::vector<std::string>> words_of(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) {
        if (&word != &words.front()) {
            all.push_back(word);
            continue;
        }
        for (std::string_view part : split(word, ' ')) {
            if (!part.empty()) all.emplace_back(part);
        }
    }
    if (!all.empty() && all.front() == "ssh") all.erase(all.begin());
    if (all.empty()) return wrong("the line names no host");
    return all;
}

class LineReader {
  public:
    explicit LineReader(std::vector<std::string> words) : words_(std::move(words)) {}

    Result<SshLine> read() {
        while (at_ < words_.size()) {
            const std::string word = words_[at_++];
            if (word == "--") continue;
            if (word.size() > 1 && word.front() == '-') {
                TRY(option(word));
            } else if (line_.destination.empty()) {
                TRY(destination(word));
            } else {
                return wrong("after the host the line says \"" + printable(word) + "\", and adopt runs no command");
            }
        }
        if (line_.destination.empty()) return wrong("the line names no host");
        if (line_.user.starts_with('-')) return wrong("\"" + printable(line_.user) + "\" is no user's name");
        return line_;
    }

  private:
    // "-p22", "-p 22", "-vvp 22": letters without a word may stand together before one with a word.
    Status option(const std::string& word) {
        for (std::size_t i = 1; i < word.size(); ++i) {
            const char letter = word[i];
            if (k_alone.find(letter) != std::string_view::npos) {
                line_.passed_over.push_back(std::string("-") + letter);
                continue;
            }
            if (k_with_word.find(letter) == std::string_view::npos) {
                return wrong("ssh has no option -" + printable(std::string_view(&letter, 1)));
            }
            std::string value = word.substr(i + 1);
            if (value.empty() && at_ == words_.size())
                return wrong(std::string("option -") + letter + " lacks its word");
            if (value.empty()) value = words_[at_++];
            return set(letter, value);
        }
        return ok();
    }

    Status set(char letter, const std::string& value) {
        if (letter == 'p') {
            TRY_ASSIGN(line_.port, port_of(value));
        } else if (letter == 'i') {
            line_.identity_file = value;
        } else if (letter == 'l') {
            line_.user = value;
        } else if (letter == 'J') {
            return wrong("a jump host cannot be given here")
                .because("put it into your SSH configuration (Host …, ProxyJump " + printable(value) +
                         ") and adopt the Host's name");
        } else {
            line_.passed_over.push_back(std::string("-") + letter + " " + value);
        }
        return ok();
    }

    Status destination(std::string word) {
        static constexpr std::string_view k_scheme = "ssh://";
        const bool is_url = word.starts_with(k_scheme);
        if (is_url) word.erase(0, k_scheme.size());
        if (const std::size_t at = word.rfind('@'); at != std::string::npos) {
            line_.user = word.substr(0, at);
            word.erase(0, at + 1);
        }
        if (is_url && !word.empty() && word.back() == '/') word.pop_back();
        // ssh itself takes a port behind a colon only in a URL or behind brackets; consoles show HOST:PORT all the
        // same. A bare address of IPv6 has more than one colon.
        const std::size_t colon = word.rfind(':');
        const bool one_colon = colon != std::string::npos && word.find(':') == colon;
        const bool bracketed = word.starts_with('[');
        const std::size_t bracket = word.find(']');
        if (bracketed && bracket == std::string::npos) return wrong("\"" + printable(word) + "\" is no host");
        if ((is_url || bracketed || one_colon) && colon != std::string::npos && (!bracketed || colon == bracket + 1)) {
            TRY_ASSIGN(line_.port, port_of(std::string_view(word).substr(colon + 1)));
            word.erase(colon);
        }
        if (bracketed) word = word.substr(1, word.find(']') - 1);
        if (word.empty()) return wrong("the line names no host");
        if (word.front() == '-') return wrong("\"" + printable(word) + "\" is no host: it looks like an option");
        line_.destination = std::move(word);
        return ok();
    }

    std::vector<std::string> words_{};
    std::size_t at_{0};
    SshLine line_{};
};

}  // namespace

Result<SshLine> ssh_line(const std::vector<std::string>& words) {
    TRY_ASSIGN(std::vector<std::string> all, words_of(words));
    return LineReader(std::move(all)).read();
}

}  // namespace drawhitch::parse
