#include "core/parse/ignore.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_builtin =
    "/pulls/\n"
    "__pycache__/\n"
    "*.pyc\n"
    ".venv/\n"
    "venv/\n"
    "node_modules/\n"
    ".ipynb_checkpoints/\n"
    ".mypy_cache/\n"
    ".pytest_cache/\n"
    ".ruff_cache/\n"
    ".tox/\n"
    ".DS_Store\n"
    "Thumbs.db\n"
    "*.swp\n";

// Trailing blanks do not belong to a pattern unless a backslash stands before them.
std::string_view without_trailing_spaces(std::string_view line) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
            if (i + 1 == line.size()) return line;
            ++i;
        } else if (line[i] == ' ') {
            continue;
        }
        end = i + 1;
    }
    return line.substr(0, end);
}

bool is_ours_or_gits(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name == ".git" || name == ".drawhitch";
}

std::string_view relative_to(std::string_view path, std::string_view directory) {
    return directory.empty() ? path : path.substr(directory.size() + 1);
}

}  // namespace

std::string line_for_directory(std::string_view path) {
    std::string line = "/";
    for (char c : path) {
        if (std::string_view("*?[\\ ").find(c) != std::string_view::npos) line += '\\';
        line += c;
    }
    return line + "/";
}

IgnoreRules::IgnoreRules() {
    add(IgnoreLayer::builtin, "", "(built in)", k_builtin);
}

IgnoreRules IgnoreRules::without_builtins() {
    return IgnoreRules(Bare{});
}

void IgnoreRules::add(IgnoreLayer layer, std::string_view directory, std::string_view file, std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    File parsed;
    parsed.name = file;
    int number = 0;
    for (std::string_view line : split(text, '\n')) {
        ++number;
        Rule rule;
        rule.line = number;
        if (parse_line(line, rule)) parsed.rules.push_back(std::move(rule));
    }
    layers_[static_cast<std::size_t>(layer)][std::string(directory)].push_back(std::move(parsed));
}

bool IgnoreRules::parse_line(std::string_view line, Rule& rule) {
    if (line.starts_with('#')) return false;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = line.substr(0, line.find('\0'));  // git reads lines as C strings
    line = without_trailing_spaces(line);
    rule.text = line;
    if (line.starts_with('!')) {
        rule.negated = true;
        line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
        rule.directories_only = true;
        line.remove_suffix(1);
    }
    if (line.empty()) return false;
    rule.anywhere = line.find('/') == std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    rule.wildcard = Wildcard::compile(line, DeepStar::git);
    return true;
}

const IgnoreRules::Rule* IgnoreRules::last_match(const File& file, std::string_view relative, bool is_directory) {
    const std::string_view name = relative.substr(relative.rfind('/') + 1);
    for (auto rule = file.rules.rbegin(); rule != file.rules.rend(); ++rule) {
        if (rule->directories_only && !is_directory) continue;
        if (rule->wildcard.matches(rule->anywhere ? name : relative)) return &*rule;
    }
    return nullptr;
}

IgnoreVerdict IgnoreRules::judge(std::string_view path, bool is_directory) const {
    if (is_ours_or_gits(path)) return {true, "(built in)", 0, std::string(path.substr(path.rfind('/') + 1))};
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
        std::string_view directory = path;
        while (!directory.empty()) {
            const std::size_t slash = directory.rfind('/');
            directory = slash == std::string_view::npos ? std::string_view{} : directory.substr(0, slash);
            const auto files = layer->find(directory);
            if (files == layer->end()) continue;
            for (auto file = files->second.rbegin(); file != files->second.rend(); ++file) {
                const Rule* rule = last_match(*file, relative_to(path, directory), is_directory);
                if (rule != nullptr) return {!rule->negated, file->name, rule->line, rule->text};
            }
        }
    }
    return {};
}

IgnoreVerdict IgnoreRules::judge_with_parents(std::string_view path, bool is_directory) const {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        IgnoreVerdict verdict = judge(path.substr(0, slash), true);
        if (verdict.ignored) return verdict;
    }
    return judge(path, is_directory);
}

}  // namespace drawhitch::parse
