#include "cli/registry.hpp"

#include <algorithm>

#include "cli/commands/commands.hpp"

namespace drawhitch::cli {

const CommandRow* Registry::find(std::string_view verb) const {
    const auto at = std::ranges::find_if(rows_, [verb](const CommandRow& row) {
        return row.verb == verb || std::ranges::find(row.aliases, verb) != row.aliases.end();
    });
    return at == rows_.end() ? nullptr : &*at;
}

bool Registry::is_family(std::string_view word) const {
    return !members(word).empty();
}

std::vector<std::string> Registry::members(std::string_view family) const {
    std::vector<std::string> found;
    for (const CommandRow& row : rows_) {
        const std::size_t gap = row.verb.find(' ');
        if (gap != std::string_view::npos && row.verb.substr(0, gap) == family)
            found.emplace_back(row.verb.substr(gap + 1));
    }
    return found;
}

std::vector<std::string> Registry::first_words() const {
    std::vector<std::string> words;
    const auto add = [&words](std::string_view verb) {
        std::string word{verb.substr(0, verb.find(' '))};
        if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    };
    for (const CommandRow& row : rows_) {
        if (row.hidden) continue;
        add(row.verb);
        for (const std::string_view alias : row.aliases)
            add(alias);
    }
    return words;
}

// The order is the order of `help`. To add a command: write commands/VERB.cpp, name its function in
// commands/commands.hpp, and add one line here.
Registry all_commands() {
    return Registry{{
        // life cycle
        adopt_command(),
        doctor_command(),
        run_command(),
        ps_command(),
        watch_command(),
        logs_command(),
        stop_run_command(),
        push_command(),
        pull_command(),
        down_command(),

        // inspect
        exec_command(),
        ssh_command(),
        ls_command(),
        show_command(),
        verify_command(),
        cp_command(),
        du_command(),

        // manage
        profile_ls_command(),
        profile_show_command(),
        profile_check_command(),
        lease_ls_command(),
        lease_show_command(),
        lease_close_command(),
        lease_export_command(),
        trust_command(),
        config_path_command(),
        config_get_command(),
        config_set_command(),

        // shell
        completion_command(),
        complete_command(),
        demo_command(),
        version_command(),
        help_command(),
    }};
}

}  // namespace drawhitch::cli
