#include "core/config/load_project.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/config/profile_checks.hpp"
#include "core/config/shared_sections.hpp"
#include "core/parse/glob.hpp"

namespace drawhitch::config {

namespace {

using model::Project;

// A relative path of plain components, as it may stand under a work tree or a project.
bool is_inner_path(std::string_view path) {
    if (path.empty() || path.starts_with('/') || path.starts_with('~') || path.find('\0') != std::string_view::npos)
        return false;
    const auto parts = split(path, '/');
    return std::none_of(parts.begin(), parts.end(),
                        [](std::string_view part) { return part.empty() || part == "." || part == ".."; });
}

void check_inner_path(Reader& table, const Text& path) {
    if (is_inner_path(path.text)) return;
    table.problem(path.at, "'" + printable(path.text) + "' must be a relative path without '.', '..' and empty parts");
}

void check_plain_name(Reader& table, std::string_view key, std::string_view name) {
    if (!table.has(key)) return;
    if (name.size() > k_called_most)
        table.problem(table.at(key),
                      table.named(key) + " may have at most " + std::to_string(k_called_most) + " bytes");
    if (is_plain_name(name) || name.size() > k_called_most) return;
    table.problem(table.at(key),
                  table.named(key) + " '" + printable(name) +
                      "' may hold letters, digits, '.', '_' and '-' only, and not begin with '.' or '-'");
}

void read_out(Reader table, Project& project) {
    for (const auto wanted : {model::RosterClass::must, model::RosterClass::nice, model::RosterClass::scratch}) {
        for (const Text& pattern : table.texts(model::name_of(wanted))) {
            if (auto glob = parse::Glob::compile(pattern.text); !glob) {
                const Error& error = glob.error();
                table.problem(pattern.at, error.message + (error.why.empty() ? "" : ": " + error.why));
            }
            project.out.push_back(model::RosterItem{pattern.text, wanted});
        }
    }
    table.finish();
}

void read_links(Reader& root, Project& project) {
    for (const auto& [name, target] : root.text_table("links")) {
        check_inner_path(root, Text{name, target.at});
        if (const std::string why = bad_box_path(target.text); !why.empty()) {
            root.problem(target.at, "link target '" + printable(target.text) + "' " + why);
        }
        const bool persisted = std::find(project.persist.begin(), project.persist.end(), name) != project.persist.end();
        if (persisted) root.problem(target.at, "'" + printable(name) + "' is in 'persist' and in 'links'");
        project.links.push_back(model::Link{name, target.text});
    }
}

void read_push(Reader table, Project& project) {
    constexpr std::uint64_t k_mb = 1'000'000;
    model::PushRules& push = project.push;
    push.exclude = plain(table.texts("exclude"));
    for (const Text& pattern : table.texts("allow_secrets")) {
        if (auto glob = parse::Glob::compile(pattern.text); !glob) table.problem(pattern.at, glob.error().message);
        push.allow_secrets.push_back(pattern.text);
    }
    const auto megabytes = [&](std::string_view key, std::uint64_t bytes) {
        return static_cast<std::uint64_t>(
                   table.integer(key, static_cast<std::int64_t>(bytes / k_mb), {1, 1'000'000'000})) *
               k_mb;
    };
    push.max_file_bytes = megabytes("max_file_mb", push.max_file_bytes);
    push.max_total_bytes = megabytes("max_total_mb", push.max_total_bytes);
    push.fix_eol = table.flag("fix_eol", push.fix_eol);
    push.outside_links = table.word("outside_links", push.outside_links);
    push.special_files = table.word("special_files", push.special_files);
    table.finish();
}

void read_env(Reader table, Project& project) {
    model::EnvRules& env = project.env;
    env.activate = table.text("activate");
    if (env.activate.find('\n') != std::string::npos) {
        table.problem(table.at("activate"), "'env.activate' must be one line: it is part of the visible command");
    }
    env.setup = table.text("setup");
    for (const Text& file : table.texts("key_files")) {
        check_inner_path(table, file);
        env.key_files.push_back(file.text);
    }
    for (const Text& name : table.texts("pass")) {
        check_env_name(table, name);
        env.pass.push_back(name.text);
    }
    for (const Text& name : table.texts("record")) {
        check_env_name(table, name);
        env.record.push_back(name.text);
    }
    for (const auto& [name, value] : table.text_table("vars")) {
        check_env_entry(table, name, value);
        env.vars[name] = value.text;
    }
    table.finish();
}

void read_run(Reader table, Project& project) {
    model::RunRules& run = project.run;
    run.grace_s = static_cast<int>(table.integer("grace_s", run.grace_s, {0, 86400}));
    run.keep_on = table.text("keep_on");
    if (!run.keep_on.empty() && run.keep_on != "durable") {
        table.problem(table.at("keep_on"), "'run.keep_on' knows \"durable\" only");
    }
    run.on_settled = table.text("on_settled");
    table.finish();
}

void read_pull(Reader table, Project& project) {
    model::PullRules& pull = project.pull;
    pull.dir = table.text("dir", pull.dir);
    if (table.has("dir")) check_inner_path(table, Text{pull.dir, table.at("dir")});
    pull.verify_cmd = read_argv(table, "verify_cmd");
    pull.verify_timeout_s = static_cast<int>(table.integer("verify_timeout_s", pull.verify_timeout_s, {1, 604'800}));
    table.finish();
}

void read_guard(Reader table, Project& project) {
    model::Guard& guard = project.guard;
    guard.budget = table.optional_number("budget", {0, 1e9});
    guard.deadline_h = table.optional_number("deadline_h", {0, 1e6});
    guard.idle_min = table.optional_integer("idle_min", {1, 1'000'000});
    table.finish();
}

// Keys of the contract that later versions act on. Whoever sets one must hear that nothing happens yet.
void warn_about_sleeping_keys(Reader& root, const Project& project) {
    const auto warn = [&](Position at, std::string_view key) {
        root.warn(at, "'" + std::string(key) + "' is understood, but this version does not act on it yet");
    };
    if (root.has("guard")) warn(root.at("guard"), "guard");
    if (root.has("notify")) warn(root.at("notify"), "notify");
    if (!project.env.setup.empty()) warn(root.at("env"), "env.setup");
    if (!project.env.key_files.empty()) warn(root.at("env"), "env.key_files");
    if (!project.run.keep_on.empty()) warn(root.at("run"), "run.keep_on");
    if (!project.run.on_settled.empty()) warn(root.at("run"), "run.on_settled");
}

void read_all(Reader& root, Project& project) {
    (void)root.integer("schema", 1, {1, 1});
    project.name = root.text("project");
    check_plain_name(root, "project", project.name);
    project.profile = root.text("profile");
    check_plain_name(root, "profile", project.profile);
    project.box = root.text("box");
    check_plain_name(root, "box", project.box);
    for (const Text& path : root.texts("persist")) {
        check_inner_path(root, path);
        project.persist.push_back(path.text);
    }
    read_out(root.table("out"), project);
    read_links(root, project);
    read_push(root.table("push"), project);
    read_env(root.table("env"), project);
    read_run(root.table("run"), project);
    read_pull(root.table("pull"), project);
    read_guard(root.table("guard"), project);
    project.notify_command = read_notify(root);
    project.connection = read_connection(root);
    warn_about_sleeping_keys(root, project);
}

// Each part with its length in front, so that no two lists of parts share a text.
void append_part(std::string& text, std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
}

std::string argv_text(const std::vector<std::string>& argv) {
    std::vector<std::string> words;
    for (const std::string& word : argv) {
        const bool bare = !word.empty() && word.find_first_not_of(
                                               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                               "0123456789._-/=:+,@%") == std::string::npos;
        words.push_back(bare ? word : shell_quote(word));
    }
    return join(words, " ");
}

}  // namespace

Loaded<Project> load_project(std::string_view text, std::string_view file) {
    Log log;
    log.file = file;
    Loaded<Project> loaded;
    const Value document = parse_toml(text, log);
    if (log.problems.empty()) {
        Reader root(document, "", log);
        read_all(root, loaded.value);
        root.finish();
    }
    log.sort();
    loaded.problems = std::move(log.problems);
    loaded.warnings = std::move(log.warnings);
    return loaded;
}

std::vector<TrustItem> keys_needing_trust(const Project& project) {
    std::vector<TrustItem> items;
    if (!project.pull.verify_cmd.empty()) items.push_back({"pull.verify_cmd", argv_text(project.pull.verify_cmd)});
    if (!project.run.on_settled.empty()) items.push_back({"run.on_settled", project.run.on_settled});
    if (!project.notify_command.empty()) items.push_back({"notify.command", argv_text(project.notify_command)});
    if (!project.env.pass.empty()) items.push_back({"env.pass", join(project.env.pass, " ")});
    if (!project.push.allow_secrets.empty()) {
        items.push_back({"push.allow_secrets", argv_text(project.push.allow_secrets)});
    }
    if (project.push.outside_links != model::OutsideLinks::skip) {
        items.push_back({"push.outside_links", std::string(model::word_of(project.push.outside_links))});
    }
    return items;
}

std::string trust_text(std::string_view file, const std::vector<TrustItem>& items) {
    std::string text = "drawhitch trust 1\n";
    append_part(text, file);
    for (const TrustItem& item : items) {
        append_part(text, item.key);
        append_part(text, item.value);
    }
    return text;
}

Project without_untrusted(Project project) {
    project.pull.verify_cmd.clear();
    project.run.on_settled.clear();
    project.notify_command.clear();
    project.env.pass.clear();
    project.push.allow_secrets.clear();
    project.push.outside_links = model::OutsideLinks::skip;
    return project;
}

std::string name_from_directory(std::string_view directory) {
    while (directory.ends_with('/'))
        directory.remove_suffix(1);
    std::string name(directory.substr(directory.rfind('/') + 1));
    for (char& c : name) {
        if (!is_plain_name(std::string_view("a" + std::string(1, c)))) c = '-';
    }
    const std::size_t start = name.find_first_not_of(".-");
    return start == std::string::npos ? "project" : name.substr(start, k_called_most);
}

}  // namespace drawhitch::config
