#include "core/exchange/copied_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace drawhitch::exchange {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson in_bytes(std::string_view text) {
    if (is_valid_utf8(text)) return std::string(text);
    return OrderedJson{{"b64", base64(text)}};
}

// Empty for what is no base64.
std::string decoded(std::string_view text) {
    constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string raw;
    std::uint32_t group = 0;
    unsigned bits = 0;
    while (text.ends_with('='))
        text.remove_suffix(1);
    for (const char letter : text) {
        const std::size_t value = k_letters.find(letter);
        if (value == std::string_view::npos) return {};
        group = ((group << 6U) | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        raw += static_cast<char>((group >> bits) & 0xFFU);
    }
    return raw;
}

std::string name_of(const OrderedJson& json, const char* key) {
    if (!json.is_object()) return {};
    const auto at = json.find(key);
    if (at == json.end()) return {};
    if (at->is_string()) return at->get<std::string>();
    if (!at->is_object()) return {};
    const auto raw = at->find("b64");
    return raw != at->end() && raw->is_string() ? decoded(raw->get<std::string>()) : std::string{};
}

// All of it or nothing.
CopiedState state_of(const OrderedJson& row) {
    if (!row.is_object()) return {};
    const auto ino = row.find("ino");
    const auto mtime = row.find("mtime_ns");
    const auto ctime = row.find("ctime_ns");
    const auto size = row.find("size");
    const bool whole = ino != row.end() && ino->is_number_unsigned() && mtime != row.end() &&
                       mtime->is_number_integer() && ctime != row.end() && ctime->is_number_integer() &&
                       size != row.end() && size->is_number_unsigned();
    if (!whole) return {};
    return {ino->get<std::uint64_t>(), mtime->get<std::int64_t>(), ctime->get<std::int64_t>(),
            size->get<std::uint64_t>()};
}

}  // namespace

std::string copied_json(bool to_box, const std::vector<CopiedEntry>& files) {
    OrderedJson list = OrderedJson::array();
    for (const CopiedEntry& file : files) {
        list.push_back(
            {{"path", in_bytes(file.path)}, {"bytes", file.size}, {"root", file.root}, {"here", in_bytes(file.here)}});
        if (file.state.ctime_ns == 0) continue;
        list.back()["size"] = file.state.size;
        list.back()["ino"] = file.state.ino;
        list.back()["mtime_ns"] = file.state.mtime_ns;
        list.back()["ctime_ns"] = file.state.ctime_ns;
    }
    return OrderedJson{{"to_box", to_box}, {"files", std::move(list)}}.dump();
}

std::vector<CopiedEntry> copied_of(std::string_view json) {
    std::vector<CopiedEntry> files;
    const OrderedJson parsed = OrderedJson::parse(json, nullptr, false);
    if (!parsed.is_object()) return files;
    const auto list = parsed.find("files");
    if (list == parsed.end() || !list->is_array()) return files;
    for (const OrderedJson& row : *list) {
        CopiedEntry file{name_of(row, "path"), name_of(row, "root"), 0, name_of(row, "here"), state_of(row)};
        if (file.path.empty() || file.root.empty()) continue;
        const auto size = row.find("bytes");
        if (size != row.end() && size->is_number_unsigned()) file.size = size->get<std::uint64_t>();
        files.push_back(std::move(file));
    }
    return files;
}

std::string writing_json(const std::string& directory, bool makes_private) {
    return OrderedJson{{"directory", in_bytes(directory)}, {"makes_private", makes_private}}.dump();
}

bool makes_private(std::string_view json) {
    const OrderedJson parsed = OrderedJson::parse(json, nullptr, false);
    if (!parsed.is_object()) return false;
    const auto found = parsed.find("makes_private");
    return found != parsed.end() && found->is_boolean() && found->get<bool>();
}

std::string writing_of(std::string_view json) {
    return name_of(OrderedJson::parse(json, nullptr, false), "directory");
}

}  // namespace drawhitch::exchange
