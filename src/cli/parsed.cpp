#include "cli/parsed.hpp"

#include <algorithm>
#include <cassert>

#include "base/text.hpp"
#include "cli/suggest.hpp"

namespace drawhitch::cli {

namespace {

constexpr bool takes_all(Arity arity) {
    return arity == Arity::many || arity == Arity::any;
}

constexpr bool needs_one(const PositionalRow& row) {
    return (row.arity == Arity::one || row.arity == Arity::many) && !row.box_optional;
}

// The global options are checked as the rows of a command without a verb.
std::string help_for(std::string_view verb) {
    return "drawhitch help " + std::string{verb.empty() ? "global-options" : verb};
}

Error usage(std::string_view verb, std::string message) {
    return Error{Code::usage, std::move(message)}.then(help_for(verb));
}

bool is_choice(std::string_view choices, std::string_view word) {
    if (choices.empty()) return true;
    const auto all = split(choices, '|');
    return std::ranges::find(all, word) != all.end();
}

std::string not_a_choice(std::string_view name, std::string_view choices, std::string_view word) {
    std::string text{name};
    text += " is one of ";
    for (const char c : choices)
        text += c == '|' ? std::string{", "} : std::string{c};
    return text + "; not \"" + printable(word) + "\"";
}

Status check_word(const OptionRow& option, std::string_view word) {
    const std::string_view key = key_of(option);
    switch (option.kind) {
        case OptionKind::integer:
            TRY(parse_integer(key, word));
            break;
        case OptionKind::duration:
            TRY(parse_duration(key, word));
            break;
        case OptionKind::bytes:
            TRY(parse_bytes(key, word));
            break;
        case OptionKind::flag:
        case OptionKind::text:
        case OptionKind::list:
        case OptionKind::path:
            break;
    }
    if (is_choice(option.choices, word)) return ok();
    return Error{Code::usage, not_a_choice("--" + std::string{key}, option.choices, word)};
}

}  // namespace

std::string_view key_of(const OptionRow& option) {
    const std::vector<std::string_view> names = split(option.names, ',');
    std::string_view longest = names.back();
    longest.remove_prefix(std::min(longest.find_first_not_of('-'), longest.size()));
    return longest;
}

Result<Arguments> Arguments::match(std::string_view verb, std::span<const PositionalRow> rows,
                                   std::vector<std::string> words) {
    Arguments matched;
    std::size_t at = 0;
    for (const PositionalRow& row : rows) {
        std::vector<std::string> taken;
        while (at < words.size() && (taken.empty() || takes_all(row.arity)))
            taken.push_back(std::move(words[at++]));
        if (taken.empty() && needs_one(row)) return usage(verb, std::string{verb} + " needs " + std::string{row.name});
        for (const std::string& word : taken) {
            if (!is_choice(row.choices, word)) return usage(verb, not_a_choice(row.name, row.choices, word));
        }
        matched.values_.emplace_back(row.name, std::move(taken));
    }
    if (at < words.size()) {
        return usage(verb, std::string{verb} + " takes no argument \"" + printable(words[at]) + "\"");
    }
    return matched;
}

std::vector<std::string> Arguments::many(std::string_view name) const {
    const auto at = std::ranges::find(values_, name, [](const auto& value) { return std::string_view{value.first}; });
    assert(at != values_.end() && "no positional row has this name");
    return at->second;
}

std::optional<std::string> Arguments::one(std::string_view name) const {
    const std::vector<std::string> all = many(name);
    return all.empty() ? std::nullopt : std::optional{all.front()};
}

Result<Parsed> Parsed::check(const CommandRow& row, Values values) {
    const std::string verb{row.verb};
    for (const OptionRow& option : row.options) {
        const std::string_view key = key_of(option);
        const auto given =
            std::ranges::find(values.options, key, [](const auto& v) { return std::string_view{v.first}; });
        if (given == values.options.end()) {
            if (option.required)
                return usage(verb, verb + " needs --" + std::string{key} + " " + std::string{option.metavar});
            continue;
        }
        const bool repeats = option.kind == OptionKind::flag || option.kind == OptionKind::list;
        if (!repeats && given->second.size() > 1) return usage(verb, "--" + std::string{key} + " is given twice");
        for (const std::string& word : given->second) {
            if (Status good = check_word(option, word); !good) return std::move(good).error().then(help_for(verb));
        }
    }
    Parsed parsed;
    parsed.row_ = &row;
    // With a BOX that may be left out, only resolve_box knows which word is which.
    if (row.positionals.empty() || !row.positionals.front().box_optional) {
        TRY_ASSIGN(parsed.arguments_, Arguments::match(row.verb, row.positionals, values.words));
    }
    if (row.trailing_required && (!values.trailing || values.trailing->empty())) {
        return usage(verb, verb + " needs a command after --: -- " + std::string{row.trailing});
    }
    parsed.values_ = std::move(values);
    return parsed;
}

bool Parsed::given(std::string_view key) const {
    return std::ranges::any_of(values_.options, [key](const auto& v) { return v.first == key; });
}

const std::vector<std::string>& Parsed::words_of(std::string_view key, OptionKind kind) const {
    static const std::vector<std::string> k_none;
    assert(row_ != nullptr);
    const auto row = std::ranges::find(row_->options, key, [](const OptionRow& option) { return key_of(option); });
    assert(row != row_->options.end() && "no option row has this key");
    const bool as_text = kind == OptionKind::text && row->kind == OptionKind::path;
    assert((row->kind == kind || as_text) && "the option is of another kind");
    (void)as_text;
    const auto at = std::ranges::find(values_.options, key, [](const auto& v) { return std::string_view{v.first}; });
    return at == values_.options.end() ? k_none : at->second;
}

std::size_t Parsed::count(std::string_view key) const {
    return words_of(key, OptionKind::flag).size();
}

std::vector<std::string> Parsed::typed(std::string_view key) const {
    const auto at = std::ranges::find(values_.options, key, [](const auto& v) { return std::string_view{v.first}; });
    return at == values_.options.end() ? std::vector<std::string>{} : at->second;
}

std::optional<std::string> Parsed::text(std::string_view key) const {
    const auto& words = words_of(key, OptionKind::text);
    return words.empty() ? std::nullopt : std::optional{words.front()};
}

std::vector<std::string> Parsed::list(std::string_view key) const {
    return words_of(key, OptionKind::list);
}

std::optional<std::int64_t> Parsed::integer(std::string_view key) const {
    const auto& words = words_of(key, OptionKind::integer);
    return words.empty() ? std::nullopt : std::optional{parse_integer(key, words.front()).value()};
}

std::optional<milliseconds> Parsed::duration(std::string_view key) const {
    const auto& words = words_of(key, OptionKind::duration);
    return words.empty() ? std::nullopt : std::optional{parse_duration(key, words.front()).value()};
}

std::optional<std::uint64_t> Parsed::bytes(std::string_view key) const {
    const auto& words = words_of(key, OptionKind::bytes);
    return words.empty() ? std::nullopt : std::optional{parse_bytes(key, words.front()).value()};
}

std::vector<std::string> Parsed::trailing() const {
    return values_.trailing.value_or(std::vector<std::string>{});
}

Result<BoxArguments> resolve_box(const Parsed& parsed, const std::optional<std::string>& project_box,
                                 std::span<const std::string> known) {
    const CommandRow& row = parsed.row();
    assert(!row.positionals.empty() && row.positionals.front().box_optional);
    std::vector<std::string> words = parsed.words();
    const bool named = !words.empty() && std::ranges::find(known, words.front()) != known.end();
    BoxArguments resolved;
    resolved.named = named;
    if (named) {
        resolved.box = words.front();
        words.erase(words.begin());
    } else if (project_box && (words.empty() || row.positionals.size() > 1)) {
        resolved.box = *project_box;
    } else if (words.empty()) {
        return usage(row.verb, std::string{row.verb} + " needs a box, and this project names none");
    } else {
        Error unknown{Code::not_found, "there is no box named \"" + printable(words.front()) + "\""};
        if (const auto meant = nearest(words.front(), known)) unknown.why = "did you mean " + *meant + "?";
        return std::move(unknown).then("drawhitch ls");
    }
    TRY_ASSIGN(resolved.rest, Arguments::match(row.verb, std::span{row.positionals}.subspan(1), std::move(words)));
    return resolved;
}

}  // namespace drawhitch::cli
