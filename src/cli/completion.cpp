#include "cli/completion.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/parser.hpp"

namespace drawhitch::cli {

namespace {

// bash splits "--color=al" into three words; joined again it is one.
void join_equals(std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] != "=" || !words[i - 1].starts_with("--")) continue;
        words[i - 1] += "=";
        if (i + 1 < words.size()) words[i - 1] += words[i + 1];
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(first, first + (i + 1 < words.size() ? 2 : 1));
        --i;
    }
}

const OptionRow* find_option(const std::vector<OptionRow>& rows, std::string_view word) {
    const auto at = std::ranges::find_if(rows, [word](const OptionRow& row) {
        const auto names = split(row.names, ',');
        return std::ranges::find(names, word) != names.end();
    });
    return at == rows.end() ? nullptr : &*at;
}

const OptionRow* find_option(const CommandRow* command, std::string_view word) {
    const OptionRow* found = command == nullptr ? nullptr : find_option(command->options, word);
    return found != nullptr ? found : find_option(global_rows(), word);
}

class Completer {
  public:
    Completer(const Registry& registry, std::string typed) : registry_(registry), typed_(std::move(typed)) {}

    void add(std::string_view word, std::string_view summary) {
        if (word.starts_with(typed_)) result_.candidates.push_back(Candidate{std::string{word}, std::string{summary}});
    }
    void add_choices(std::string_view choices, const std::string& prefix) {
        for (const std::string_view choice : split(choices, '|'))
            add(prefix + std::string{choice}, "");
    }
    void add_values(const OptionRow& option, const std::string& prefix) {
        if (!option.choices.empty()) add_choices(option.choices, prefix);
        result_.files = option.kind == OptionKind::path;
    }
    void add_options(const std::vector<OptionRow>& rows) {
        for (const OptionRow& row : rows) {
            for (const std::string_view name : split(row.names, ','))
                add(name, row.help);
        }
    }
    void add_verbs() {
        for (const std::string& word : registry_.first_words()) {
            const CommandRow* row = registry_.find(word);
            add(word, row == nullptr ? "commands: " + join(registry_.members(word), ", ") : std::string{row->summary});
        }
    }
    void add_members(const std::string& family) {
        for (const std::string& word : registry_.members(family))
            add(word, registry_.find(family + " " + word)->summary);
    }
    void add_topics() {
        for (const Topic& topic : topics())
            add(topic.name, topic.summary);
    }
    void want_files() { result_.files = true; }
    Completion take() { return std::move(result_); }

  private:
    const Registry& registry_;
    std::string typed_;
    Completion result_{};
};

// The words that are no options and no values of options.
std::vector<std::string> arguments_of(const CommandRow& row, const std::vector<std::string>& words) {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].size() < 2 || words[i][0] != '-') {
            arguments.push_back(words[i]);
            continue;
        }
        const OptionRow* option = find_option(&row, words[i]);
        if (option != nullptr && option->kind != OptionKind::flag) ++i;
    }
    return arguments;
}

std::vector<std::string> asked(const std::function<std::vector<std::string>()>& names) {
    return names ? names() : std::vector<std::string>{};
}

void add_all(Completer& completer, const std::vector<std::string>& names, std::string_view summary) {
    for (const std::string& name : names)
        completer.add(name, summary);
}

void add_argument(Completer& completer, const Located& located, const KnownNames& known) {
    const CommandRow& row = *located.row;
    if (row.verb == "help") {
        completer.add_verbs();
        completer.add_topics();
        return;
    }
    if (row.positionals.empty()) return;
    const auto arguments = arguments_of(row, located.words);
    const PositionalRow& positional = row.positionals[std::min(arguments.size(), row.positionals.size() - 1)];
    if (positional.name == "BOX") {
        add_all(completer, asked(known.boxes), "box");
        if (row.positionals.size() > 1 && row.positionals[1].name == "RUN" && known.runs)
            add_all(completer, known.runs(""), "run");
    } else if (positional.name == "RUN") {
        if (known.runs && !arguments.empty()) add_all(completer, known.runs(arguments.front()), "run");
    } else if (positional.name == "FROM" || positional.name == "TO") {
        for (const std::string& box : asked(known.boxes))
            completer.add(box + ":", "box");
        completer.want_files();
    } else if (row.verb.starts_with("config ") && positional.name == "KEY") {
        add_all(completer, asked(known.settings), "setting");
    } else if (row.verb.starts_with("profile ")) {
        add_all(completer, asked(known.profiles), "profile");
        if (positional.name == "PROFILE") completer.want_files();
    } else if (!positional.choices.empty()) {
        completer.add_choices(positional.choices, "");
    } else {
        completer.want_files();
    }
}

}  // namespace

