#include "core/config/load_project.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using config::load_project;

namespace {

const std::string k_full = R"(schema = 1
project = "mnist"
profile = "generic-ssh"
box = "b1"
persist = ["data", "cache/hf"]

[out]
must = ["best/**", "ckpt-*/"]
nice = ["tb/**"]
scratch = ["tmp/**"]

[links]
imagenet = "/data/imagenet"

[push]
exclude = ["*.bin"]
allow_secrets = ["conf/.env"]
max_file_mb = 5
max_total_mb = 50
fix_eol = true
outside_links = "copy"
special_files = "error"

[env]
activate = "source .venv/bin/activate"
setup = "make env"
key_files = ["requirements.txt"]
pass = ["WANDB_API_KEY"]
record = ["SEED"]

[env.vars]
SEED = "7"

[run]
grace_s = 60
keep_on = "durable"
on_settled = "cp -r {unit} /bucket"

[pull]
dir = "results"
verify_cmd = ["python3", "check.py"]

[guard]
budget = 20
deadline_h = 8.5
idle_min = 30

[notify]
command = ["notify-send", "drawhitch"]

[connection]
transport = "ssh"
max_connections = 2
connect_timeout_s = 10
stall_timeout_s = 30
poll_s = 20
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string messages(const std::vector<config::Problem>& problems) {
    std::string text;
    for (const auto& problem : problems)
        text += problem.text() + "\n";
    return text;
}

}  // namespace

TEST_CASE("a project file with every key is read as it is written") {
    const auto loaded = load_project(k_full, "drawhitch.toml");
    INFO(messages(loaded.problems));
    REQUIRE(loaded.ok());
    const model::Project& project = loaded.value;
    CHECK(project.name == "mnist");
    REQUIRE(project.out.size() == 4);
    CHECK(project.out[0].pattern == "best/**");
    CHECK(project.out[0].wanted == model::RosterClass::must);
    CHECK(project.out[3].wanted == model::RosterClass::scratch);
    CHECK(project.links.at(0).target == "/data/imagenet");
    CHECK(project.persist == std::vector<std::string>{"data", "cache/hf"});
    CHECK(project.push.max_file_bytes == 5'000'000);
    CHECK(project.push.outside_links == model::OutsideLinks::copy);
    CHECK(project.push.special_files == model::SpecialFiles::error);
    CHECK(project.env.vars.at("SEED") == "7");
    CHECK(project.run.grace_s == 60);
    CHECK(project.pull.dir == "results");
    CHECK(project.guard.budget == 20.0);
    CHECK(project.guard.idle_min == 30);
    CHECK(project.connection.transport == model::TransportKind::ssh);
    CHECK(project.connection.poll_s == 20);
}

TEST_CASE("keys that are not acted on yet are warned about by name") {
    const std::string text = messages(load_project(k_full, "drawhitch.toml").warnings);
    for (const std::string key : {"guard", "notify", "run.keep_on", "run.on_settled"}) {
        CHECK(text.find("'" + key + "' is understood") != std::string::npos);
    }
    CHECK(load_project("project = \"x\"", "drawhitch.toml").warnings.empty());
}

TEST_CASE("the template that adopt writes loads, and so does every line of it that is commented out") {
    const std::string text = support::read_file(support::source_dir() + "/templates/drawhitch.toml");
    const auto loaded = load_project(text, "drawhitch.toml");
    INFO(messages(loaded.problems));
    CHECK(loaded.ok());
    CHECK(loaded.warnings.empty());
    std::string awake;
    std::size_t keys = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (line.size() > 1 && line[0] == '#' && line[1] != ' ') {
            line.erase(0, 1);
            ++keys;
        }
        awake += line + "\n";
        at = end + 1;
    }
    const auto all = load_project(awake, "drawhitch.toml");
    INFO(awake << messages(all.problems));
    CHECK(all.ok());
    CHECK(keys > 20);
}

TEST_CASE("docs/project-file.md explains every key of the project file") {
    const std::string page = support::read_file(support::source_dir() + "/docs/project-file.md");
    std::size_t keys = 0;
    for (std::size_t at = 0; at < k_full.size();) {
        const std::size_t end = k_full.find('\n', at);
        const std::string line = k_full.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = line.find(" = ");
        if (equals == std::string::npos || line.starts_with("SEED") || line.starts_with("imagenet")) continue;
        INFO(line);
        CHECK(page.find("`" + line.substr(0, equals) + "`") != std::string::npos);
        ++keys;
    }
    CHECK(keys > 30);
}

