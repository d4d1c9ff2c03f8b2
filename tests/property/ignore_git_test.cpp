// The oracle for ignore rules is git itself: random trees with random ignore files are judged by `git check-ignore` and
// by us, file, line and verdict.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/parse/ignore.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using parse::IgnoreLayer;
using parse::IgnoreRules;

namespace {

// Runs git in `directory` with `input` from a file, its output into a file; no configuration of the user or the machine
// applies.
int git(const support::TempDir& scratch, const std::string& directory, std::vector<std::string> words) {
    std::string program = "git";
    std::vector<char*> argv = {program.data()};
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string in = scratch / "in";
    const std::string out = scratch / "out";
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
        ::setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
        ::setenv("HOME", scratch.path().c_str(), 1);
        ::unsetenv("XDG_CONFIG_HOME");
        ::unsetenv("GIT_DIR");
        const int from = ::open(in.c_str(), O_RDONLY | O_CREAT, 0600);
        const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (::chdir(directory.c_str()) != 0 || ::dup2(from, 0) < 0 || ::dup2(to, 1) < 0) ::_exit(126);
        ::execvp("git", argv.data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  private:
    std::mt19937_64 engine_;
};

const std::vector<std::string> k_names = {"a",  "b",   "ab",  "a.b",  "b.a", "aab", "#a",  "!a",      " a",
                                          "a ", "a\\", "[a]", "\xe9", "a*",  "-",   "a b", "]",       "^",
                                          "A",  "1",   "_",   "\t",   "a]",  "abc", "a[",  "xx.a.b.c"};

const std::vector<std::string> k_pieces = {"a",
                                           "b",
                                           "c",
                                           "*",
                                           "*",
                                           "**",
                                           "/",
                                           "/",
                                           "?",
                                           "[ab]",
                                           "[!a]",
                                           "[^b]",
                                           "[a-c]",
                                           "\\",
                                           "\\*",
                                           "\\ ",
                                           " ",
                                           ".",
                                           "#",
                                           "!",
                                           "[",
                                           "]",
                                           "[]a]",
                                           "[]-a]",
                                           "/**/",
                                           "**/",
                                           "/**",
                                           "[[:alpha:]]",
                                           "[[:space:]]",
                                           "[[:x:]]",
                                           "[a",
                                           "[a-",
                                           "[\\a-\\c]",
                                           "[--a]",
                                           "\\[",
                                           "\\\\",
                                           "\xe9",
                                           "[\xe0-\xff]",
                                           "[[:upper:]1]",
                                           "[[:punct:]]",
                                           "[!]a-]",
                                           "[a/b]",
                                           "\r",
                                           "\t",
                                           "a**",
                                           "**a",
                                           "*.",
                                           "[[:cntrl:]]",
                                           "[[::]",
                                           "[[:]",
                                           "[a-c-e]",
                                           "[[:alnum:]-z]",
                                           "a**/b",
                                           "b**/",
                                           "ab**/*"};

std::string random_line(Dice& dice) {
    std::string line;
    if (dice.one_in(4)) line = "!";
    if (dice.one_in(5)) line += "/";
    const std::size_t pieces = 1 + dice.below(dice.one_in(3) ? 6 : 3);
    for (std::size_t i = 0; i < pieces; ++i)
        line += dice.one_in(3) ? dice.pick(k_names) : dice.pick(k_pieces);
    if (dice.one_in(5)) line += "/";
    if (dice.one_in(8)) line += "  ";
    return line;
}

std::string random_file(Dice& dice) {
    std::string text;
    if (dice.one_in(10)) text = "\xEF\xBB\xBF";
    const std::size_t lines = 1 + dice.below(4);
    for (std::size_t i = 0; i < lines; ++i)
        text += random_line(dice) + (dice.one_in(8) ? "\r\n" : "\n");
    if (dice.one_in(5)) text.pop_back();
    return text;
}

struct Tree {
    std::vector<std::string> directories{};  // without the root
    std::vector<std::string> files{};
};

void grow(Dice& dice, const std::string& root, const std::string& directory, int depth, Tree& tree) {
    for (std::size_t i = 0, n = 3 + dice.below(4); i < n; ++i) {
        std::string path = directory;
        if (!path.empty()) path += '/';
        path += dice.pick(k_names);
        const std::string full = root + "/" + path;
        if (depth > 0 && dice.one_in(2)) {
            if (::mkdir(full.c_str(), 0700) != 0) continue;
            tree.directories.push_back(path);
            grow(dice, root, path, depth - 1, tree);
        } else {
            struct stat existing {};
            if (::lstat(full.c_str(), &existing) == 0) continue;
            support::write_file(full, "");
            tree.files.push_back(path);
        }
    }
}

struct Answer {
    std::string file{};
    int line{0};
    bool ignored{false};
    bool operator==(const Answer&) const = default;
};

// What git says about each path. The output has four fields a path: file, line, pattern, path.
std::map<std::string, Answer> ask_git(const support::TempDir& scratch, const std::string& root, const Tree& tree) {
    std::string input;
    for (const auto* list : {&tree.directories, &tree.files}) {
        for (const std::string& path : *list)
            input += "./" + path + '\0';
    }
    support::write_file(scratch / "in", input);
    const int code = git(scratch, root, {"check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"});
    REQUIRE((code == 0 || code == 1));
    std::map<std::string, Answer> answers;
    const std::string output = support::read_file(scratch / "out");
    const auto fields = split(output, '\0');
    for (std::size_t i = 0; i + 3 < fields.size(); i += 4) {
        Answer answer;
        answer.file = fields[i];
        answer.line = fields[i + 1].empty() ? 0 : std::stoi(std::string(fields[i + 1]));
        answer.ignored = !fields[i + 2].empty() && fields[i + 2].front() != '!';
        answers[std::string(fields[i + 3].substr(2))] = answer;
    }
    return answers;
}

void one_round(std::uint64_t seed) {
    INFO("round seed " << seed);
    Dice dice(seed);
    const support::TempDir scratch;
    const support::TempDir repository;
    REQUIRE(git(scratch, repository.path(), {"init", "-q", "."}) == 0);
    Tree tree;
    grow(dice, repository.path(), "", 3, tree);

    // git has no built-in lines, and its exclude file shows where our weaker layers stand.
    IgnoreRules rules = IgnoreRules::without_builtins();
    const auto add = [&](IgnoreLayer layer, const std::string& directory, const std::string& name) {
        const std::string text = random_file(dice);
        support::write_file(repository / name, text);
        rules.add(layer, directory, name, text);
    };
    add(IgnoreLayer::gitignore, "", ".gitignore");
    add(IgnoreLayer::git_info_exclude, "", ".git/info/exclude");
    for (const std::string& directory : tree.directories) {
        if (dice.one_in(3)) add(IgnoreLayer::gitignore, directory, directory + "/.gitignore");
    }
    const auto answers = ask_git(scratch, repository.path(), tree);
    REQUIRE(answers.size() == tree.directories.size() + tree.files.size());
    for (const auto& [path, wanted] : answers) {
        const bool is_directory =
            std::find(tree.directories.begin(), tree.directories.end(), path) != tree.directories.end();
        const auto verdict = rules.judge_with_parents(path, is_directory);
        INFO("path " << path << "; git: " << wanted.file << ":" << wanted.line << " " << wanted.ignored << "; ours: "
                     << verdict.file << ":" << verdict.line << " " << verdict.ignored << " by " << verdict.pattern);
        CHECK((Answer{verdict.file, verdict.line, verdict.ignored} == wanted));
    }
}

}  // namespace

TEST_CASE("ignore rules agree with git on random trees and random patterns") {
    const support::TempDir scratch;
    if (git(scratch, scratch.path(), {"--version"}) != 0) support::skip_without("git");
    const std::uint64_t seed = Catch::getSeed();
    const std::uint64_t rounds = std::getenv("DRAWHITCH_LONG") != nullptr ? 3000 : 150;
    for (std::uint64_t round = 0; round < rounds; ++round)
        one_round(seed * 1000 + round);
}
