#include "cli/parser.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "cli/registry.hpp"
#include "support/paths.hpp"

using namespace drawhitch;
using namespace drawhitch::cli;

namespace {

Result<Outcome> nothing(Context&, const Parsed&) {
    return Outcome{};
}

const Registry& registry() {
    static const Registry k_registry{{
        CommandRow{.verb = "pull",
                   .aliases = {"fetch-all"},
                   .positionals = {{.name = "BOX", .box_optional = true}, {.name = "PATTERN", .arity = Arity::any}},
                   .options = {{.names = "-o,--out", .kind = OptionKind::list, .metavar = "PATTERN"},
                               {.names = "--newest", .kind = OptionKind::integer, .metavar = "N"},
                               {.names = "--grace", .kind = OptionKind::duration, .metavar = "TIME"},
                               {.names = "--limit", .kind = OptionKind::bytes, .metavar = "SIZE"},
                               {.names = "--to", .kind = OptionKind::path, .metavar = "DIR"},
                               {.names = "-f,--follow"}},
                   .handler = nothing},
        CommandRow{.verb = "run",
                   .positionals = {{.name = "BOX"}},
                   .options = {{.names = "--name", .kind = OptionKind::text, .metavar = "NAME", .required = true}},
                   .trailing = "COMMAND [ARG…]",
                   .trailing_required = true,
                   .handler = nothing},
        CommandRow{.verb = "profile ls", .handler = nothing},
        CommandRow{.verb = "profile show", .positionals = {{.name = "NAME"}}, .handler = nothing},
    }};
    return k_registry;
}

Environment environment(std::map<std::string, std::string> variables = {}) {
    return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto at = variables.find(name);
        return at == variables.end() ? std::nullopt : std::optional{at->second};
    };
}

Result<Invocation> parsed(const std::vector<std::string>& words, const Environment& variables = environment()) {
    TRY_ASSIGN(const Located located, locate(registry(), words));
    REQUIRE(located.row != nullptr);
    return parse(located, variables);
}

Error refused(const std::vector<std::string>& words, const Environment& variables = environment()) {
    auto result = parsed(words, variables);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::usage);
    CHECK_FALSE(result.error().next.empty());
    return result.error();
}

}  // namespace

TEST_CASE("global flags stand before or after the verb") {
    for (const auto& words : std::vector<std::vector<std::string>>{{"--json", "-C", "/tmp", "pull", "b1"},
                                                                   {"pull", "--json", "b1", "-C", "/tmp"},
                                                                   {"pull", "b1", "-C/tmp", "--json"},
                                                                   {"--directory=/tmp", "pull", "--json", "b1"}}) {
        const auto result = parsed(words);
        REQUIRE(result);
        CHECK(result->globals.json);
        CHECK(result->globals.directory == "/tmp");
        CHECK(result->parsed.words() == std::vector<std::string>{"b1"});
    }
}

TEST_CASE("short flags may share a dash and repeat") {
    const auto result = parsed({"-qvv", "pull", "-vf"});
    REQUIRE(result);
    CHECK(result->globals.quiet);
    CHECK(result->globals.verbose == 3);
    CHECK(result->parsed.flag("follow"));
}