TEST_CASE("a problem of a project file is told at its place, in words that name the key") {
    struct Row {
        std::string from{};
        std::string to{};
        std::string message{};
    };
    const std::vector<Row> rows = {
        {"project = \"mnist\"", "project = \"a/b\"", "drawhitch.toml:2:11: 'project' 'a/b' may hold letters"},
        {"box = \"b1\"", "box = \"-x\"", "'box' '-x' may hold"},
        {"\"cache/hf\"", "\"../hf\"", "drawhitch.toml:5:20: '../hf' must be a relative path"},
        {"\"cache/hf\"", "\"/abs\"", "must be a relative path"},
        {"\"best/**\"", "\"*.{pt,json}\"", "contains a brace: braces are not expanded"},
        {"must =", "mustt =", "unknown key 'out.mustt', did you mean 'must'?"},
        {"imagenet = \"/data/imagenet\"", "imagenet = \"data\"", "link target 'data' is neither absolute nor under ~"},
        {"imagenet =", "\"../up\" =", "'../up' must be a relative path"},
        {"imagenet =", "data =", "'data' is in 'persist' and in 'links'"},
        {"max_file_mb = 5", "max_file_mb = 0", "'push.max_file_mb' is 0, but must lie between 1"},
        {"outside_links = \"copy\"", "outside_links = \"folow\"", "did you mean 'follow'? (one of skip copy follow)"},
        {"activate = \"source .venv/bin/activate\"", "activate = \"a\\nb\"", "must be one line"},
        {"pass = [\"WANDB_API_KEY\"]", "pass = [\"A-B\"]", "'A-B' is no name of an environment variable"},
        {"SEED = \"7\"", "SEED = 7", "'env.vars' must hold strings, but 'SEED' is an integer"},
        {"SEED = \"7\"", "OPENAI_API_KEY = \"x\"", "looks like a secret"},
        {"keep_on = \"durable\"", "keep_on = \"disk\"", "knows \"durable\" only"},
        {"dir = \"results\"", "dir = \"/home/user/.ssh\"", "must be a relative path"},
        {"dir = \"results\"", "dir = \"../elsewhere\"", "must be a relative path"},
        {"verify_cmd = [\"python3\", \"check.py\"]", "verify_cmd = \"python3 check.py\"",
         "must be an array, not a string"},
        {"verify_cmd = [\"python3\", \"check.py\"]", "verify_cmd = [\"\"]", "names no program"},
        {"[guard]", "[stages]\n[guard]", "unknown key 'stages'"},
        {"schema = 1", "base_url = \"http://x\"", "unknown key 'base_url'"},
        {"transport = \"ssh\"", "transport = \"telnet\"", "'connection.transport' knows no 'telnet'"},
    };
    for (const Row& row : rows) {
        const auto loaded = load_project(replaced(k_full, row.from, row.to), "drawhitch.toml");
        INFO(row.to << "\n" << messages(loaded.problems));
        CHECK_FALSE(loaded.ok());
        CHECK(messages(loaded.problems).find(row.message) != std::string::npos);
    }
}

TEST_CASE("exactly the keys of the trust rule wait for trust, and without it nothing of them is in force") {
    const model::Project project = load_project(k_full, "drawhitch.toml").value;
    std::vector<std::string> keys;
    for (const auto& item : config::keys_needing_trust(project))
        keys.push_back(item.key);
    CHECK(keys == std::vector<std::string>{"pull.verify_cmd", "run.on_settled", "notify.command", "env.pass",
                                           "push.allow_secrets", "push.outside_links"});
    const model::Project bare = config::without_untrusted(project);
    CHECK(config::keys_needing_trust(bare).empty());
    CHECK(bare.name == "mnist");
    CHECK(bare.env.activate == project.env.activate);
    CHECK(bare.push.outside_links == model::OutsideLinks::skip);
    CHECK(config::keys_needing_trust(model::Project{}).empty());
}

TEST_CASE("what is trusted changes with the file's place, any key and any byte of it, and with nothing else") {
    const auto text = [](const std::string& toml, std::string_view file = "/p/drawhitch.toml") {
        const auto loaded = load_project(toml, "drawhitch.toml");
        REQUIRE(loaded.ok());
        return config::trust_text(file, config::keys_needing_trust(loaded.value));
    };
    const std::string base = text(k_full);
    CHECK(base == text(replaced(k_full, "grace_s = 60", "grace_s = 61")));
    const std::vector<std::string> others = {
        text(k_full, "/q/drawhitch.toml"),
        text(replaced(k_full, "\"python3\", \"check.py\"", "\"python3 check.py\"")),
        text(replaced(k_full, "\"python3\", \"check.py\"", "\"python3\", \"check.py\", \"\"")),
        text(replaced(k_full, "cp -r {unit} /bucket", "cp -r {unit} /buckeT")),
        text(replaced(k_full, "[\"WANDB_API_KEY\"]", "[]")),
        text(replaced(k_full, "[\"conf/.env\"]", "[\"**\"]")),
        text(replaced(k_full, "outside_links = \"copy\"", "outside_links = \"follow\"")),
        text(replaced(k_full, "[\"notify-send\", \"drawhitch\"]", "[\"notify-send\"]")),
    };
    std::set<std::string> different(others.begin(), others.end());
    different.insert(base);
    CHECK(different.size() == others.size() + 1);
}

TEST_CASE("a directory's name becomes a usable project name") {
    CHECK(config::name_from_directory("/home/u/mnist") == "mnist");
    CHECK(config::name_from_directory("/home/u/my project!/") == "my-project-");
    CHECK(config::name_from_directory("/home/u/.hidden") == "hidden");
    CHECK(config::name_from_directory("/home/u/\xe6\x96\x87") == "project");
    CHECK(config::name_from_directory("/") == "project");
}

TEST_CASE("no prefix of a project file does more than make problems") {
    for (std::size_t size = 0; size < k_full.size(); ++size) {
        const auto loaded = load_project(std::string_view(k_full).substr(0, size), "cut.toml");
        (void)config::trust_text("/x", config::keys_needing_trust(loaded.value));
    }
    std::string deep(5000, '[');
    CHECK_FALSE(load_project("a = " + deep, "deep.toml").ok());
}
