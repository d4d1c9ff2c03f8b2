#include "cli/forgotten_dashes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "core/parse/secrets.hpp"

namespace drawhitch::cli {

namespace {

const OptionRow* row_of(const CommandRow& command, std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    for (const std::vector<OptionRow>* rows : {&command.options, &global_rows()}) {
        for (const OptionRow& row : *rows) {
            for (const std::string_view own : split(row.names, ','))
                if (own == name) return &row;
        }
    }
    return nullptr;
}

// A program rather than a box: a path, a file name, or a word that begins like what people start jobs with.
bool is_program(std::string_view word) {
    constexpr std::array<std::string_view, 14> k_programs{"python",     "bash", "sh",  "torchrun", "accelerate",
                                                          "deepspeed",  "make", "uv",  "conda",    "mpirun",
                                                          "nvidia-smi", "ls",   "env", "nohup"};
    if (word.find_first_of("/.") != std::string_view::npos) return true;
    return std::ranges::any_of(k_programs, [word](std::string_view program) {
        const std::string_view rest = word.starts_with(program) ? word.substr(program.size()) : "-";
        return rest.empty() || (program == "python" && rest.find_first_not_of("0123456789") == std::string_view::npos);
    });
}

// Where the command begins: at the first word that is no option of ours, or at the second, if the first may be a box.
// The end where there is none.
std::size_t begin_of_command(const CommandRow& command, const std::vector<std::string>& words) {
    bool box_seen = false;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string& word = words[at];
        if (word.size() > 1 && word.front() == '-') {
            const OptionRow* row = row_of(command, word);
            if (row == nullptr) return words.size();
            const bool takes_next = row->kind != OptionKind::flag && word.find('=') == std::string::npos;
            if (takes_next) ++at;
            continue;
        }
        if (box_seen || is_program(word)) return at;
        box_seen = true;
    }
    return words.size();
}

}  // namespace

std::optional<std::string> with_dashes(const Located& located) {
    const CommandRow* row = located.row;
    if (row == nullptr || !row->trailing_required || located.trailing) return std::nullopt;
    const std::size_t begin = begin_of_command(*row, located.words);
    if (begin >= located.words.size()) return std::nullopt;
    std::string line = "drawhitch " + std::string{row->verb};
    for (std::size_t at = 0; at < located.words.size(); ++at) {
        if (at == begin) line += " --";
        line += " " + shell_word(located.words[at]);
    }
    if (parse::secret_text(line)) return std::nullopt;
    return line;
}

}  // namespace drawhitch::cli