TEST_CASE("each kind of option comes out typed") {
    const auto result = parsed({"pull", "b1", "--out", "a/*", "-o", "b", "--newest", "-3", "--grace=90s", "--limit",
                                "1.5GiB", "--to", "dir\xFF", "x", "y"});
    REQUIRE(result);
    const Parsed& got = result->parsed;
    CHECK(got.list("out") == std::vector<std::string>{"a/*", "b"});
    CHECK(got.integer("newest") == -3);
    CHECK(got.duration("grace") == milliseconds{90'000});
    CHECK(got.bytes("limit") == 1'610'612'736U);
    CHECK(got.text("to") == "dir\xFF");
    CHECK_FALSE(got.flag("follow"));
    CHECK(got.words() == std::vector<std::string>{"b1", "x", "y"});
}

TEST_CASE("an option that takes one word never swallows the arguments behind it") {
    const auto result = parsed({"pull", "--out", "a", "b1", "x"});
    REQUIRE(result);
    CHECK(result->parsed.list("out") == std::vector<std::string>{"a"});
    CHECK(result->parsed.words() == std::vector<std::string>{"b1", "x"});
}

TEST_CASE("everything after -- is the command, untouched") {
    const auto result = parsed({"run", "b1", "--name", "r1", "--", "python", "train.py", "--json", "--", "-x"});
    REQUIRE(result);
    CHECK(result->parsed.trailing() == std::vector<std::string>{"python", "train.py", "--json", "--", "-x"});
    CHECK_FALSE(result->globals.json);
}

TEST_CASE("for a verb without a command -- ends the options") {
    const auto result = parsed({"pull", "b1", "--", "-odd-name"});
    REQUIRE(result);
    CHECK(result->parsed.words() == std::vector<std::string>{"b1", "-odd-name"});
}

TEST_CASE("families have two words, with flags between them if you like") {
    const auto result = parsed({"profile", "--json", "show", "lambda"});
    REQUIRE(result);
    CHECK(result->parsed.row().verb == "profile show");
    CHECK(result->parsed.arguments().one("NAME") == "lambda");
    const auto located = locate(registry(), {"profile", "--help"});
    REQUIRE(located);
    CHECK(located->family == "profile");
    CHECK(located->help);
}

TEST_CASE("what is wrong is named, with a suggestion and the next command") {
    const Error option = refused({"pull", "--folow"});
    CHECK(option.message == "pull has no option \"--folow\"");
    CHECK(option.why == "did you mean --follow?");
    CHECK(option.next == "drawhitch help pull");
    CHECK(refused({"pull", "--jsn"}).why == "did you mean --json?");
    CHECK(refused({"pull", "--newest", "many"}).message == "--newest takes a whole number, not \"many\"");
    CHECK(refused({"pull", "--grace", "5 minutes"}).message.starts_with("--grace takes a duration"));
    CHECK(refused({"pull", "--limit", "-1"}).message.starts_with("--limit "));
    CHECK(refused({"pull", "--to", "a", "--to", "b"}).message == "--to is given twice");
    CHECK(refused({"pull", "--to"}).message == "--to needs a value");
    CHECK(refused({"run", "b1", "--", "x"}).message == "run needs --name NAME");
    CHECK(refused({"run", "b1", "--name", "r"}).message == "run needs a command after --: -- COMMAND [ARG…]");
    CHECK(refused({"run", "--name", "r", "--", "x"}).message == "run needs BOX");
    CHECK(refused({"run", "b1", "b2", "--name", "r", "--", "x"}).message == "run takes no argument \"b2\"");
    CHECK(refused({"pull", "--color", "blue"}).message == "--color is one of auto, always, never; not \"blue\"");
}

TEST_CASE("an unknown verb or member of a family is told with its neighbours") {
    const auto verb = locate(registry(), {"pul", "b1"});
    REQUIRE_FALSE(verb);
    CHECK(verb.error().why == "did you mean pull?");
    CHECK(verb.error().next == "drawhitch help pull");
    const auto member = locate(registry(), {"profile", "shwo"});
    REQUIRE_FALSE(member);
    CHECK(member.error().message == "profile has no command \"shwo\"; it has ls, show");
    CHECK(member.error().why == "did you mean profile show?");
    const auto odd = locate(registry(), {"\x1b[31m"});
    REQUIRE_FALSE(odd);
    CHECK(odd.error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("variables stand in for flags, and what is typed wins") {
    const auto result = parsed({"pull", "--timeout", "5m"}, environment({{"DRAWHITCH_JSON", "yes"},
                                                                         {"DRAWHITCH_VERBOSE", "2"},
                                                                         {"DRAWHITCH_TIMEOUT", "1h"},
                                                                         {"DRAWHITCH_QUIET", "0"},
                                                                         {"DRAWHITCH_COLOR", "never"},
                                                                         {"DRAWHITCH_PROFILE", ""}}));
    REQUIRE(result);
    CHECK(result->globals.json);
    CHECK(result->globals.verbose == 2);
    CHECK(result->globals.timeout == milliseconds{300'000});
    CHECK_FALSE(result->globals.quiet);
    CHECK(result->globals.color == term::ColorMode::never);
    CHECK_FALSE(result->globals.profile);
    CHECK(refused({"pull"}, environment({{"DRAWHITCH_YES", "perhaps"}})).next == "unset DRAWHITCH_YES");
    CHECK(refused({"pull"}, environment({{"DRAWHITCH_TIMEOUT", "soon"}})).next == "unset DRAWHITCH_TIMEOUT");
    CHECK(refused({"pull"}, environment({{"DRAWHITCH_COLOR", "red"}})).next == "unset DRAWHITCH_COLOR");
}

TEST_CASE("BOX may be left out when the project has one") {
    const std::vector<std::string> known{"b1", "box-2"};
    const auto resolve = [&](const std::vector<std::string>& words, const std::optional<std::string>& project) {
        auto result = parsed(words);
        REQUIRE(result);
        return resolve_box(result->parsed, project, known);
    };
    const auto named = resolve({"pull", "box-2", "x"}, "b1");
    REQUIRE(named);
    CHECK(named->box == "box-2");
    CHECK(named->rest.many("PATTERN") == std::vector<std::string>{"x"});
    const auto from_project = resolve({"pull", "x", "y"}, "b1");
    REQUIRE(from_project);
    CHECK(from_project->box == "b1");
    CHECK(from_project->rest.many("PATTERN") == std::vector<std::string>{"x", "y"});
    const auto missing = resolve({"pull"}, std::nullopt);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Code::usage);
    const auto unknown = resolve({"pull", "bx1"}, std::nullopt);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == Code::not_found);
    CHECK(unknown.error().why == "did you mean b1?");
}

TEST_CASE("every command of the program can be built into the parser and has what help needs") {
    const Registry all = all_commands();
    for (const CommandRow& row : all.rows()) {
        CAPTURE(row.verb);
        CHECK(row.handler != nullptr);
        CHECK_FALSE(row.summary.empty());
        CHECK_FALSE(row.summary.ends_with('.'));
        CHECK((row.hidden || !row.examples.empty()));
        Located located{.row = &row};
        located.words = {"--no-such-option"};
        const auto result = parse(located, environment());
        REQUIRE_FALSE(result);
        CHECK(result.error().message.ends_with("has no option \"--no-such-option\""));
        for (std::size_t i = 0; i + 1 < row.positionals.size(); ++i) {
            CHECK(row.positionals[i].arity != Arity::any);
            CHECK(row.positionals[i].arity != Arity::many);
        }
        for (const PositionalRow& positional : row.positionals) {
            CHECK((!positional.box_optional || &positional == &row.positionals.front()));
        }
        CHECK(all.find(row.verb) == &row);
        for (const std::string_view alias : row.aliases)
            CHECK(all.find(alias) == &row);
    }
}

TEST_CASE("every profile that an example of the help names is shipped") {
    int named = 0;
    const Registry all = all_commands();
    for (const CommandRow& row : all.rows()) {
        for (const auto& example : row.examples) {
            const std::string text{example.command};
            constexpr std::string_view k_flag = "--profile ";
            for (std::size_t at = text.find(k_flag); at != std::string::npos; at = text.find(k_flag, at + 1)) {
                const std::size_t start = at + k_flag.size();
                const std::string id = text.substr(start, text.find(' ', start) - start);
                CAPTURE(text);
                CHECK(::access((support::source_dir() + "/profiles/" + id + ".toml").c_str(), R_OK) == 0);
                ++named;
            }
        }
    }
    CHECK(named > 0);
}

TEST_CASE("config.toml fills in what was neither typed nor said by a variable") {
    model::Settings settings;
    settings.plain = true;
    settings.no_input = true;
    settings.color = model::Color::never;
    settings.timeout_s = 90;
    settings.profile = "lambda";
    const Environment variables = environment({{"DRAWHITCH_NO_INPUT", "0"}, {"DRAWHITCH_PROFILE", ""}});
    const auto result = parsed({"pull", "--timeout", "5s"}, variables);
    REQUIRE(result);
    const Globals globals = with_settings(result->globals, result->typed, variables, settings);
    CHECK(globals.plain);
    CHECK_FALSE(globals.no_input);
    CHECK(globals.color == term::ColorMode::never);
    CHECK(globals.timeout == milliseconds{5000});
    CHECK(globals.profile == "lambda");
}
