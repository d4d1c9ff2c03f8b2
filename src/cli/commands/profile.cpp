// profile ls, profile show, profile check.
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "core/config/dirs.hpp"
#include "core/config/load_profile.hpp"
#include "core/model/words.hpp"
#include "io/disk/config_file.hpp"
#include "io/disk/profile_store.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Align;
using term::Cell;
using term::Json;

using LoadedProfile = config::Loaded<model::Profile>;

Result<disk::ProfileStore> open_store(const Context& context) {
    TRY_ASSIGN(const config::Dirs dirs, config::find_dirs(context.environment));
    return disk::ProfileStore{dirs.config};
}

LoadedProfile load(const disk::ProfileText& text) {
    return config::load_profile(text.text, printable(text.file), text.id);
}

std::string_view source_of(const disk::ProfileText& text) {
    if (text.built_in) return "built in";
    return text.overrides ? "yours, above the built-in one" : "yours";
}

// A list as words for people and an array for machines.
Cell list_cell(const std::vector<std::string>& words) {
    Json list = Json::array();
    for (const std::string& word : words)
        list.push(word);
    Cell cell = Cell::value(std::move(list), words.empty() ? "-" : join(words, ", "));
    if (words.empty()) cell.plain.clear();
    cell.words = true;
    return cell;
}

template <class E>
Cell words_cell(const std::vector<E>& values) {
    std::vector<std::string> words;
    words.reserve(values.size());
    for (const E value : values)
        words.emplace_back(model::word_of(value));
    return list_cell(words);
}

Cell fact_cell(const std::string& text) {
    return text.empty() ? Cell::none() : Cell::text(text);
}

std::string day(model::Date date) {
    const std::string month = (date.month < 10 ? "0" : "") + std::to_string(date.month);
    return std::to_string(date.year) + "-" + month + "-" + (date.day < 10 ? "0" : "") + std::to_string(date.day);
}

const std::vector<term::Column>& profile_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "id", .title = "PROFILE"},
        {.key = "name", .title = "PLATFORM", .may_shrink = true},
        {.key = "kind", .title = "KIND", .drops = 2},
        {.key = "verified_on", .title = "VERIFIED", .drops = 1},
        {.key = "confidence", .title = "CONFIDENCE", .drops = 3},
        {.key = "source", .title = "SOURCE"},
        {.key = "problems", .title = "PROBLEMS", .align = Align::right},
    };
    return k_columns;
}

Result<Outcome> run_profile_ls(Context& context, const Parsed&) {
    TRY_ASSIGN(const disk::ProfileStore store, open_store(context));
    TRY_ASSIGN(const auto ids, store.ids());
    term::RowWriter rows = context.out.rows("profiles", profile_columns());
    for (const std::string& id : ids) {
        TRY_ASSIGN(const disk::ProfileText text, store.read(id));
        const LoadedProfile loaded = load(text);
        const model::Platform& platform = loaded.value.platform;
        rows.add({Cell::text(id), Cell::text(platform.name), Cell::text(model::word_of(platform.kind)),
                  Cell::text(day(platform.verified_on)), Cell::text(model::word_of(platform.confidence)),
                  Cell::text(source_of(text)), Cell::integer(static_cast<std::int64_t>(loaded.problems.size()))});
        if (!loaded.ok()) context.op.warn(id + " cannot be used: type drawhitch profile check " + id);
    }
    return Outcome{};
}

// The survival matrix: what of each tier is left after each kind of end.
Cell fate(const model::Storage& tier, model::Downtime event) {
    const bool kept = model::survives(tier, event);
    return Cell::value(term::Json{kept}, kept ? "kept" : "LOST");
}

void show_storage(term::Output& out, const model::Profile& profile) {
    term::RowWriter rows = out.rows("storage", {{.key = "name", .title = "STORAGE"},
                                                {.key = "path", .title = "PATH", .apart = true},
                                                {.key = "role", .title = "ROLE", .apart = true},
                                                {.key = "restart", .title = "RESTART"},
                                                {.key = "stop", .title = "STOP"},
                                                {.key = "terminate", .title = "TERMINATE"},
                                                {.key = "scope", .title = "SCOPE", .drops = 1}});
    for (const model::Storage& tier : profile.storage) {
        rows.add({Cell::text(tier.name), fact_cell(tier.path), words_cell(tier.role),
                  fate(tier, model::Downtime::restart), fate(tier, model::Downtime::stop),
                  fate(tier, model::Downtime::terminate), Cell::text(model::word_of(tier.scope))});
    }
}

