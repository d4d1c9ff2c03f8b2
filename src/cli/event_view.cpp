#include "cli/event_view.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;
using StoredJson = nlohmann::ordered_json;

Json json_of(const StoredJson& value) {
    if (value.is_boolean()) return Json{value.get<bool>()};
    if (value.is_number_unsigned()) return Json{value.get<std::uint64_t>()};
    if (value.is_number_integer()) return Json{value.get<std::int64_t>()};
    if (value.is_number()) return Json{value.get<double>()};
    if (value.is_string()) return Json{value.get<std::string>()};
    if (value.is_null()) return Json{};
    Json made = value.is_array() ? Json::array() : Json::object();
    for (const auto& [key, member] : value.items()) {
        if (value.is_array()) {
            made.push(json_of(member));
        } else {
            made.set(key, json_of(member));
        }
    }
    return made;
}

// More of a list is for machines.
constexpr std::size_t k_most_words = 3;

std::string words_of(const StoredJson& value) {
    if (value.is_string()) return printable(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (!value.is_structured()) return value.dump();
    std::vector<std::string> words;
    for (const auto& [key, member] : value.items()) {
        if (value.is_array() && words.size() == k_most_words) {
            words.push_back("and " + std::to_string(value.size() - k_most_words) + " more");
            break;
        }
        std::string text = words_of(member);
        if (text.empty()) continue;
        words.push_back(value.is_array() ? std::move(text) : printable(key) + ": " + text);
    }
    return join(words, ", ");
}

}  // namespace

term::Cell event_cell(const std::string& json) {
    const StoredJson parsed = StoredJson::parse(json, nullptr, false);
    if (!parsed.is_object()) return json.empty() ? term::Cell::none() : term::Cell::text(json);
    return term::Cell::value(json_of(parsed), words_of(parsed));
}

}  // namespace drawhitch::cli
