#include "io/term/json.hpp"

#include <cassert>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"

namespace drawhitch::term {

namespace {

void append_unit(std::string& out, std::uint32_t unit) {
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(unit & 0xFFFFU));
    out += text;
}

void append_escaped(std::string& out, std::uint32_t point) {
    switch (point) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\t':
            out += "\\t";
            return;
        case '\r':
            out += "\\r";
            return;
        default:
            append_unit(out, point);  // every harmful character lies in the first plane
    }
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        if (point.length == 0) {
            out += '\\';
            out += printable(text.substr(0, 1));
            text.remove_prefix(1);
            continue;
        }
        if (point.value == '"' || point.value == '\\' || !is_harmless(point.value)) {
            append_escaped(out, point.value);
        } else {
            out.append(text.substr(0, point.length));
        }
        text.remove_prefix(point.length);
    }
    return out += '"';
}

Json::Json(double value) {
    if (!std::isfinite(value)) return;
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", value);
    text_ = text;
}

Json::Json(std::string_view text) : text_(json_string(text)) {}
Json::Json(const std::string& text) : text_(json_string(text)) {}
Json::Json(const char* text) : text_(json_string(text)) {}

Json Json::object() {
    Json made;
    made.kind_ = Kind::object;
    made.text_.clear();
    return made;
}

Json Json::array() {
    Json made;
    made.kind_ = Kind::array;
    made.text_.clear();
    return made;
}

Json Json::name(std::string_view bytes) {
    if (is_valid_utf8(bytes)) return Json{bytes};
    return object().set("b64", base64(bytes));
}

Json& Json::set(std::string_view key, const Json& value) {
    assert(kind_ == Kind::object);
    if (!text_.empty()) text_ += ',';
    text_ += json_string(key);
    text_ += ':';
    text_ += value.dump();
    return *this;
}

Json& Json::set_time(std::string_view key, WallTime at, WallTime now) {
    set(key, rfc3339(at));
    return set(std::string{key} + "_age", now.seconds - at.seconds);
}

Json& Json::push(const Json& value) {
    assert(kind_ == Kind::array);
    if (!text_.empty()) text_ += ',';
    text_ += value.dump();
    return *this;
}

std::string Json::dump() const {
    switch (kind_) {
        case Kind::scalar:
            return text_;
        case Kind::object:
            return "{" + text_ + "}";
        case Kind::array:
            return "[" + text_ + "]";
    }
    return text_;
}

}  // namespace drawhitch::term