void show_verbs(term::Output& out, const model::Profile& profile) {
    term::RowWriter rows = out.rows("verbs", {{.key = "verb", .title = "VERB"},
                                              {.key = "stops", .title = "STOPS PAYING FOR"},
                                              {.key = "destroys", .title = "DESTROYS", .apart = true},
                                              {.key = "leaves_billing", .title = "LEAVES BILLING", .apart = true},
                                              {.key = "reversible", .title = "REVERSIBLE", .drops = 1},
                                              {.key = "manual", .title = "BY HAND", .wraps = true, .apart = true}});
    for (const model::MeterVerb& verb : profile.meter.verbs) {
        rows.add({Cell::text(model::word_of(verb.name)), words_cell(verb.stops), list_cell(verb.destroys),
                  list_cell(verb.leaves_billing), Cell::boolean(verb.reversible), fact_cell(verb.manual)});
    }
}

void show_clocks(term::Output& out, const model::Profile& profile) {
    term::RowWriter rows = out.rows("clocks", {{.key = "name", .title = "CLOCK"},
                                               {.key = "starts_on", .title = "STARTS"},
                                               {.key = "after_h", .title = "AFTER HOURS", .align = Align::right},
                                               {.key = "effect", .title = "EFFECT"},
                                               {.key = "confidence", .title = "CONFIDENCE", .drops = 1}});
    for (const model::DangerClock& clock : profile.clocks) {
        const Json hours = clock.after_h < 0 ? Json{} : Json{clock.after_h};
        rows.add({Cell::text(clock.name), Cell::text(model::word_of(clock.starts_on)),
                  Cell::value(hours, clock.after_h < 0 ? "unknown" : hours.dump()),
                  Cell::text(model::word_of(clock.effect)), Cell::text(model::word_of(clock.confidence))});
    }
}

void show_gotchas(term::Output& out, const model::Profile& profile) {
    term::RowWriter rows = out.rows("gotchas", {{.key = "id", .title = "GOTCHA"},
                                                {.key = "symptom", .title = "YOU SEE", .may_shrink = true},
                                                {.key = "when", .title = "WHEN"},
                                                {.key = "act", .title = "THEN"},
                                                {.key = "text", .title = "WHAT IT IS", .wraps = true, .apart = true}});
    for (const model::Gotcha& gotcha : profile.gotchas) {
        rows.add({Cell::text(gotcha.id), Cell::text(gotcha.symptom), Cell::text(model::word_of(gotcha.when)),
                  Cell::text(model::word_of(gotcha.act)), Cell::text(gotcha.text)});
    }
}

// Facts age: a third of their allowed age is a reason to look again.
void warn_about_age(const Context& context, const std::string& id, const model::Platform& platform) {
    const int age = config::age_days(platform.verified_on, context.op.clock.wall());
    if (age * 3 <= platform.max_age_d) return;
    const bool too_old = age > platform.max_age_d;
    context.op.warn(printable(id) + ": its facts were verified " + std::to_string(age) + " days ago" +
                    (too_old ? ", too long ago to destroy anything unattended" : "; see whether they still hold"));
}

void show_facts(Context& context, const disk::ProfileText& text, const model::Profile& profile) {
    term::Output& out = context.out;
    const model::Platform& platform = profile.platform;
    out.value("id", "profile", Cell::text(text.id));
    out.value("name", "platform", Cell::text(platform.name));
    out.value("kind", "kind", Cell::text(model::word_of(platform.kind)));
    out.value("source", "source", Cell::text(source_of(text)));
    out.value("file", "file", Cell::name(text.file));
    out.value("verified_on", "verified on", Cell::text(day(platform.verified_on)));
    out.value("age_days", "age in days",
              Cell::integer(config::age_days(platform.verified_on, context.op.clock.wall())));
    out.value("confidence", "confidence", Cell::text(model::word_of(platform.confidence)));
    out.value("currency", "currency", Cell::text(platform.currency));
    out.value("user", "login", fact_cell(profile.ssh.user));
    out.value("data_dir", "data", fact_cell(profile.paths.data_dir));
    out.value("durable_dir", "durable", fact_cell(profile.paths.durable_dir));
    out.value("max_age_days", "good for days", Cell::integer(platform.max_age_d));
    out.value("forgotten_warn_h", "idle hours",
              Cell::value(Json{profile.meter.forgotten_warn_h}, Json{profile.meter.forgotten_warn_h}.dump()));
    out.value("scratch", "scratch", list_cell(profile.paths.scratch));
    out.value("match_hosts", "host names", list_cell(profile.match.hosts));
    out.value("match_env", "variables", list_cell(profile.match.env));
    for (const auto show : {show_storage, show_verbs, show_clocks, show_gotchas}) {
        out.text("");
        show(out, profile);
    }
    warn_about_age(context, text.id, platform);
}

