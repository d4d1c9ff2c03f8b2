#include "core/config/profile_checks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/secrets.hpp"

namespace drawhitch::config {

namespace {

std::string in_quotes(std::string_view text) {
    return "'" + printable(text) + "'";
}

bool has_role(const model::Storage& tier, model::StorageRole role) {
    return std::find(tier.role.begin(), tier.role.end(), role) != tier.role.end();
}

bool is_env_name(std::string_view name) {
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

const model::Storage* check_place(Reader& table, std::string_view key, std::string_view path,
                                  const model::Profile& profile) {
    if (path.empty()) return nullptr;
    if (const std::string why = bad_box_path(path); !why.empty()) {
        table.problem(table.at(key), table.named(key) + " " + in_quotes(path) + " " + why);
        return nullptr;
    }
    const model::Storage* tier = model::storage_of(profile, path);
    if (tier == nullptr) {
        table.problem(table.at(key), table.named(key) + " " + in_quotes(path) + " lies on no declared storage");
    }
    return tier;
}

}  // namespace

std::string bad_box_path(std::string_view path) {
    if (path != "~" && !path.starts_with("~/") && !path.starts_with('/')) return "is neither absolute nor under ~";
    for (std::string_view part : split(path, '/')) {
        if (part == "..") return "contains '..'";
    }
    const bool odd = std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '{' || c == '}' || c == '$';
    });
    return odd ? "contains a placeholder or a control character" : "";
}

void check_platform_id(Reader& table, std::string_view id, std::string_view wanted) {
    const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!plain || id.front() == '-') {
        table.problem(table.at("id"), table.named("id") + " may hold a-z, 0-9 and - only, and not begin with -");
    } else if (!wanted.empty() && id != wanted) {
        table.problem(table.at("id"),
                      table.named("id") + " is " + in_quotes(id) + ", but the file is named " + in_quotes(wanted));
    }
}

void check_login_name(Reader& table, std::string_view user) {
    if (user.empty() || is_plain_name(user)) return;
    table.problem(table.at("user"), table.named("user") + " " + in_quotes(user) + " is no login name");
}

void check_storage(Reader& table, const model::Storage& tier, const model::Profile& before) {
    if (table.has("name") && !is_plain_name(tier.name)) {
        table.problem(table.at("name"), table.named("name") + " may hold letters, digits, '.', '_' and '-' only");
    }
    if (model::find_storage(before, tier.name) != nullptr) {
        table.problem(table.at("name"), "storage " + in_quotes(tier.name) + " is there twice");
    }
    if (!tier.path.empty()) {
        const std::string why = bad_box_path(tier.path);
        if (!why.empty()) table.problem(table.at("path"), table.named("path") + " " + in_quotes(tier.path) + " " + why);
    }
    const bool in_memory = has_role(tier, model::StorageRole::volatile_memory);
    if (in_memory &&
        (model::survives(tier, model::Downtime::restart) || model::survives(tier, model::Downtime::stop))) {
        table.problem(table.at("survives"), "storage with the role 'volatile' survives neither 'restart' nor 'stop'");
    }
    if (in_memory && !tier.secrets_ok) {
        table.problem(table.at("secrets_ok"), "storage with the role 'volatile' is where secrets go");
    }
    const bool outlives =
        model::survives(tier, model::Downtime::stop) || model::survives(tier, model::Downtime::terminate);
    if (has_role(tier, model::StorageRole::durable) && !outlives) {
        table.problem(table.at("role"), "storage with the role 'durable' must survive 'stop' or 'terminate'");
    }
}

void check_storage_names(Reader& table, const model::Profile& profile, const std::vector<Text>& names) {
    std::vector<std::string_view> known;
    for (const model::Storage& tier : profile.storage)
        known.push_back(tier.name);
    for (const Text& name : names) {
        if (model::find_storage(profile, name.text) != nullptr) continue;
        table.problem(name.at, "no storage is named " + in_quotes(name.text) + did_you_mean(name.text, known));
    }
}

