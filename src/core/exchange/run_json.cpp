#include "core/exchange/run_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace drawhitch::exchange {

namespace {

using Json = nlohmann::json;

Json bytes(std::string_view text) {
    if (is_valid_utf8(text)) return std::string(text);
    return Json{{"b64", base64(text)}};
}

template <class T>
void read(const Json& json, const char* key, T& value) {
    const auto at = json.find(key);
    if (at != json.end() && at->is_number_unsigned()) value = at->get<T>();
}

void read(const Json& json, const char* key, std::optional<std::int64_t>& value) {
    constexpr std::uint64_t k_largest = 1ULL << 53U;
    const auto at = json.find(key);
    if (at != json.end() && at->is_number_unsigned() && at->get<std::uint64_t>() <= k_largest) {
        value = at->get<std::int64_t>();
    }
}

}  // namespace

std::string run_json(const RunRecord& record) {
    const model::RunSpec& spec = record.spec;
    Json json{{"schema", 1},
              {"name", spec.name},
              {"attempt", record.attempt},
              {"token", record.token},
              {"created", rfc3339(record.created)},
              {"drawhitch", record.version},
              {"activate", bytes(spec.activate)},
              {"code_hash", spec.code_hash},
              {"run_dir", bytes(spec.run_dir)},
              {"work_dir", bytes(spec.work_dir)},
              {"gpus", spec.gpus},
              {"driver", spec.driver},
              {"threads", record.threads},
              {"scratch", spec.scratch}};
    json["command"] = Json::array();
    for (const std::string& word : spec.command)
        json["command"].push_back(bytes(word));
    json["roster"] = Json::array();
    for (const model::RosterItem& item : spec.roster) {
        json["roster"].push_back({{"pattern", bytes(item.pattern)}, {"class", std::string(name_of(item.wanted))}});
    }
    json["env"] = Json::object();
    for (const auto& [name, value] : spec.env_shown)
        json["env"][name] = bytes(value);
    json["env_hashed"] = Json::object();
    for (const auto& [name, hash] : spec.env_hashed)
        json["env_hashed"][name] = hash;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string history_json(const model::RunHistory& history) {
    Json json{{"attempt", history.attempt},       {"longest_gap", history.longest_gap},
              {"progressed", history.progressed}, {"artifacts_seen", history.artifacts_seen},
              {"log_size", history.log_size},     {"loss_is_nan", history.progress.loss_is_nan}};
    const auto put = [&](const char* key, const std::optional<std::int64_t>& value) {
        if (value) json[key] = *value;
    };
    put("progress_at", history.progress_at);
    put("step", history.progress.step);
    put("steps", history.progress.steps);
    put("epoch", history.progress.epoch);
    put("epochs", history.progress.epochs);
    if (history.progress.loss) json["loss"] = *history.progress.loss;
    return json.dump();
}

model::RunHistory history_of(std::string_view text) {
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    model::RunHistory history;
    if (!json.is_object()) return history;
    std::optional<std::int64_t> attempt;
    std::optional<std::int64_t> gap;
    std::optional<std::int64_t> log_size;
    read(json, "attempt", attempt);
    read(json, "longest_gap", gap);
    read(json, "log_size", log_size);
    history.attempt = attempt.value_or(0);
    history.longest_gap = gap.value_or(0);
    history.log_size = log_size.value_or(0);
    read(json, "artifacts_seen", history.artifacts_seen);
    read(json, "progress_at", history.progress_at);
    read(json, "step", history.progress.step);
    read(json, "steps", history.progress.steps);
    read(json, "epoch", history.progress.epoch);
    read(json, "epochs", history.progress.epochs);
    const auto flag = [&](const char* key) {
        const auto at = json.find(key);
        return at != json.end() && at->is_boolean() && at->get<bool>();
    };
    history.progressed = flag("progressed");
    history.progress.loss_is_nan = flag("loss_is_nan");
    if (const auto loss = json.find("loss"); loss != json.end() && loss->is_number()) {
        history.progress.loss = loss->get<double>();
    }
    return history;
}

}  // namespace drawhitch::exchange
