#include "core/exchange/shard_index.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace drawhitch::exchange {

namespace {

// {"metadata": …, "weight_map": {TENSOR: FILE, …}}: the files are collected as they pass, so that no tree of a long
// index is ever built.
class MapReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t& value) override {
        if (in_map_ && depth_ == 2) files.insert(value);
        return true;
    }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool key(string_t& name) override {
        if (depth_ == 1) in_map_ = name == "weight_map";
        found = found || (depth_ == 1 && in_map_);
        return true;
    }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

    std::set<std::string> files{};
    bool found{false};

  private:
    bool enter() {
        ++depth_;
        return true;
    }
    bool leave() {
        --depth_;
        return true;
    }
    int depth_{0};
    bool in_map_{false};
};

}  // namespace

bool is_shard_index(std::string_view path) {
    return path.ends_with(".index.json");
}

std::optional<std::vector<std::string>> shard_files(std::string_view text) {
    MapReader reader;
    const bool whole = nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
    if (!whole || !reader.found) return std::nullopt;
    return std::vector<std::string>{reader.files.begin(), reader.files.end()};
}

}  // namespace drawhitch::exchange
