#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/lease_view.hpp"
#include "cli/workplace.hpp"
#include "flow/adopt.hpp"
#include "io/term/input.hpp"
#include "io/term/output.hpp"
#include "io/transport/endpoint.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

constexpr std::size_t k_longest_password = 1024;

// The words of the pasted line, in whatever order the parser took them apart.
std::vector<std::string> line_of(const Parsed& parsed) {
    std::vector<std::string> words = parsed.arguments().many("LINE");
    const auto add = [&](const char* option, const std::string& word) {
        words.emplace_back(option);
        words.push_back(word);
    };
    if (const auto port = parsed.integer("port")) add("-p", std::to_string(*port));
    if (const auto key = parsed.text("identity")) add("-i", *key);
    if (const auto user = parsed.text("login")) add("-l", *user);
    for (const std::string& forward : parsed.list("local-forward"))
        add("-L", forward);
    for (const std::string& option : parsed.list("ssh-option"))
        add("-o", option);
    return words;
}

Result<std::optional<double>> price_of(const Parsed& parsed) {
    const auto word = parsed.text("price-hour");
    if (!word) return std::optional<double>{};
    double price = 0;
    const auto [end, problem] = std::from_chars(word->data(), word->data() + word->size(), price);
    if (problem != std::errc{} || end != word->data() + word->size() || !std::isfinite(price) || price < 0) {
        return Error{Code::usage, "--price-hour takes a price like 2.40, not \"" + printable(*word) + "\""}.then(
            "drawhitch help adopt");
    }
    return std::optional<double>{price};
}

// The first line of standard input.
Result<std::string> password_from_stdin(const Op& op) {
    std::string line;
    char byte = 0;
    while (line.size() < k_longest_password) {
        TRY_ASSIGN(const std::size_t count, term::read_some(op, 0, std::span(&byte, 1), "standard input"));
        if (count == 0 || byte == '\n') break;
        line += byte;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty())
        return Error{Code::usage, "--password-stdin found no password on standard input"}.then("drawhitch help adopt");
    return line;
}

// A place on the box must mean the same from any directory there.
Status check_data_dir(const std::string& place) {
    if (place.empty()) return ok();
    const bool rooted = place.starts_with('/') || place == "~" || place.starts_with("~/");
    const auto parts = split(place, '/');
    if (rooted && std::ranges::find(parts, "..") == parts.end()) return ok();
    return Error{Code::usage, "--data-dir " + printable(place) + " is no place to keep data at"}
        .because(rooted ? "it has a \"..\" in it"
                        : "it must be absolute, or begin with \"~/\" for the home directory there")
        .then("drawhitch help adopt");
}

Result<flow::AdoptRequest> request_of(const Context& context, const Parsed& parsed) {
    flow::AdoptRequest request;
    request.name = parsed.arguments().one("NAME").value_or("");
    request.line = line_of(parsed);
    if (const auto kind = parsed.text("transport")) request.transport = model::transport_kind(*kind);
    request.profile = context.globals.profile.value_or("");
    request.project = parsed.text("project").value_or("");
    request.data_dir = parsed.text("data-dir").value_or("");
    TRY(check_data_dir(request.data_dir));
    request.accept_host_key = parsed.text("accept-host-key").value_or("");
    request.currency = parsed.text("currency").value_or("");
    TRY_ASSIGN(request.price_hour, price_of(parsed));
    if (parsed.flag("password-stdin")) {
        TRY_ASSIGN(request.password, password_from_stdin(context.op));
    }
    return request;
}