Completion complete(const Registry& registry, std::vector<std::string> words, const KnownNames& known) {
    join_equals(words);
    const std::string typed = words.empty() ? std::string{} : words.back();
    if (!words.empty()) words.pop_back();
    Completer completer{registry, typed};
    if (std::ranges::find(words, "--") != words.end()) {
        completer.want_files();
        return completer.take();
    }
    const std::string before = words.empty() ? std::string{} : words.back();
    // An option that waits for its value would not parse: look the command up without it.
    std::vector<std::string> settled = words;
    if (before.size() > 1 && before[0] == '-') settled.pop_back();
    const Result<Located> located = locate(registry, settled);
    if (!located) return completer.take();
    const OptionRow* waiting = find_option(located->row, before);
    const std::size_t equals = typed.find('=');
    if (waiting != nullptr && waiting->kind != OptionKind::flag) {
        completer.add_values(*waiting, "");
        if (key_of(*waiting) == "profile") add_all(completer, asked(known.profiles), "profile");
    } else if (typed.starts_with("--") && equals != std::string::npos) {
        const OptionRow* option = find_option(located->row, typed.substr(0, equals));
        if (option != nullptr) completer.add_values(*option, typed.substr(0, equals + 1));
    } else if (typed.starts_with("-")) {
        if (located->row != nullptr) completer.add_options(located->row->options);
        completer.add_options(global_rows());
        completer.add("--help", "explain the command");
    } else if (located->row != nullptr) {
        add_argument(completer, *located, known);
    } else if (!located->family.empty()) {
        completer.add_members(located->family);
    } else {
        completer.add_verbs();
    }
    return completer.take();
}

std::string_view completion_script(std::string_view shell) {
    if (shell == "bash") {
        return R"script(# drawhitch completion for bash; load it with: eval "$(drawhitch completion bash)"
_drawhitch() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default ;;
        *:$'\t'*) COMPREPLY+=("${line%%$'\t'*}") && compopt -o nospace ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(drawhitch __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    # bash takes "--option=value" as three words and replaces the last one alone.
    if [[ ${COMP_WORDS[COMP_CWORD]} == '=' || ${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then
        COMPREPLY=("${COMPREPLY[@]#*=}")
    fi
}
complete -F _drawhitch drawhitch
)script";
    }
    if (shell == "zsh") {
        return R"script(#compdef drawhitch
# drawhitch completion for zsh; load it with: source <(drawhitch completion zsh)
_drawhitch() {
    local line files
    local -a found
    for line in "${(@f)$(drawhitch __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ $line == ':files' ]]; then
            files=1
        elif [[ -n $line ]]; then
            found+=("${${line//:/\\:}/$'\t'/:}")
        fi
    done
    (( ${#found} )) && _describe 'drawhitch' found
    [[ -n $files ]] && _files
}
compdef _drawhitch drawhitch
)script";
    }
    if (shell == "fish") {
        return R"script(# drawhitch completion for fish; load it with: drawhitch completion fish | source
function __drawhitch_complete
    set -l words (commandline -opc) (commandline -ct)
    drawhitch __complete -- $words[2..-1] 2>/dev/null
end
function __drawhitch_wants_files
    contains -- ':files' (__drawhitch_complete)
end
complete -c drawhitch -f -a "(__drawhitch_complete | string match -v ':files')"
complete -c drawhitch -n __drawhitch_wants_files -F
)script";
    }
    return {};
}

}  // namespace drawhitch::cli
