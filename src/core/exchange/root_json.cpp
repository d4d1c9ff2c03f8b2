#include "core/exchange/root_json.hpp"

#include <nlohmann/json.hpp>

namespace drawhitch::exchange {

namespace {

using Json = nlohmann::json;
using model::RootFacts;

struct Row {
    const char* key{""};
    bool RootFacts::*fact{nullptr};
};

constexpr Row k_rows[] = {
    {"hard_links", &RootFacts::hard_links},
    {"symlinks", &RootFacts::symlinks},
    {"rename_replaces", &RootFacts::rename_replaces},
    {"rename_no_replace", &RootFacts::rename_no_replace},
    {"sparse", &RootFacts::sparse},
    {"fsync", &RootFacts::fsync},
    {"stable_inodes", &RootFacts::stable_inodes},
    {"case_folding", &RootFacts::case_folding},
    {"normalising", &RootFacts::normalising},
    {"exec", &RootFacts::exec},
    {"reflink", &RootFacts::reflink},
    {"exec_bit", &RootFacts::exec_bit},
};

}  // namespace

std::string root_json(const RootFacts& facts) {
    Json json{{"boot_id", facts.boot_id}, {"mtime_step_ns", facts.mtime_step_ns}, {"fs_type", facts.fs_type}};
    for (const Row& row : k_rows)
        json[row.key] = facts.*row.fact;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RootFacts> read_root_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    RootFacts facts;
    for (const Row& row : k_rows) {
        const auto at = json.find(row.key);
        if (at == json.end() || !at->is_boolean()) return std::nullopt;
        facts.*row.fact = at->get<bool>();
    }
    const auto boot = json.find("boot_id");
    const auto step = json.find("mtime_step_ns");
    const auto type = json.find("fs_type");
    const bool whole = boot != json.end() && boot->is_string() && step != json.end() && step->is_number_unsigned() &&
                       type != json.end() && type->is_number_unsigned();
    if (!whole) return std::nullopt;
    facts.boot_id = boot->get<std::string>();
    facts.mtime_step_ns = step->get<std::uint64_t>();
    facts.fs_type = type->get<std::uint64_t>();
    return facts;
}

}  // namespace drawhitch::exchange
