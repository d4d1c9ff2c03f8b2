#include "cli/completion.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using namespace drawhitch::cli;

namespace {

Result<Outcome> nothing(Context&, const Parsed&) {
    return Outcome{};
}

Completion at(std::vector<std::string> words) {
    static const Registry k_registry{{
        CommandRow{.verb = "pull",
                   .summary = "bring results home",
                   .positionals = {{.name = "BOX", .box_optional = true}, {.name = "PATTERN", .arity = Arity::any}},
                   .options = {{.names = "-o,--out", .kind = OptionKind::path}, {.names = "--follow"}},
                   .trailing = "COMMAND",
                   .handler = nothing},
        CommandRow{.verb = "profile ls", .summary = "list", .handler = nothing},
        CommandRow{.verb = "logs",
                   .positionals = {{.name = "BOX", .box_optional = true}, {.name = "RUN", .arity = Arity::optional}},
                   .hidden = true,
                   .handler = nothing},
        CommandRow{.verb = "cp", .positionals = {{.name = "FROM"}, {.name = "TO"}}, .hidden = true, .handler = nothing},
        CommandRow{.verb = "config get", .positionals = {{.name = "KEY"}}, .hidden = true, .handler = nothing},
        CommandRow{
            .verb = "completion", .positionals = {{.name = "SHELL", .choices = "bash|zsh|fish"}}, .handler = nothing},
        CommandRow{.verb = "secret-verb", .hidden = true, .handler = nothing},
    }};
    using Names = std::vector<std::string>;
    const KnownNames known{.boxes =
                               [] {
                                   return Names{"b1", "box-2"};
                               },
                           .runs =
                               [](const std::string& box) {
                                   return box == "b1" ? Names{"r1", "r2"} : Names{};
                               },
                           .profiles =
                               [] {
                                   return Names{"generic-ssh", "local"};
                               },
                           .settings =
                               [] {
                                   return Names{"color", "connection.poll_s"};
                               }};
    return complete(k_registry, std::move(words), known);
}

std::vector<std::string> words_at(std::vector<std::string> words) {
    std::vector<std::string> found;
    for (const Candidate& candidate : at(std::move(words)).candidates)
        found.push_back(candidate.word);
    return found;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("verbs, families and their members complete, hidden ones do not") {
    CHECK(words_at({"p"}) == Words{"pull", "profile"});
    CHECK(words_at({""}) == Words{"pull", "profile", "completion"});
    CHECK(words_at({"--json", "profile", ""}) == Words{"ls"});
    CHECK(words_at({"nonsense", ""}).empty());
}

TEST_CASE("options complete where options stand, with the global ones") {
    const Words found = words_at({"pull", "--"});
    CHECK(std::ranges::find(found, "--follow") != found.end());
    CHECK(std::ranges::find(found, "--json") != found.end());
    CHECK(std::ranges::find(found, "-o") == found.end());
    CHECK(words_at({"--js"}) == Words{"--json", "--jsonl"});
}

TEST_CASE("values complete by their choices, joined or not, also as bash splits them") {
    CHECK(words_at({"--color", "a"}) == Words{"auto", "always"});
    CHECK(words_at({"pull", "--color=n"}) == Words{"--color=never"});
    CHECK(words_at({"pull", "--color", "=", "n"}) == Words{"--color=never"});
    CHECK(words_at({"pull", "--color", "="}).size() == 3);
    CHECK(words_at({"--timeout", ""}).empty());
    CHECK(at({"pull", "--out", ""}).files);
    CHECK(at({"-C", ""}).files);
}

TEST_CASE("arguments complete by what their row takes") {
    CHECK(words_at({"pull", ""}) == Words{"b1", "box-2"});
    CHECK(words_at({"pull", "--out", "dir", "bo"}) == Words{"box-2"});
    CHECK(at({"pull", "b1", ""}).files);
    CHECK(words_at({"completion", "f"}) == Words{"fish"});
    CHECK(at({"pull", "--", "pyth"}).files);
}

TEST_CASE("runs, profiles, settings and the boxes of cp complete by their names") {
    CHECK(words_at({"logs", "b1", "r"}) == Words{"r1", "r2"});
    CHECK(words_at({"logs", "box-2", ""}).empty());
    CHECK(words_at({"cp", "b"}) == Words{"b1:", "box-2:"});
    CHECK(at({"cp", "b1:x", ""}).files);
    CHECK(words_at({"config", "get", "conn"}) == Words{"connection.poll_s"});
    CHECK(words_at({"logs", "--profile", "l"}) == Words{"local"});
}

TEST_CASE("there is a script for each shell, and for no other") {
    for (const std::string_view shell : {"bash", "zsh", "fish"}) {
        CHECK(completion_script(shell).find("drawhitch __complete -- ") != std::string_view::npos);
    }
    CHECK(completion_script("csh").empty());
}
