// lease export: everything the ledger knows about one lease, as one JSON document.
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/lease_view.hpp"
#include "cli/workplace.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;

Json names_of(const std::vector<std::string>& words) {
    Json list = Json::array();
    for (const std::string& word : words)
        list.push(Json::name(word));
    return list;
}

Json file_json(const model::ReceiptEntry& entry) {
    return Json::object()
        .set("path", Json::name(entry.file.path))
        .set("unit", Json::name(entry.file.unit))
        .set("bytes", entry.file.size)
        .set("root", entry.file.root)
        .set("sha256", entry.file.sha256)
        .set("structure", model::name_of(entry.structure))
        .set("local", Json::name(entry.local_path));
}

Json roster_json(const model::Roster& roster) {
    Json list = Json::array();
    for (const model::RosterItem& item : roster)
        list.push(Json::object().set("pattern", Json::name(item.pattern)).set("class", model::name_of(item.wanted)));
    return list;
}

Json run_json(const model::Run& run, const std::vector<model::Receipt>& receipts) {
    Json proofs = Json::array();
    for (const model::Receipt& receipt : receipts) {
        Json files = Json::array();
        for (const model::ReceiptEntry& entry : receipt.files)
            files.push(file_json(entry));
        proofs.push(Json::object()
                        .set("receipt", receipt.id)
                        .set("made", rfc3339(receipt.made))
                        .set("directory", Json::name(receipt.directory))
                        .set("files", files));
    }
    return Json::object()
        .set("run", run.spec.name)
        .set("attempt", run.attempt)
        .set("command", names_of(run.spec.command))
        .set("code", run.spec.code_hash)
        .set("roster", roster_json(run.spec.roster))
        .set("scratch", run.spec.scratch)
        .set("created", rfc3339(run.created))
        .set("verdict", model::name_of(run.verdict.kind))
        .set("exit_code", run.verdict.exit_code ? Json{*run.verdict.exit_code} : Json{})
        .set("cause", run.verdict.cause)
        .set("receipts", proofs);
}

Json lease_json(const model::Lease& lease) {
    return Json::object()
        .set("id", lease.id)
        .set("box", Json::name(lease.name))
        .set("profile", lease.profile)
        .set("profile_toml", lease.profile_toml)
        .set("endpoint", endpoint_json(lease.endpoint))
        .set("project", lease.project)
        .set("root", Json::name(lease.root))
        .set("state", model::name_of(lease.state))
        .set("state_reason", lease.state_reason)
        .set("began", rfc3339(lease.began))
        .set("state_since", rfc3339(lease.state_since))
        .set("last_contact", rfc3339(lease.last_contact))
        .set("price_hour", lease.price_hour ? Json{*lease.price_hour} : Json{})
        .set("currency", lease.currency);
}

Result<Json> keys_json(const ledger::Ledger& ledger, std::int64_t lease) {
    Json list = Json::array();
    TRY_ASSIGN(const auto keys, ledger.host_key_history(lease));
    for (const ledger::PinnedKey& pinned : keys) {
        list.push(Json::object()
                      .set("type", pinned.key.type)
                      .set("fingerprint", pinned.key.fingerprint)
                      .set("source", pinned.key.source)
                      .set("seen", rfc3339(pinned.key.seen))
                      .set("retired", pinned.retired ? Json{rfc3339(*pinned.retired)} : Json{})
                      .set("reason", pinned.reason));
    }
    return list;
}

Result<Json> events_json(const Op& op, const ledger::Ledger& ledger, std::int64_t lease) {
    Json list = Json::array();
    std::int64_t after = 0;
    for (;;) {
        TRY(op.check());
        TRY_ASSIGN(const auto events, ledger.events(lease, after));
        if (events.empty()) return list;
        for (const ledger::Event& event : events)
            list.push(Json::object().set("at", rfc3339(event.at)).set("kind", event.kind).set("json", event.json));
        after = events.back().id;
    }
}

Result<Outcome> run_export(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target_of_any_time(parsed));
    const ledger::Ledger& ledger = place->ledger();
    const std::int64_t id = here.lease.id;
    TRY_ASSIGN(const Json keys, keys_json(ledger, id));
    TRY_ASSIGN(const auto runs, ledger.runs(id));
    Json rows = Json::array();
    for (const model::Run& run : runs) {
        TRY(context.op.check());
        TRY_ASSIGN(const auto receipts, ledger.receipts(run.id));
        rows.push(run_json(run, receipts));
    }
    TRY_ASSIGN(const Json events, events_json(context.op, ledger, id));
    Json document = Json::object();
    document.set("schema", "drawhitch.lease/1")
        .set("lease", lease_json(here.lease))
        .set("host_keys", keys)
        .set("runs", rows)
        .set("events", events);
    context.out.raw(document.dump() + "\n");
    context.out.json("lease", document);
    return Outcome{};
}

}  // namespace

CommandRow lease_export_command() {
    return CommandRow{
        .verb = "lease export",
        .group = Group::manage,
        .summary = "write all that is known about a lease as JSON",
        .description =
            "Endpoint, host keys, runs, receipts with their hashes, and the whole history. It holds no\n"
            "secret: environments are not in it.",
        .positionals = {{.name = "BOX", .help = "a name or number from lease ls, or BOX@LEASE", .box_optional = true}},
        .examples = {{"drawhitch lease export b1 >b1.json", "keep the record of b1 elsewhere, too"}},
        .handler = run_export,
    };
}

}  // namespace drawhitch::cli