void show(Context& context, const flow::AdoptReport& report) {
    const model::Lease& lease = report.lease;
    const model::MachineFacts& machine = report.machine;
    term::Output& out = context.out;
    out.value("box", "box", Cell::name(lease.name));
    out.value("profile", "profile", Cell::text(lease.profile));
    if (!report.why_profile.empty()) context.op.note("profile " + lease.profile + ": " + report.why_profile);
    out.json("why_profile", report.why_profile.empty() ? Json{} : Json{report.why_profile});
    out.value("endpoint", "reached at", Cell::value(endpoint_json(lease.endpoint), endpoint_text(lease.endpoint)));
    out.value("transport", "by", Cell::text(model::name_of(lease.endpoint.transport)));
    if (report.host_key) {
        Json key = Json::object();
        key.set("type", report.host_key->type)
            .set("fingerprint", report.host_key->fingerprint)
            .set("source", report.host_key->source);
        out.value("host_key", "host key",
                  Cell::value(std::move(key), printable(report.host_key->type + " " + report.host_key->fingerprint) +
                                                  " (" + report.host_key->source + ")"));
    } else {
        out.json("host_key", Json{});
    }
    out.value("machine", "machine", Cell::text(machine.os + ", " + machine.machine));
    for (const std::string& gpu : machine.gpus)
        out.text("GPU  " + printable(gpu));
    Json gpus = Json::array();
    for (const std::string& gpu : machine.gpus)
        gpus.push(gpu);
    out.json("gpus", gpus);
    out.value("root", "root on box", Cell::name(lease.root));
    out.json("updated", report.updated);
    out.json("project_file", report.project_file.empty() ? Json{} : Json::name(report.project_file));
}

// Runs of another laptop, or of a ledger that was lost: nothing of theirs is proven here.
void tell_unknown_runs(Context& context, const flow::AdoptReport& report) {
    Json list = Json::array();
    std::vector<std::string> names;
    for (const std::string& place : report.unknown_runs) {
        list.push(Json::name(place));
        constexpr std::size_t k_named = 5;
        if (names.size() < k_named) names.push_back(printable(place));
    }
    context.out.json("unknown_runs", list);
    if (names.empty()) return;
    const std::size_t rest = report.unknown_runs.size() - names.size();
    context.op.warn((report.more_unknown_runs ? "more than " : "") + counted(report.unknown_runs.size(), "run") +
                    " on the box that this ledger does not know, of another laptop or of a lost ledger: " +
                    join(names, ", ") + (rest > 0 ? " and " + std::to_string(rest) + " more" : "") +
                    "; `down` stays closed until each is copied home or given up by name");
}

// `cp` proves what it brings; then the gate knows it.
std::vector<std::string> bring_home(const flow::AdoptReport& report) {
    constexpr std::size_t k_most = 3;
    const std::string& name = report.lease.name;
    std::vector<std::string> next;
    for (const std::string& place : report.unknown_runs) {
        if (next.size() == k_most) break;
        const std::string folder = place.substr(0, place.rfind('/') + 1);
        next.push_back("drawhitch cp " + shell_word(name + ":" + place) + " " +
                       shell_word("pulls/" + name + "/_box" + folder));
    }
    next.push_back("drawhitch down " + shell_word(name) + " -n");
    return next;
}

Result<Outcome> run_adopt(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(flow::AdoptRequest request, request_of(context, parsed));
    TRY_ASSIGN(const auto place, Workplace::open(context));
    auto adopted = flow::adopt(context.op, place->deps(), place->connector(), place->profiles(), request);
    if (request.password) transport::wipe(*request.password);
    if (!adopted) return std::move(adopted).error();
    for (const std::string& part : adopted->passed_over)
        context.op.note("ignored from the line: " + printable(part));
    if (!adopted->why_transport.empty()) {
        context.op.note("your ssh program is used for this host: " + printable(adopted->why_transport));
    }
    if (!adopted->project_file.empty()) context.op.note("wrote " + printable(adopted->project_file));
    show(context, *adopted);
    tell_unknown_runs(context, *adopted);
    if (context.globals.dry_run) return Outcome{};
    const std::string name = shell_word(request.name);
    const flow::ProjectContext& project = place->project();
    if (!project.values.box.empty() && project.values.box != request.name) {
        context.op.note(printable(project.file) + " has box = \"" + printable(project.values.box) +
                        "\": commands without BOX go on meaning that one");
    }
    Outcome outcome{.next = {"drawhitch doctor " + name}};
    const bool is_project = !project.file.empty() || !adopted->project_file.empty();
    TRY_ASSIGN(const auto runs, place->ledger().runs(adopted->lease.id));
    if (adopted->updated && !runs.empty()) {
        outcome.next = {"drawhitch ps " + name};
    } else if (is_project) {
        outcome.next.push_back("drawhitch push " + name);
    } else {
        context.op.note("this directory is no project: change to the one that holds your code before `drawhitch push " +
                        name + "`");
    }
    if (!adopted->unknown_runs.empty()) outcome.next = bring_home(*adopted);
    return outcome;
}

}  // namespace

