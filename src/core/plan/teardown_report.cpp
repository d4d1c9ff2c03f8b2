#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "core/plan/teardown.hpp"

namespace drawhitch::plan {

namespace {

using Json = nlohmann::ordered_json;

Json name_json(const std::string& bytes) {
    if (is_valid_utf8(bytes)) return bytes;
    return Json{{"b64", base64(bytes)}};
}

Json text_json(const std::string& text) {
    return is_valid_utf8(text) ? text : printable(text);
}

Json run_json(const TeardownRun& entry) {
    const model::RunSpec& spec = entry.run.spec;
    Json command = Json::array();
    for (const std::string& word : spec.command)
        command.push_back(name_json(word));
    Json files = Json::array();
    for (const model::ReceiptEntry& proven : entry.proven) {
        files.push_back({{"path", name_json(proven.file.path)},
                         {"bytes", proven.file.size},
                         {"sha256", proven.file.sha256},
                         {"root", proven.file.root},
                         {"structure", model::name_of(proven.structure)},
                         {"local", name_json(proven.local_path)}});
    }
    Json run{{"run", spec.name},
             {"attempt", entry.run.attempt},
             {"verdict", model::name_of(entry.run.verdict.kind)},
             {"exit_code", nullptr},
             {"cause", text_json(entry.run.verdict.cause)},
             {"code", spec.code_hash},
             {"command", std::move(command)},
             {"started", rfc3339(entry.run.created)},
             {"files", std::move(files)}};
    if (entry.run.verdict.exit_code) run["exit_code"] = *entry.run.verdict.exit_code;
    return run;
}

Json gate_json(const judge::Gate& gate) {
    Json fates = Json::array();
    for (const judge::FateLine& fate : gate.fates) {
        constexpr const char* k_words[] = {"dies-proven", "dies-given-up", "dies-declared", "survives"};
        fates.push_back({{"fate", k_words[static_cast<std::size_t>(fate.fate)]}, {"what", text_json(fate.what)}});
    }
    Json remarks = Json::array();
    for (const std::string& remark : gate.remarks)
        remarks.push_back(text_json(remark));
    return {{"open", gate.open}, {"fates", std::move(fates)}, {"remarks", std::move(remarks)}};
}

Json optional_json(const std::optional<double>& amount) {
    return amount ? Json(*amount) : Json(nullptr);
}

}  // namespace

std::string report_json(const TeardownReport& report) {
    const model::Lease& lease = report.lease;
    Json runs = Json::array();
    for (const TeardownRun& run : report.runs)
        runs.push_back(run_json(run));
    Json removed = Json::array();
    for (const std::string& path : report.removed)
        removed.push_back(name_json(path));
    Json json{{"schema", "drawhitch.down/1"},
              {"program", report.program},
              {"at", rfc3339(report.at)},
              {"box", lease.name},
              {"lease", lease.id},
              {"profile", {{"id", lease.profile}, {"version", report.profile_version}}},
              {"endpoint", {{"host", text_json(lease.endpoint.host)}, {"port", lease.endpoint.port}}},
              {"host_keys", report.host_keys},
              {"root", name_json(lease.root)},
              {"began", rfc3339(lease.began)},
              {"price_hour", optional_json(lease.price_hour)},
              {"spent", optional_json(report.spent)},
              {"currency", text_json(lease.currency)},
              {"end", {{"state", report.state}, {"proof", report.proof}, {"by_hand", text_json(report.by_hand)}}},
              {"gate", gate_json(report.gate)},
              {"removed", std::move(removed)},
              {"runs", std::move(runs)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_markdown(const TeardownReport& report) {
    const model::Lease& lease = report.lease;
    std::string text = "# " + printable(lease.name) + ", " + rfc3339(report.at) + "\n\n";
    text += "State: " + report.state + "\n";
    for (const std::string& line : report.proof)
        text += "- " + printable(line) + "\n";
    if (!report.by_hand.empty()) text += "\nTo do by hand: " + printable(report.by_hand) + "\n";
    text += "\nLease " + std::to_string(lease.id) + " since " + rfc3339(lease.began) + ", profile " +
            printable(lease.profile) + " " + printable(report.profile_version) + ", " + printable(lease.endpoint.user) +
            "@" + printable(lease.endpoint.host) + " port " + std::to_string(lease.endpoint.port) + ".\n";
    for (const std::string& key : report.host_keys)
        text += "Host key " + printable(key) + ".\n";
    text += "\n```\n";
    for (const std::string& line : teardown_lines(lease.name, lease.currency, report.gate))
        text += line + "\n";
    text += "```\n";
    for (const TeardownRun& entry : report.runs) {
        const model::Run& run = entry.run;
        text += "\n## Run " + printable(run.spec.name) + ": " + std::string{model::name_of(run.verdict.kind)} + "\n\n";
        text += "Code " + (run.spec.code_hash.empty() ? "none" : run.spec.code_hash) + "\n\n";
        text += "| bytes | SHA-256 | file |\n|---|---|---|\n";
        for (const model::ReceiptEntry& proven : entry.proven)
            text += "| " + std::to_string(proven.file.size) + " | " + proven.file.sha256 + " | " +
                    printable(proven.local_path) + " |\n";
    }
    return text;
}

}  // namespace drawhitch::plan
