// Finding the verb. Done before the option parser sees anything, so that only one command's rows are ever built into
// it, and so that flags stand before or after the verb.
#include <algorithm>

#include "base/text.hpp"
#include "cli/parser.hpp"
#include "cli/suggest.hpp"

namespace drawhitch::cli {

namespace {

// The global row that a word names, with or without its value behind "=" or stuck to a short name.
const OptionRow* global_of(std::string_view word, bool& holds_value) {
    const std::string_view name = word.substr(0, word.find('='));
    for (const OptionRow& row : global_rows()) {
        for (const std::string_view own : split(row.names, ',')) {
            const bool stuck = own.size() == 2 && row.kind != OptionKind::flag && word.starts_with(own);
            if (own != name && !stuck) continue;
            holds_value = name.size() != word.size() || (stuck && word.size() > 2);
            return &row;
        }
    }
    return nullptr;
}

// "-qv": several short flags in one word.
bool is_flag_cluster(std::string_view word) {
    if (word.size() < 3 || word[0] != '-' || word[1] == '-') return false;
    return std::ranges::all_of(word.substr(1), [](char c) { return c == 'q' || c == 'v' || c == 'y' || c == 'n'; });
}

Error unknown_option(std::string_view word) {
    std::vector<std::string> names;
    for (const OptionRow& row : global_rows())
        names.push_back("--" + std::string{key_of(row)});
    Error error{Code::usage, "there is no global option \"" + printable(word) + "\""};
    if (const auto meant = nearest(word, names)) error.why = "did you mean " + *meant + "?";
    return std::move(error).then("drawhitch help");
}

Error unknown_verb(const Registry& registry, const std::string& word) {
    return unknown_word("there is no command", word, registry.first_words());
}

Error unknown_member(const Registry& registry, const std::string& family, const std::string& word) {
    const std::vector<std::string> members = registry.members(family);
    const std::string whole = family + " " + word;
    if (std::ranges::find(planned(), whole, &Planned::verb) != planned().end()) return unknown_word("", whole, {});
    Error error{Code::usage, family + " has no command \"" + printable(word) + "\"; it has " + join(members, ", ")};
    if (const auto meant = nearest(word, members)) error.why = "did you mean " + family + " " + *meant + "?";
    return std::move(error).then("drawhitch help " + family);
}

// Walks the words once; `verb` grows to one or two words.
class Walk {
  public:
    Walk(const Registry& registry, const std::vector<std::string>& words) : registry_(registry), words_(words) {}

    Result<Located> run() {
        for (at_ = 0; at_ < words_.size() && words_[at_] != "--"; ++at_) {
            const std::string& word = words_[at_];
            if (word == "-h" || word == "--help") {
                found_.help = true;
            } else if (found_.row != nullptr) {
                found_.words.push_back(word);
            } else if (word.size() > 1 && word[0] == '-') {
                TRY(take_option(word));
            } else {
                TRY(take_verb(word));
            }
        }
        TRY(take_rest());
        return std::move(found_);
    }

  private:
    Status take_option(const std::string& word) {
        bool holds_value = false;
        if (word == "--version") {
            found_.version = true;
            return ok();
        }
        const OptionRow* row = global_of(word, holds_value);
        if (row == nullptr && !is_flag_cluster(word)) return unknown_option(word);
        push_option(row, word);
        if (row == nullptr || row->kind == OptionKind::flag || holds_value) return ok();
        if (at_ + 1 >= words_.size()) return Error{Code::usage, word + " needs a value"}.then("drawhitch help");
        found_.words.push_back(words_[++at_]);
        return ok();
    }

    // In front of the verb short names are global ones, whatever the verb calls so: they are handed on by their long
    // names.
    void push_option(const OptionRow* row, const std::string& word) {
        const bool short_flag = row != nullptr && row->kind == OptionKind::flag && word.size() == 2;
        if (short_flag) found_.words.push_back("--" + std::string{key_of(*row)});
        if (row != nullptr && !short_flag) found_.words.push_back(word);
        for (std::size_t i = 1; row == nullptr && i < word.size(); ++i) {
            bool holds_value = false;
            push_option(global_of(std::string{'-', word[i]}, holds_value), std::string{'-', word[i]});
        }
    }

    Status take_verb(const std::string& word) {
        if (!found_.family.empty()) {
            found_.row = registry_.find(found_.family + " " + word);
            if (found_.row == nullptr) return unknown_member(registry_, found_.family, word);
            found_.family.clear();
            return ok();
        }
        found_.row = registry_.find(word);
        if (found_.row != nullptr) return ok();
        if (!registry_.is_family(word)) return unknown_verb(registry_, word);
        found_.family = word;
        return ok();
    }

    // What stands after "--": the command of a verb that takes one, else plain arguments.
    Status take_rest() {
        if (at_ >= words_.size()) return ok();
        std::vector<std::string> rest{words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end()};
        if (found_.row == nullptr) return Error{Code::usage, "there is no command before --"}.then("drawhitch help");
        if (!found_.row->trailing.empty()) {
            found_.trailing = std::move(rest);
            return ok();
        }
        found_.words.emplace_back("--");
        for (std::string& word : rest)
            found_.words.push_back(std::move(word));
        return ok();
    }

    const Registry& registry_;
    const std::vector<std::string>& words_;
    std::size_t at_{0};
    Located found_{};
};

}  // namespace

Result<Located> locate(const Registry& registry, const std::vector<std::string>& words) {
    return Walk{registry, words}.run();
}

}  // namespace drawhitch::cli
