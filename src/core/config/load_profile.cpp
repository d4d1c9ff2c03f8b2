#include "core/config/load_profile.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "core/config/profile_checks.hpp"
#include "core/config/reader.hpp"
#include "core/parse/glob.hpp"

namespace drawhitch::config {

namespace {

using model::Profile;

constexpr Range<double> k_hours{0, 1e6};
constexpr Range<double> k_hours_or_unknown{-1, 1e6};
constexpr Range<double> k_price_or_unknown{-1, 1e6};
constexpr Range<std::int64_t> k_seconds{1, 7 * 86400};

int small_integer(Reader& table, std::string_view key, int fallback, Range<std::int64_t> range) {
    return static_cast<int>(table.integer(key, fallback, range));
}

void read_platform(Reader table, std::string_view id, Profile& profile) {
    model::Platform& platform = profile.platform;
    for (std::string_view key : {"id", "kind", "version", "verified_on", "confidence"})
        table.require(key);
    platform.id = table.text("id");
    platform.name = table.text("name", platform.id);
    platform.kind = table.word("kind", platform.kind);
    platform.version = table.text("version");
    platform.verified_on = table.date("verified_on").value_or(model::Date{});
    platform.max_age_d = small_integer(table, "max_age_d", platform.max_age_d, {1, 3650});
    platform.confidence = table.word("confidence", platform.confidence);
    platform.currency = table.text("currency", platform.currency);
    if (table.has("id")) check_platform_id(table, platform.id, id);
    table.finish();
}

void read_ssh(Reader table, Profile& profile) {
    model::SshFacts& ssh = profile.ssh;
    ssh.transport = table.word("transport", ssh.transport);
    ssh.user = table.text("user");
    ssh.port = small_integer(table, "port", ssh.port, {1, 65535});
    ssh.keepalive_s = small_integer(table, "keepalive_s", ssh.keepalive_s, {5, 3600});
    check_login_name(table, ssh.user);
    table.finish();
}

void read_storage(Reader table, Profile& profile) {
    model::Storage tier;
    for (std::string_view key : {"name", "path", "survives", "scope", "bills_after_destroy"})
        table.require(key);
    tier.name = table.text("name");
    tier.path = table.text("path");
    tier.role = table.words<model::StorageRole>("role");
    tier.survives = table.words<model::Downtime>("survives");
    tier.wiped_after_stop_h = table.number("wiped_after_stop_h", 0, k_hours);
    tier.scope = table.word("scope", tier.scope);
    tier.inode_cap = table.integer("inode_cap", 0, {0, INT64_MAX});
    tier.price_gb_month = table.number("price_gb_month", -1, k_price_or_unknown);
    tier.stopped_factor = table.number("stopped_factor", 1, {-1, 100});
    tier.bills_after_destroy = table.flag("bills_after_destroy", false);
    tier.shared_writers_safe = table.flag("shared_writers_safe", false);
    tier.secrets_ok = table.flag("secrets_ok", true);
    check_storage(table, tier, profile);
    table.finish();
    profile.storage.push_back(std::move(tier));
}

void read_paths(Reader table, Profile& profile) {
    model::Paths& paths = profile.paths;
    for (std::string_view key : {"data_dir", "durable_dir"})
        table.require(key);
    paths.data_dir = table.text("data_dir");
    paths.durable_dir = table.text("durable_dir");
    paths.volatile_dir = table.text("volatile_dir");
    for (const Text& pattern : table.texts("scratch")) {
        if (auto glob = parse::Glob::compile(pattern.text); !glob) table.problem(pattern.at, glob.error().message);
        paths.scratch.push_back(pattern.text);
    }
    check_paths(table, profile);
    table.finish();
}

void read_env(Reader& root, Profile& profile) {
    for (const auto& [name, value] : root.text_table("env")) {
        check_env_entry(root, name, value);
        profile.env[name] = value.text;
    }
}

void read_verb(Reader table, Profile& profile) {
    model::MeterVerb verb;
    for (std::string_view key : {"name", "stops", "destroys", "reversible"})
        table.require(key);
    verb.name = table.word("name", verb.name);
    verb.stops = table.words<model::Meter>("stops");
    const std::vector<Text> destroys = table.texts("destroys");
    verb.destroys = plain(destroys);
    verb.reversible = table.flag("reversible", false);
    verb.restart_risk = table.word("restart_risk", verb.restart_risk);
    verb.leaves_billing = plain(table.texts("leaves_billing"));
    verb.manual = table.text("manual");
    check_storage_names(table, profile, destroys);
    check_verb(table, verb, profile);
    table.finish();
    profile.meter.verbs.push_back(std::move(verb));
}

void read_meter(Reader table, Profile& profile) {
    model::Metering& meter = profile.meter;
    table.require("os_poweroff_stops");
    meter.grain_s = small_integer(table, "grain_s", meter.grain_s, k_seconds);
    meter.os_poweroff_stops = table.flag("os_poweroff_stops", false);
    meter.egress_gb = table.number("egress_gb", 0, k_price_or_unknown);
    meter.ingress_gb = table.number("ingress_gb", 0, k_price_or_unknown);
    meter.forgotten_warn_h = table.number("forgotten_warn_h", meter.forgotten_warn_h, k_hours);
    for (const Reader& verb : table.tables("verb"))
        read_verb(verb, profile);
    if (model::find_verb(profile, model::Verb::terminate) == nullptr) {
        table.problem(table.at(), "'meter.verb' has no row named 'terminate'");
    }
    table.finish();
}

// "release", "stop", "terminate", or "wipe:STORAGE".
void read_effect(Reader& table, model::DangerClock& clock, const Profile& profile) {
    constexpr std::string_view k_wipe = "wipe:";
    const std::string effect = table.text("effect");
    if (effect.starts_with(k_wipe)) {
        clock.effect = model::ClockEffectKind::wipe;
        clock.wiped = effect.substr(k_wipe.size());
        check_storage_names(table, profile, {Text{clock.wiped, table.at("effect")}});
        return;
    }
    clock.effect = table.word("effect", clock.effect);
    if (clock.effect == model::ClockEffectKind::wipe) {
        table.problem(table.at("effect"), "'clock.effect' names no storage: write wipe:STORAGE");
    }
}

void read_clock(Reader table, Profile& profile) {
    model::DangerClock clock;
    for (std::string_view key : {"name", "starts_on", "after_h", "effect"})
        table.require(key);
    clock.name = table.text("name");
    clock.starts_on = table.word("starts_on", clock.starts_on);
    clock.after_h = table.number("after_h", -1, k_hours_or_unknown);
    read_effect(table, clock, profile);
    const std::vector<Text> spares = table.texts("spares");
    clock.spares = plain(spares);
    clock.warn_before_h = table.number("warn_before_h", clock.warn_before_h, k_hours);
    clock.src = table.text("src");
    clock.confidence = table.word("conf", clock.confidence);
    check_storage_names(table, profile, spares);
    table.finish();
    profile.clocks.push_back(std::move(clock));
}

void read_spot(Reader table, Profile& profile) {
    table.require("offered");
    profile.spot.offered = table.flag("offered", false);
    profile.spot.notice_s = table.number("notice_s", 0, {0, 86400});
    profile.spot.signal = table.text("signal");
    profile.spot.outcome = table.word("outcome", profile.spot.outcome);
    table.finish();
}

void read_detach(Reader table, Profile& profile) {
    table.require("prefer");
    profile.detach = table.words<model::DetachDriver>("prefer");
    if (table.has("prefer") && profile.detach.empty()) {
        table.problem(table.at("prefer"), "'detach.prefer' names no way to start a run");
    }
    table.finish();
}

void read_cuda(Reader table, Profile& profile) {
    profile.cuda.source = table.word("source", profile.cuda.source);
    if (table.has("arch")) profile.cuda.arch = plain(table.texts("arch"));
    table.finish();
}

void read_limits(Reader table, Profile& profile) {
    model::Limits& limits = profile.limits;
    limits.ready_timeout_s = small_integer(table, "ready_timeout_s", limits.ready_timeout_s, k_seconds);
    limits.poll_s = small_integer(table, "poll_s", limits.poll_s, {1, 3600});
    limits.max_connections = small_integer(table, "max_connections", limits.max_connections, {1, 64});
    limits.helper_threads = small_integer(table, "helper_threads", limits.helper_threads, {0, 256});
    limits.mfa = table.flag("mfa", limits.mfa);
    if (limits.mfa && limits.max_connections > 1 && table.has("max_connections")) {
        table.problem(table.at("max_connections"),
                      "'limits.max_connections' must be 1 where 'mfa' asks a person each time");
    }
    if (limits.mfa) limits.max_connections = 1;
    table.finish();
}

std::vector<std::string> read_hosts(Reader& table) {
    const std::vector<Text> hosts = table.texts("hosts");
    for (const Text& host : hosts)
        check_host_pattern(table, host);
    return plain(hosts);
}

void read_match(Reader table, Profile& profile) {
    profile.match.hosts = read_hosts(table);
    for (const Text& name : table.texts("env")) {
        check_env_name(table, name);
        profile.match.env.push_back(name.text);
    }
    for (Reader relay : table.tables("relay")) {
        for (std::string_view key : {"hosts", "text"})
            relay.require(key);
        profile.match.relays.push_back(model::Relay{read_hosts(relay), relay.text("text")});
        relay.finish();
    }
    table.finish();
}

void read_gotcha(Reader table, Profile& profile) {
    model::Gotcha gotcha;
    for (std::string_view key : {"id", "symptom", "act", "text"})
        table.require(key);
    gotcha.id = table.text("id");
    gotcha.symptom = table.text("symptom");
    gotcha.when = table.word("when", gotcha.when);
    gotcha.act = table.word("act", gotcha.act);
    gotcha.text = table.text("text");
    gotcha.src = table.text("src");
    gotcha.confidence = table.word("conf", gotcha.confidence);
    const auto same = [&](const model::Gotcha& other) { return other.id == gotcha.id; };
    if (std::any_of(profile.gotchas.begin(), profile.gotchas.end(), same)) {
        table.problem(table.at("id"), "gotcha '" + printable(gotcha.id) + "' is there twice");
    }
    table.finish();
    profile.gotchas.push_back(std::move(gotcha));
}

using Section = void (*)(Reader table, Profile& profile);

void read_section(Reader& root, std::string_view key, bool required, Profile& profile, Section section) {
    if (required) root.require(key);
    if (root.has(key)) section(root.table(key), profile);
}

void read_rows(Reader& root, std::string_view key, Profile& profile, Section section) {
    for (const Reader& row : root.tables(key))
        section(row, profile);
}

// Storage comes first: nearly everything else names a tier.
void read_all(Reader& root, std::string_view id, Profile& profile) {
    root.require("platform");
    if (root.has("platform")) read_platform(root.table("platform"), id, profile);
    root.require("storage");
    read_rows(root, "storage", profile, read_storage);
    read_section(root, "ssh", false, profile, read_ssh);
    read_section(root, "paths", true, profile, read_paths);
    read_env(root, profile);
    read_section(root, "meter", true, profile, read_meter);
    read_rows(root, "clock", profile, read_clock);
    read_section(root, "spot", false, profile, read_spot);
    read_section(root, "detach", true, profile, read_detach);
    read_section(root, "cuda", false, profile, read_cuda);
    read_section(root, "limits", false, profile, read_limits);
    read_section(root, "match", false, profile, read_match);
    read_rows(root, "gotcha", profile, read_gotcha);
}

// Days since 1970-01-01 in the proleptic Gregorian calendar. March is counted as the first month, so that the leap day
// ends the year.
std::int64_t days_from_epoch(model::Date date) {
    const std::int64_t shifted_year = date.month > 2 ? date.year : date.year - 1;
    const std::int64_t months = date.month > 2 ? date.month - 3 : date.month + 9;
    const std::int64_t leap_days = shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
    const std::int64_t day_of_year = (153 * months + 2) / 5 + date.day - 1;
    return 365 * shifted_year + leap_days + day_of_year - 719468;  // 0000-03-01 to 1970-01-01
}

}  // namespace

Loaded<Profile> load_profile(std::string_view text, std::string_view file, std::string_view id) {
    Log log;
    log.file = file;
    Loaded<Profile> loaded;
    const Value document = parse_toml(text, log);
    if (log.problems.empty()) {
        Reader root(document, "", log);
        root.require("schema");
        const std::int64_t schema = root.integer("schema", k_profile_schema, {1, INT64_MAX});
        if (schema > k_profile_schema) {
            // A newer schema makes every other message noise.
            log.problem(root.at("schema"), "schema " + std::to_string(schema) +
                                               " is newer than this drawhitch knows (" +
                                               std::to_string(k_profile_schema) + ")");
        } else {
            read_all(root, id, loaded.value);
            root.finish();
        }
    }
    log.sort();
    loaded.problems = std::move(log.problems);
    loaded.warnings = std::move(log.warnings);
    return loaded;
}

int age_days(model::Date verified_on, WallTime now) {
    std::int64_t today = now.seconds / 86400;
    if (now.seconds % 86400 < 0) --today;
    return static_cast<int>(today - days_from_epoch(verified_on));
}

}  // namespace drawhitch::config
