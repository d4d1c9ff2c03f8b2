#include "cli/workplace.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/project_file.hpp"
#include "cli/suggest.hpp"
#include "core/config/dirs.hpp"
#include "core/config/load_profile.hpp"
#include "core/config/load_project.hpp"
#include "core/config/rate.hpp"
#include "flow/lease_word.hpp"
#include "io/agent/throttle.hpp"

namespace drawhitch::cli {

namespace {

template <class T>
void prefer(std::optional<T>& value, const std::optional<T>& other) {
    if (other) value = other;
}

// The project's word above the user's.
model::Connection joined(const model::Connection& settings, const model::Connection& project) {
    model::Connection both = settings;
    prefer(both.transport, project.transport);
    prefer(both.max_connections, project.max_connections);
    prefer(both.connect_timeout_s, project.connect_timeout_s);
    prefer(both.stall_timeout_s, project.stall_timeout_s);
    prefer(both.poll_s, project.poll_s);
    prefer(both.bandwidth, project.bandwidth);
    return both;
}

}  // namespace

Result<std::unique_ptr<Workplace>> Workplace::open(Context& context) {
    return open(context, WrongFile::stops);
}

Result<std::unique_ptr<Workplace>> Workplace::open_to_look(Context& context) {
    return open(context, WrongFile::warns);
}

Result<std::unique_ptr<Workplace>> Workplace::open(Context& context, WrongFile wrong) {
    if (context.directory.empty()) {
        return Error{Code::local_io, "the working directory does not exist any more"}.then("cd ~");
    }
    TRY_ASSIGN(const config::Dirs dirs, config::find_dirs(context.environment));
    std::unique_ptr<Workplace> made{new Workplace};
    made->meant_box_ = &context.box;
    made->laptop_ = flow::Laptop{context.directory, dirs.home, dirs.state, dirs.config, context.environment};
    made->profiles_.emplace(dirs.config);
    TRY_ASSIGN(ledger::Ledger opened, ledger::Ledger::open(context.op, dirs.state));
    made->ledger_.emplace(std::move(opened));
    TRY(made->find_project(context, wrong));
    made->connection_ = joined(context.settings.connection, made->project_.values.connection);
    made->secrets_.emplace(context.prompt);
    made->connector_.emplace(*made->ledger_, made->laptop_, made->connection_, *made->secrets_);
    made->deps_.emplace(flow::Deps{*made->ledger_, *made->connector_, made->helpers_, context.prompt, made->laptop_,
                                   made->project_, context.settings, context.globals.dry_run});
    if (made->connection_.bandwidth) TRY(made->limit_bandwidth(*made->connection_.bandwidth));
    return made;
}

Status Workplace::limit_bandwidth(std::string_view word) {
    const auto rate = config::parse_rate(word);
    if (!rate) {
        return Error{Code::usage,
                     "--limit takes " + std::string{config::k_rate_words} + ", not \"" + printable(word) + "\""};
    }
    deps_->throttle = *rate == 0 ? nullptr : std::make_shared<agent::Throttle>(*rate);
    return ok();
}

Status Workplace::find_project(Context& context, WrongFile wrong) {
    auto found = find_project_file(context.op, context.directory);
    if (!found && (wrong == WrongFile::stops || found.error().code != Code::config)) return std::move(found).error();
    project_.directory = context.directory;
    if (!found) {
        const Error& error = found.error();
        std::string why = error.why;
        for (std::size_t at = why.find('\n'); at != std::string::npos; at = why.find('\n'))
            why.replace(at, 1, "; ");
        context.op.warn("the project's file counts for nothing until it is mended: " + error.message +
                        (why.empty() ? "" : "; " + why) + " (`drawhitch help project-file`)");
    } else if (const auto& file = *found) {
        project_.file = file->path;
        project_.directory = file->directory;
        project_.values = file->values;
        TRY_ASSIGN(const bool trusted, is_trusted(*ledger_, *file));
        if (!trusted) {
            std::vector<std::string> keys;
            for (const config::TrustItem& item : file->needing_trust)
                keys.push_back(item.key);
            context.op.warn(file->path + ": ignoring " + join(keys, ", ") + " until you type: drawhitch trust");
            project_.values = config::without_untrusted(std::move(project_.values));
        }
    }
    if (project_.values.name.empty()) project_.values.name = config::name_from_directory(project_.directory);
    return ok();
}

milliseconds Workplace::poll_interval(const model::Lease& lease) const {
    if (connection_.poll_s) return std::chrono::seconds{*connection_.poll_s};
    const auto profile = config::load_profile(lease.profile_toml, lease.profile, "");
    const model::Limits limits = profile.ok() ? profile.value.limits : model::Limits{};
    return std::chrono::seconds{limits.poll_s};
}

Result<std::optional<std::string>> Workplace::usual_box() const {
    if (!project_.values.box.empty()) return std::optional{project_.values.box};
    TRY_ASSIGN(const auto open, ledger_->leases(ledger::Which::open));
    if (open.size() == 1) return std::optional{open.front().name};
    return std::optional<std::string>{};
}

namespace {

// Which boxes there are, for who named none.
Error needs_a_box(Error error, const std::vector<model::Lease>& open) {
    if (open.empty()) return std::move(error).because("no box is leased").then("drawhitch help adopt");
    std::vector<std::string> names;
    for (const model::Lease& lease : open)
        names.push_back(lease.name);
    return std::move(error).because("leased are " + join(names, ", ")).then("drawhitch ls");
}

}  // namespace

Result<BoxArguments> Workplace::box(const Parsed& parsed, bool numbers) const {
    TRY_ASSIGN(const auto leases, ledger_->leases(ledger::Which::all));
    std::vector<std::string> known;
    for (const model::Lease& lease : leases) {
        known.push_back(lease.name);
        known.push_back(lease.name + "@" + std::to_string(lease.id));
        if (numbers) known.push_back(std::to_string(lease.id));
    }
    TRY_ASSIGN(const auto fallback, usual_box());
    // No run has such a name: it would be looked for on the wrong box.
    const bool numbered = !parsed.words().empty() && flow::is_numbered(parsed.words().front());
    if (numbered && std::ranges::find(known, parsed.words().front()) == known.end())
        return flow::no_such_lease(parsed.words().front());
    auto resolved = resolve_box(parsed, fallback, known);
    if (resolved || fallback) return resolved;
    TRY_ASSIGN(const auto open, ledger_->leases(ledger::Which::open));
    if (parsed.words().empty()) return needs_a_box(std::move(resolved).error(), open);
    TRY_ASSIGN(const auto line, line_with_box(parsed, open));
    if (line.empty()) return resolved;
    return Error{Code::not_found, "\"" + printable(parsed.words().front()) + "\" is taken for a box, and is none"}
        .because("it is a run, and several boxes are leased: the box stands before it")
        .then(line);
}

// The words as typed behind the box that has a run of the first one's name; empty where none has.
Result<std::string> Workplace::line_with_box(const Parsed& parsed, const std::vector<model::Lease>& open) const {
    const auto& rows = parsed.row().positionals;
    if (rows.size() < 2 || rows[1].name != "RUN") return std::string{};
    for (const model::Lease& lease : open) {
        TRY_ASSIGN(const auto runs, ledger_->runs(lease.id));
        const auto named = [&](const model::Run& run) { return run.spec.name == parsed.words().front(); };
        if (std::ranges::none_of(runs, named)) continue;
        std::string line = "drawhitch " + std::string{parsed.row().verb} + " " + shell_word(lease.name);
        for (const std::string& word : parsed.words())
            line += " " + shell_word(word);
        return line;
    }
    return std::string{};
}

// A word that is no box is taken for what follows the box. Where that is a run and none has the name, either was meant.
Status Workplace::check_first_word(const Parsed& parsed, const model::Lease& lease) const {
    const auto& rows = parsed.row().positionals;
    if (rows.size() < 2 || rows[1].name != "RUN" || parsed.words().empty()) return ok();
    const std::string& word = parsed.words().front();
    TRY_ASSIGN(const auto runs, ledger_->runs(lease.id));
    TRY_ASSIGN(const auto leases, ledger_->leases(ledger::Which::open));
    std::vector<std::string> names;
    for (const model::Lease& other : leases)
        names.push_back(other.name);
    for (const model::Run& run : runs)
        names.push_back(run.spec.name);
    if (std::ranges::find(names, word) != names.end()) return ok();
    Error error{Code::not_found,
                "there is no box named \"" + printable(word) + "\", and " + lease.name + " has no run of that name"};
    // "r1" resembles "b1" no more than any other name of two letters.
    const bool number =
        word.size() > 1 && word[0] == 'r' && word.find_first_not_of("0123456789", 1) == std::string::npos;
    if (runs.empty()) {
        error.why = lease.name + " has no runs";
    } else if (const auto meant = nearest(word, names); meant && !number) {
        error.why = "did you mean " + *meant + "?";
    }
    return std::move(error).then("drawhitch ps " + lease.name);
}

Result<Workplace::Target> Workplace::target(const Parsed& parsed) const {
    TRY_ASSIGN(BoxArguments named, box(parsed));
    TRY_ASSIGN(model::Lease lease, flow::lease_to_change(*ledger_, named.box));
    *meant_box_ = lease.name;
    if (!named.named) TRY(check_first_word(parsed, lease));
    return Target{std::move(lease), std::move(named.rest)};
}

Result<Workplace::Target> Workplace::target_to_read(const Parsed& parsed) const {
    TRY_ASSIGN(BoxArguments named, box(parsed));
    TRY_ASSIGN(model::Lease lease, flow::lease_to_read(*ledger_, named.box));
    *meant_box_ = flow::word_of(lease);
    if (!named.named) TRY(check_first_word(parsed, lease));
    return Target{std::move(lease), std::move(named.rest)};
}

Result<Workplace::Target> Workplace::target_of_any_time(const Parsed& parsed) const {
    TRY_ASSIGN(BoxArguments named, box(parsed, true));
    TRY_ASSIGN(auto lease, flow::find_lease_word(*ledger_, named.box, true));
    if (!lease) {
        return Error{Code::not_found, "there is no box named \"" + printable(named.box) + "\""}.then(
            "drawhitch ls --all");
    }
    *meant_box_ = flow::word_of(*lease);
    return Target{std::move(*lease), std::move(named.rest)};
}

}  // namespace drawhitch::cli
