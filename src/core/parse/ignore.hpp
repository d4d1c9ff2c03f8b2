// Ignore rules: which files of a project are not deployed. The grammar and the precedence are git's, proven against
// `git check-ignore` in tests/property; .drawhitchignore has the same grammar and stands above all .gitignore files.
// Reads no file: whoever walks the tree adds each ignore file's text before judging what lies beside and below it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse/wildcard.hpp"

namespace drawhitch::parse {

// From weak to strong: the strongest layer with a matching line decides, whatever the line says. Within a layer deeper
// directories stand above their parents, and later lines above earlier ones.
enum class IgnoreLayer { builtin, git_info_exclude, gitignore, drawhitchignore, project };

struct IgnoreVerdict {
    bool ignored{false};
    // The line that decided, for `push -n -v`; empty when none matched. `file` is a path relative to the project.
    std::string file{};
    int line{0};
    std::string pattern{};
};

// The line that ignores exactly this directory (relative to the project), whatever bytes its name holds.
std::string line_for_directory(std::string_view path);

class IgnoreRules {
  public:
    // Starts with the built-in lines (caches, virtual environments, pulls/). `.git` and `.drawhitch` are always
    // ignored, at any depth, and no line can bring them back.
    IgnoreRules();
    // As git alone would judge; for comparisons.
    static IgnoreRules without_builtins();

    // `directory` holds the ignore file, relative to the project, "" for its root. `text` may be any bytes. `file` is
    // the name shown in verdicts.
    void add(IgnoreLayer layer, std::string_view directory, std::string_view file, std::string_view text);

    // The verdict for one entry whose parent directories are known not to be ignored: what a walk from the top asks.
    [[nodiscard]] IgnoreVerdict judge(std::string_view path, bool is_directory) const;
    // The same for any path: parents are judged first, and an ignored parent cannot be undone from inside.
    [[nodiscard]] IgnoreVerdict judge_with_parents(std::string_view path, bool is_directory) const;

  private:
    struct Rule {
        Wildcard wildcard{};
        std::string text{};
        int line{0};
        bool negated{false};
        bool directories_only{false};
        bool anywhere{false};  // no slash inside: compared with the last component only
    };
    struct File {
        std::string name{};
        std::vector<Rule> rules{};
    };
    static constexpr std::size_t k_layers = 5;

    struct Bare {};
    explicit IgnoreRules(Bare) {}
    static bool parse_line(std::string_view line, Rule& rule);
    static const Rule* last_match(const File& file, std::string_view relative, bool is_directory);

    std::array<std::map<std::string, std::vector<File>, std::less<>>, k_layers> layers_{};
};

}  // namespace drawhitch::parse
