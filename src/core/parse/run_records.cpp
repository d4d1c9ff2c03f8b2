#include "core/parse/run_records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace drawhitch::parse {

namespace {

using Json = nlohmann::json;

std::optional<Json> object(std::string_view text) {
    Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object()) return std::nullopt;
    return json;
}

std::optional<std::int64_t> number(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_number_integer()) return std::nullopt;
    constexpr std::uint64_t k_largest = 1ULL << 53U;  // beyond it lies no time, pid or count of this world
    if (!at->is_number_unsigned() || at->get<std::uint64_t>() > k_largest) return std::nullopt;
    return static_cast<std::int64_t>(at->get<std::uint64_t>());
}

// Only plain words: they end up on terminals and in comparisons.
std::optional<std::string> word(const Json& json) {
    if (!json.is_string()) return std::nullopt;
    auto text = json.get<std::string>();
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (!plain || text.size() > 64) return std::nullopt;
    return text;
}

std::string word(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at == json.end() ? std::string{} : word(*at).value_or("");
}

}  // namespace

std::optional<model::StartRecord> start_record(std::string_view text) {
    const auto json = object(text);
    if (!json) return std::nullopt;
    model::StartRecord record;
    const auto attempt = number(*json, "attempt");
    const auto pid = number(*json, "pid");
    const auto ticks = number(*json, "start_ticks");
    const auto started = number(*json, "started");
    record.boot_id = word(*json, "boot_id");
    if (!attempt || !pid || *pid < 2 || !ticks || !started || record.boot_id.empty()) return std::nullopt;
    record.attempt = *attempt;
    record.token = word(*json, "token");
    record.pid = *pid;
    record.pgid = number(*json, "pgid").value_or(0);
    record.start_ticks = static_cast<std::uint64_t>(*ticks);
    record.pid1_ticks = static_cast<std::uint64_t>(number(*json, "pid1_ticks").value_or(0));
    record.started = *started;
    record.oom_kills = number(*json, "oom_kills");
    record.log_offset = number(*json, "log_offset").value_or(0);
    record.wrapper_pid = number(*json, "wrapper_pid").value_or(0);
    record.wrapper_ticks = static_cast<std::uint64_t>(number(*json, "wrapper_ticks").value_or(0));
    return record;
}

std::optional<model::ExitRecord> exit_record(std::string_view text) {
    const auto json = object(text);
    if (!json) return std::nullopt;
    model::ExitRecord record;
    const auto attempt = number(*json, "attempt");
    const auto ended = number(*json, "ended");
    const auto code = number(*json, "code");
    record.signal = word(*json, "signal");
    if (!attempt || !ended || (code.has_value() != record.signal.empty())) return std::nullopt;
    if (code && *code > 255) return std::nullopt;
    if (std::any_of(record.signal.begin(), record.signal.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
        return std::nullopt;
    record.attempt = *attempt;
    record.token = word(*json, "token");
    if (code) record.code = static_cast<int>(*code);
    const auto sure = json->find("sure");
    record.sure = sure == json->end() || !sure->is_boolean() || sure->get<bool>();
    record.stage = word(*json, "stage");
    record.script = word(*json, "script");
    record.started = number(*json, "started").value_or(0);
    record.ended = *ended;
    record.boot_id = word(*json, "boot_id");
    record.oom_before = number(*json, "oom_before");
    record.oom_after = number(*json, "oom_after");
    if (const auto caught = json->find("caught"); caught != json->end() && caught->is_array()) {
        for (const Json& item : *caught) {
            if (record.caught.size() == 100) break;
            if (auto name = word(item)) record.caught.push_back(std::move(*name));
        }
    }
    return record;
}

}  // namespace drawhitch::parse
