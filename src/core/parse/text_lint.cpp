#include "core/parse/text_lint.hpp"

#include <algorithm>
#include <array>

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_bom = "\xEF\xBB\xBF";

// UTF-16 also is text of a kind, but nothing on a box reads it as a script: its NUL bytes make it binary here.
bool is_script_name(std::string_view path) {
    constexpr std::array<std::string_view, 10> k_ends = {".sh",  ".bash", ".zsh", ".fish",  ".py",
                                                         ".pyx", ".pl",   ".rb",  ".slurm", ".sbatch"};
    constexpr std::array<std::string_view, 4> k_names = {"Makefile", "makefile", "GNUmakefile", "Snakefile"};
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::any_of(k_ends.begin(), k_ends.end(), [&](std::string_view end) { return name.ends_with(end); }) ||
           std::find(k_names.begin(), k_names.end(), name) != k_names.end();
}

}  // namespace

std::string_view describe(Flaw flaw) {
    switch (flaw) {
        case Flaw::crlf:
            return "lines end in CRLF";
        case Flaw::bom:
            return "begins with a byte order mark";
        case Flaw::shebang_cr:
            return "the interpreter's name ends in a carriage return";
        case Flaw::not_executable:
            return "has a shebang, but is not executable";
    }
    return "is odd";
}

bool is_text(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos;
}

std::vector<Flaw> lint(std::string_view path, std::string_view head, bool is_executable) {
    std::vector<Flaw> flaws;
    if (!is_text(head)) return flaws;
    const bool bom = head.starts_with(k_bom);
    std::string_view text = head;
    if (bom) text.remove_prefix(k_bom.size());
    const bool shebang = text.starts_with("#!");
    if (!shebang && !is_script_name(path)) return flaws;
    if (bom) flaws.push_back(Flaw::bom);
    const std::string_view first = text.substr(0, text.find('\n'));
    if (shebang && first.ends_with('\r')) flaws.push_back(Flaw::shebang_cr);
    if (text.find("\r\n") != std::string_view::npos) flaws.push_back(Flaw::crlf);
    if (shebang && !is_executable) flaws.push_back(Flaw::not_executable);
    return flaws;
}

bool needs_fix(std::string_view bytes) {
    return is_text(bytes) && (bytes.starts_with(k_bom) || bytes.find("\r\n") != std::string_view::npos);
}

std::string fix_eol(std::string_view bytes) {
    if (!needs_fix(bytes)) return std::string(bytes);
    if (bytes.starts_with(k_bom)) bytes.remove_prefix(k_bom.size());
    std::string fixed;
    fixed.reserve(bytes.size());
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::size_t run_end = std::min(bytes.find_first_not_of('\r', at), bytes.size());
        const bool line_end = run_end < bytes.size() && bytes[run_end] == '\n';
        if (!line_end) fixed.append(bytes.substr(at, run_end - at));
        if (run_end < bytes.size()) fixed += bytes[run_end];
        at = run_end + 1;
    }
    return fixed;
}

}  // namespace drawhitch::parse