void check_paths(Reader& table, const model::Profile& profile) {
    const model::Paths& paths = profile.paths;
    if (table.has("data_dir") && paths.data_dir.empty())
        table.problem(table.at("data_dir"), "'paths.data_dir' is empty");
    const model::Storage* data = check_place(table, "data_dir", paths.data_dir, profile);
    if (data != nullptr && has_role(*data, model::StorageRole::volatile_memory)) {
        table.problem(table.at("data_dir"), "'paths.data_dir' lies in memory");
    }
    for (std::string_view part : split(paths.data_dir, '/')) {
        if (part != "drawhitch") continue;
        table.problem(table.at("data_dir"),
                      "'paths.data_dir' is the platform's mount: drawhitch/<project> is added to it");
    }
    const model::Storage* durable = check_place(table, "durable_dir", paths.durable_dir, profile);
    if (durable != nullptr && !has_role(*durable, model::StorageRole::durable)) {
        table.problem(table.at("durable_dir"), "'paths.durable_dir' lies on storage " + in_quotes(durable->name) +
                                                   ", which has not the role 'durable'");
    }
    const model::Storage* memory = check_place(table, "volatile_dir", paths.volatile_dir, profile);
    if (memory != nullptr && !has_role(*memory, model::StorageRole::volatile_memory)) {
        table.problem(table.at("volatile_dir"), "'paths.volatile_dir' lies on storage " + in_quotes(memory->name) +
                                                    ", which has not the role 'volatile'");
    }
}

void check_verb(Reader& table, const model::MeterVerb& verb, const model::Profile& before) {
    if (model::find_verb(before, verb.name) != nullptr) {
        table.problem(table.at("name"), "'meter.verb' " + in_quotes(model::word_of(verb.name)) + " is there twice");
    }
    if (!table.has("destroys") || (verb.name != model::Verb::stop && verb.name != model::Verb::terminate)) return;
    const auto event = verb.name == model::Verb::stop ? model::Downtime::stop : model::Downtime::terminate;
    for (const model::Storage& tier : before.storage) {
        const bool destroyed = std::find(verb.destroys.begin(), verb.destroys.end(), tier.name) != verb.destroys.end();
        if (destroyed != model::survives(tier, event) || has_role(tier, model::StorageRole::volatile_memory)) continue;
        const std::string verb_name(model::word_of(verb.name));
        table.problem(table.at("destroys"), destroyed ? verb_name + " destroys storage " + in_quotes(tier.name) +
                                                            ", which says that it survives it"
                                                      : "storage " + in_quotes(tier.name) + " does not survive " +
                                                            verb_name + ", so 'destroys' must name it");
    }
}

void check_env_name(Reader& table, const Text& name) {
    if (!is_env_name(name.text))
        table.problem(name.at, in_quotes(name.text) + " is no name of an environment variable");
}

void check_env_entry(Reader& table, std::string_view name, const Text& value) {
    check_env_name(table, Text{std::string(name), value.at});
    if (parse::secret_variable(name) || parse::secret_text(value.text)) {
        table.problem(value.at,
                      "variable " + in_quotes(name) + " looks like a secret, and this file is no place for one");
    }
    if (value.text.find('\0') != std::string::npos)
        table.problem(value.at, "variable " + in_quotes(name) + " contains a NUL byte");
}

void check_host_pattern(Reader& table, const Text& pattern) {
    const bool names_something = pattern.text.find_first_not_of("*?.") != std::string::npos;
    const bool clean = std::all_of(pattern.text.begin(), pattern.text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '*' || c == '?' ||
               c == ':';
    });
    if (names_something && clean) return;
    table.problem(pattern.at, in_quotes(pattern.text) +
                                  " is no host pattern (a-z, 0-9, '-', '.', ':', '*', '?', and not only wildcards)");
}

}  // namespace drawhitch::config
