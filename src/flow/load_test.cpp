#include "flow/load_test.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/text.hpp"
#include "core/model/project.hpp"
#include "core/proto/digest.hpp"
#include "flow/run_files.hpp"
#include "io/disk/write_atomic.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/program.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_place = "{}";
constexpr std::size_t k_shown_lines = 3;
constexpr std::size_t k_shown_of_line = 400;

std::vector<std::string> unit_paths(const std::string& root, const std::string& unit,
                                    const std::vector<std::string>& files) {
    const std::string inside = unit.ends_with('/') ? unit : unit + "/";
    const bool directory =
        !files.empty() && std::ranges::all_of(files, [&](const std::string& file) { return file.starts_with(inside); });
    if (directory) return {root + "/" + inside.substr(0, inside.size() - 1)};
    std::vector<std::string> paths;
    for (const std::string& file : files)
        paths.push_back(root + "/" + file);
    return paths;
}

std::string replaced(std::string word, const std::string& path) {
    for (std::size_t at = word.find(k_place); at != std::string::npos; at = word.find(k_place, at + path.size()))
        word.replace(at, k_place.size(), path);
    return word;
}

// The last lines of what it printed: that is where programs say why they gave up.
std::string last_words(std::string_view tail) {
    std::vector<std::string_view> lines;
    while (!tail.empty() && lines.size() < k_shown_lines) {
        const std::size_t end = tail.rfind('\n');
        const std::string_view line = end == std::string_view::npos ? tail : tail.substr(end + 1);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
        tail = end == std::string_view::npos ? std::string_view{} : tail.substr(0, end);
    }
    std::string text;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        text += (text.empty() ? "" : " | ") + printable(line->substr(0, k_shown_of_line));
    return text;
}

std::string reason_of(const transport::ToolOutcome& outcome, int limit_s) {
    std::string why = "the load test ";
    if (outcome.timed_out) {
        why += "did not end within " + std::to_string(limit_s) + " s (pull.verify_timeout_s)";
    } else if (!outcome.exit.signal.empty()) {
        why += "was ended by signal " + outcome.exit.signal;
    } else {
        why += "ended with exit code " + std::to_string(outcome.exit.code);
    }
    const std::string words = last_words(outcome.tail);
    return words.empty() ? why : why + ": " + words;
}

// A script may change under the same name: what the words name in the project counts with its content.
constexpr std::size_t k_largest_script = 1U << 20U;

void add_word(std::string& text, std::string_view word) {
    text += std::to_string(word.size()) + ":" + std::string{word};
}

ledger::LoadTestKey test_key(const Deps& deps, const std::string& unit, std::span<const model::ManifestEntry> files) {
    std::string subject;
    add_word(subject, unit);
    std::map<std::string_view, std::string_view> roots;  // a pull and a manifest list them in orders of their own
    for (const model::ManifestEntry& file : files)
        roots[file.path] = file.root;
    for (const auto& [path, root] : roots) {
        add_word(subject, path);
        add_word(subject, root);
    }
    std::string command;
    add_word(command, deps.project.directory);
    for (const std::string& word : deps.project.values.pull.verify_cmd) {
        add_word(command, word);
        const std::string path = word.starts_with('/') ? word : deps.project.directory + "/" + word;
        const auto script = disk::read_whole(path, k_largest_script);
        if (script) add_word(command, proto::sha256(*script).hex());
    }
    return {proto::sha256(subject).hex(), proto::sha256(command).hex()};
}

}  // namespace

bool wants_load_test(const Deps& deps, std::string_view unit) {
    return !deps.project.values.pull.verify_cmd.empty() && !unit.starts_with(k_run_prefix);
}

std::vector<std::string> load_test_argv(const std::vector<std::string>& command, const std::string& root,
                                        const std::string& unit, const std::vector<std::string>& files) {
    const std::vector<std::string> paths = unit_paths(root, unit, files);
    std::vector<std::string> argv;
    bool placed = false;
    for (const std::string& word : command) {
        // The program itself is the user's word, never a path of the box.
        if (argv.empty() || word.find(k_place) == std::string::npos) {
            argv.push_back(word);
            continue;
        }
        placed = true;
        for (const std::string& path : paths)
            argv.push_back(replaced(word, path));
    }
    if (!placed) argv.insert(argv.end(), paths.begin(), paths.end());
    return argv;
}

Result<LoadVerdict> load_test(const Op& op, const Deps& deps, const std::string& root, const std::string& unit,
                              const std::vector<std::string>& files) {
    const model::PullRules& rules = deps.project.values.pull;
    const Activity testing{op.events, "load test " + printable(unit), EventUnit::none};
    const auto outcome = transport::run_tool(op, load_test_argv(rules.verify_cmd, root, unit, files),
                                             deps.project.directory, std::chrono::seconds{rules.verify_timeout_s});
    if (!outcome) {
        const Code code = outcome.error().code;
        if (code == Code::cancelled || code == Code::deadline) return outcome.error();
        return LoadVerdict{Loading::not_run,
                           "the load test (pull.verify_cmd) could not be started: " + outcome.error().message};
    }
    const bool good = !outcome->timed_out && outcome->exit.signal.empty() && outcome->exit.code == 0;
    if (good) return LoadVerdict{};
    return LoadVerdict{Loading::failed, reason_of(*outcome, rules.verify_timeout_s)};
}

Result<LoadVerdict> load_test_once(const Op& op, const Deps& deps, const std::string& root, const std::string& unit,
                                   std::span<const model::ManifestEntry> files, bool again) {
    const ledger::LoadTestKey key = test_key(deps, unit, files);
    if (!again) {
        TRY_ASSIGN(const bool passed, deps.ledger.load_test_passed(key));
        if (passed) return LoadVerdict{};
    }
    std::vector<std::string> paths;
    for (const model::ManifestEntry& file : files)
        paths.push_back(file.path);
    TRY_ASSIGN(LoadVerdict verdict, load_test(op, deps, root, unit, paths));
    // A script that was changed while it ran passed nothing under its new content.
    const ledger::LoadTestKey after = test_key(deps, unit, files);
    if (verdict.state == Loading::passed && after.command == key.command) TRY(deps.ledger.add_load_test(key));
    if (verdict.state == Loading::failed) TRY(deps.ledger.forget_load_test(key));
    return verdict;
}

}  // namespace drawhitch::flow
