// Json: a write-only builder of JSON text, so that no output path needs a parser's headers. It holds the serialised
// form itself; there is no tree and nothing to query. Must never be used to read JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace drawhitch::term {

class Json {
  public:
    Json() = default;  // null
    template <std::same_as<bool> B>
    Json(B value) : text_(value ? "true" : "false") {}  // NOLINT(google-explicit-constructor): values read plainly
    template <std::integral I>
    requires(!std::same_as<I, bool>) Json(I value)
        : text_(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)
    Json(double value);                    // NOLINT(google-explicit-constructor): NaN and infinities are null
    // Text. Bytes that are not UTF-8 appear as \xNN escapes inside the string; use `name` where bytes must survive.
    Json(std::string_view text);    // NOLINT(google-explicit-constructor)
    Json(const std::string& text);  // NOLINT(google-explicit-constructor)
    Json(const char* text);         // NOLINT(google-explicit-constructor)

    static Json object();
    static Json array();
    // A file, path or other name that is bytes: a string when it is valid UTF-8, else {"b64": "..."}.
    static Json name(std::string_view bytes);

    // Adds a member to an object; the caller gives each key once.
    Json& set(std::string_view key, const Json& value);
    // Adds KEY (RFC 3339 UTC) and KEY_age (whole seconds until `now`) to an object.
    Json& set_time(std::string_view key, WallTime at, WallTime now);
    // Adds an element to an array.
    Json& push(const Json& value);

    [[nodiscard]] bool is_null() const { return kind_ == Kind::scalar && text_ == "null"; }
    [[nodiscard]] std::string dump() const;

  private:
    enum class Kind { scalar, object, array };

    Kind kind_{Kind::scalar};
    std::string text_{"null"};  // of a container: its members, without the brackets
};

// `text` as a JSON string with its quotes. Control and direction characters are \u escapes, so the result may be shown
// on a terminal as it is.
std::string json_string(std::string_view text);

}  // namespace drawhitch::term