CommandRow adopt_command() {
    return CommandRow{
        .verb = "adopt",
        .group = Group::life_cycle,
        .summary = "take a box you have rented already",
        .description =
            "Paste the ssh line that your provider's console shows behind the name you want for the box. The\n"
            "box shows its host key; compare the fingerprint with the console's and say yes, or give it with\n"
            "--accept-host-key. Nothing is sent before that. Then the box is looked at and a lease begins.\n"
            "A name from your SSH configuration works as well, jump hosts and all.\n\n"
            "Adopting an existing name again moves it to the new endpoint: after a restart that changed the\n"
            "port, or after you checked a new host key. \"local\" in place of the line takes this machine.",
        .positionals = {{.name = "NAME", .help = "what you call the box"},
                        {.name = "LINE",
                         .help = "ssh [-p PORT] [-i KEY] USER@HOST, a Host of your SSH configuration, or local",
                         .arity = Arity::many}},
        .options =
            {
                {.names = "-p,--port", .kind = OptionKind::integer, .metavar = "PORT", .help = "the SSH port"},
                {.names = "-i,--identity",
                 .kind = OptionKind::path,
                 .metavar = "KEY",
                 .help = "the private key to offer, and no other"},
                {.names = "-l,--login", .kind = OptionKind::text, .metavar = "USER", .help = "the user to log in as"},
                {.names = "--accept-host-key",
                 .kind = OptionKind::text,
                 .metavar = "FINGERPRINT",
                 .help = "accept the host key with this SHA256:… fingerprint without asking; \"any\" takes whatever a "
                         "host shows of which no key is pinned or in your known_hosts"},
                {.names = "--transport",
                 .kind = OptionKind::text,
                 .metavar = "KIND",
                 .help = "which program connects",
                 .choices = "auto|ssh|openssh"},
                {.names = "--project",
                 .kind = OptionKind::text,
                 .metavar = "NAME",
                 .help = "the project's directory on the box"},
                {.names = "--data-dir",
                 .kind = OptionKind::path,
                 .metavar = "DIR",
                 .help = "where data may lie on the box, above the profile"},
                {.names = "--price-hour",
                 .kind = OptionKind::text,
                 .metavar = "PRICE",
                 .help = "what the box costs per hour"},
                {.names = "--currency",
                 .kind = OptionKind::text,
                 .metavar = "CODE",
                 .help = "of that price; else the profile's"},
                {.names = "--password-stdin",
                 .help = "read the user's password from standard input, once, to install your key"},
                {.names = "-L,--local-forward",
                 .kind = OptionKind::list,
                 .metavar = "SPEC",
                 .help = "taken from a pasted line and ignored"},
                {.names = "-o,--ssh-option",
                 .kind = OptionKind::list,
                 .metavar = "OPTION",
                 .help = "taken from a pasted line and ignored"},
            },
        .examples = {{"drawhitch adopt b1 ssh -p 40022 root@203.0.113.7", "the line a console shows"},
                     {"drawhitch adopt b1 gpu1 --profile generic-ssh",
                      "Host gpu1 of ~/.ssh/config, on a known platform"},
                     {"drawhitch adopt me local", "this machine as the box"}},
        .handler = run_adopt,
    };
}

}  // namespace drawhitch::cli
