// The only file that includes the option parser. A row becomes an option of one app; every option collects words, and
// Parsed checks them, so the library's own conversions and messages are not used.
#include "cli/parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <set>

#include "base/text.hpp"
#include "cli/suggest.hpp"

namespace drawhitch::cli {

namespace {

struct Slot {
    const OptionRow* row{nullptr};
    std::vector<std::string> words{};
    std::int64_t times{0};
};

Error unknown_option(const CommandRow& row, std::span<const Slot> slots, const std::string& word) {
    std::vector<std::string> names;
    for (const Slot& slot : slots)
        names.push_back("--" + std::string{key_of(*slot.row)});
    const std::string name = word.substr(0, word.find('='));
    Error error{Code::usage, std::string{row.verb} + " has no option \"" + printable(name) + "\""};
    if (const auto meant = nearest(name, names)) error.why = "did you mean " + *meant + "?";
    return std::move(error).then("drawhitch help " + std::string{row.verb});
}

class Words {
  public:
    Words(const CommandRow& row, const std::vector<OptionRow>& options) : row_(row), app_("drawhitch") {
        app_.set_help_flag();
        app_.allow_extras();
        slots_.reserve(options.size());
        for (const OptionRow& option : options) {
            Slot& slot = slots_.emplace_back(Slot{.row = &option});
            const std::string names = free_names(option);
            if (option.kind == OptionKind::flag) {
                app_.add_flag(names, slot.times);
            } else {
                app_.add_option(names, slot.words)->type_size(1)->allow_extra_args(false)->take_all();
            }
        }
    }

    // Positionals are what the library leaves over; an option among them is unknown.
    Result<Parsed::Values> read(std::vector<std::string> words) {
        const auto end = std::ranges::find(words, "--");
        std::vector<std::string> after;
        if (end != words.end()) after.assign(end + 1, words.end());
        words.erase(end, words.end());
        std::ranges::reverse(words);  // the library takes them from the back
        try {
            app_.parse(std::move(words));
        } catch (const CLI::ArgumentMismatch& problem) {
            return Error{Code::usage, missing_value(problem.what())}.then("drawhitch help " + std::string{row_.verb});
        } catch (const CLI::Error& problem) {
            return Error{Code::usage, printable(problem.what())}.then("drawhitch help " + std::string{row_.verb});
        }
        Parsed::Values values;
        for (std::string& word : app_.remaining()) {
            if (word.size() > 1 && word[0] == '-') return unknown_option(row_, slots_, word);
            values.words.push_back(std::move(word));
        }
        for (std::string& word : after)
            values.words.push_back(std::move(word));
        for (Slot& slot : slots_) {
            if (slot.times > 0) slot.words.assign(static_cast<std::size_t>(slot.times), std::string{});
            if (!slot.words.empty()) values.options.emplace_back(key_of(*slot.row), std::move(slot.words));
        }
        return values;
    }

  private:
    // A command's own rows come first: a global flag keeps the names that they left.
    std::string free_names(const OptionRow& option) {
        std::vector<std::string> names;
        for (const std::string_view name : split(option.names, ',')) {
            if (taken_.insert(std::string{name}).second) names.emplace_back(name);
        }
        return join(names, ",");
    }

    // The library's text begins with the option's name.
    static std::string missing_value(std::string_view told) {
        const std::string_view name = told.substr(0, told.find(':'));
        return printable(name) + " needs a value";
    }

    const CommandRow& row_;
    CLI::App app_;
    std::set<std::string> taken_{};
    std::vector<Slot> slots_{};  // never grows after construction: the app points into it
};

// The global flags as rows of a command; static, because Parsed keeps its row.
const CommandRow& globals_row() {
    static const CommandRow k_row{.options = global_rows()};
    return k_row;
}

// Moves the values of the rows' options out of `values`.
Parsed::Values take(Parsed::Values& values, const std::vector<OptionRow>& rows) {
    Parsed::Values taken;
    for (const OptionRow& row : rows) {
        const auto at =
            std::ranges::find(values.options, key_of(row), [](const auto& v) { return std::string_view{v.first}; });
        if (at == values.options.end()) continue;
        taken.options.push_back(std::move(*at));
        values.options.erase(at);
    }
    return taken;
}

}  // namespace

Result<Invocation> parse(const Located& located, const Environment& environment) {
    const CommandRow& row = *located.row;
    std::vector<OptionRow> options = row.options;
    options.insert(options.end(), global_rows().begin(), global_rows().end());
    Words words{row, options};
    TRY_ASSIGN(Parsed::Values values, words.read(located.words));
    Invocation invocation;
    TRY_ASSIGN(invocation.typed, Parsed::check(globals_row(), take(values, global_rows())));
    TRY_ASSIGN(invocation.globals, read_globals(invocation.typed, environment));
    values.trailing = located.trailing;
    TRY_ASSIGN(invocation.parsed, Parsed::check(row, std::move(values)));
    return invocation;
}

}  // namespace drawhitch::cli