Result<Outcome> run_profile_show(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const disk::ProfileStore store, open_store(context));
    TRY_ASSIGN(const disk::ProfileText text, store.read(parsed.arguments().one("NAME").value_or("")));
    if (parsed.flag("toml")) {
        context.out.raw(text.text);
        context.out.json("toml", text.text);
        return Outcome{};
    }
    LoadedProfile loaded = load(text);
    if (!loaded.ok()) return config::problems_error(loaded.problems).then("drawhitch profile check " + text.id);
    show_facts(context, text, loaded.value);
    return Outcome{};
}

// A name of the store, or the path of a file: what has a slash or ends in .toml is a file.
Result<disk::ProfileText> find_profile(const Context& context, const std::string& what) {
    if (what.find('/') == std::string::npos && !what.ends_with(".toml")) {
        TRY_ASSIGN(const disk::ProfileStore store, open_store(context));
        return store.read(what);
    }
    TRY_ASSIGN(auto file, disk::read_user_file(what));
    if (!file) return Error{Code::not_found, "there is no file " + printable(what)}.then("drawhitch profile ls");
    const std::size_t slash = what.find_last_of('/');
    std::string id = slash == std::string::npos ? what : what.substr(slash + 1);
    if (id.ends_with(".toml")) id.resize(id.size() - 5);
    return disk::ProfileText{.id = std::move(id), .file = what, .text = std::move(file->text)};
}

Result<std::vector<std::string>> checked_names(const Context& context, const Parsed& parsed) {
    std::vector<std::string> names = parsed.arguments().many("PROFILE");
    if (!names.empty()) return names;
    TRY_ASSIGN(const disk::ProfileStore store, open_store(context));
    return store.ids();
}

Result<Outcome> run_profile_check(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto names, checked_names(context, parsed));
    std::vector<config::Problem> problems;
    {
        term::RowWriter rows =
            context.out.rows("profiles", {{.key = "id", .title = "PROFILE"},
                                          {.key = "file", .title = "FILE"},
                                          {.key = "good", .title = "GOOD"},
                                          {.key = "warnings", .title = "WARNINGS", .align = Align::right}});
        for (const std::string& name : names) {
            TRY_ASSIGN(const disk::ProfileText text, find_profile(context, name));
            LoadedProfile loaded = load(text);
            for (const config::Problem& warning : loaded.warnings)
                context.op.warn(warning.text());
            if (loaded.ok()) warn_about_age(context, text.id, loaded.value.platform);
            rows.add({Cell::text(text.id), Cell::name(text.file), Cell::boolean(loaded.ok()),
                      Cell::integer(static_cast<std::int64_t>(loaded.warnings.size()))});
            std::ranges::move(loaded.problems, std::back_inserter(problems));
        }
    }
    if (problems.empty()) return Outcome{};
    return config::problems_error(problems).then("drawhitch help profile check");
}

}  // namespace

CommandRow profile_ls_command() {
    return CommandRow{
        .verb = "profile ls",
        .group = Group::manage,
        .summary = "list the platforms drawhitch knows",
        .examples = {{"drawhitch profile ls", "built-in profiles and yours"}},
        .handler = run_profile_ls,
    };
}

CommandRow profile_show_command() {
    return CommandRow{
        .verb = "profile show",
        .group = Group::manage,
        .summary = "show what a platform destroys and bills, and when",
        .positionals = {{.name = "NAME", .help = "a name from profile ls"}},
        .options = {{.names = "--toml", .help = "the file as it is, to start your own from"}},
        .examples = {{"drawhitch profile show generic-ssh", "its storage, verbs and danger clocks"},
                     {"drawhitch profile show generic-ssh --toml > mine.toml", "a start for your own"}},
        .handler = run_profile_show,
    };
}

CommandRow profile_check_command() {
    return CommandRow{
        .verb = "profile check",
        .group = Group::manage,
        .summary = "check profiles, telling every problem at once",
        .description = "Without an argument all profiles are checked. Problems end it with exit code 2.",
        .positionals = {{.name = "PROFILE", .help = "a name, or the path of a .toml file", .arity = Arity::any}},
        .examples = {{"drawhitch profile check mine.toml", "is my file right?"}},
        .handler = run_profile_check,
    };
}

}  // namespace drawhitch::cli
