// Turning message structs into payload bytes and back. A message lists its fields once, in a member template
// `visit(f)` that calls `f(field)` for each, in wire order; Writer and Reader are the two visitors.
//
// Encodings: integers little-endian; bool one byte, 0 or 1; enums one byte, at most `last_of(E{})`; byte strings and
// lists u32 count, then content; optional one byte, 0 or 1, then the value; Digest 32 bytes; structs their fields.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/message_type.hpp"

namespace drawhitch::proto {

template <class E>
concept WireEnum = std::is_enum_v<E> && requires(E e) {
    { last_of(e) } -> std::same_as<E>;
};

class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}

    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) void operator()(T value) {
        char bytes[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i)
            bytes[i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8U * i));
        out_.append(bytes, sizeof(T));
    }
    template <std::signed_integral T>
    void operator()(T value) {
        (*this)(static_cast<std::make_unsigned_t<T>>(value));
    }
    void operator()(bool value) { out_.push_back(value ? '\1' : '\0'); }
    void operator()(std::string_view value) {
        (*this)(static_cast<std::uint32_t>(value.size()));
        out_.append(value);
    }
    void operator()(const std::string& value) { (*this)(std::string_view(value)); }
    void operator()(const Digest& value) { out_.append(value.view()); }
    template <WireEnum E>
    void operator()(E value) {
        out_.push_back(static_cast<char>(value));
    }
    template <class T>
    void operator()(const std::optional<T>& value) {
        (*this)(value.has_value());
        if (value) (*this)(*value);
    }
    template <class T>
    void operator()(const std::vector<T>& values) {
        (*this)(static_cast<std::uint32_t>(values.size()));
        for (const T& value : values)
            (*this)(value);
    }
    template <class T>
    requires requires(T& t, Writer& w) { t.visit(w); }
    void operator()(const T& value) {
        const_cast<T&>(value).visit(*this);  // one field list serves both visitors; a Writer only reads
    }

  private:
    std::string& out_;
};

// Reads from untrusted bytes. After the first failure every read yields defaults and ok() is false. Memory grows only
// as elements are really read: an announced count allocates nothing.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::string_view rest() const { return rest_; }
    void fail() { ok_ = false; }

    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) void operator()(T& value) {
        const std::string_view bytes = take(sizeof(T));
        std::uint64_t wide = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            wide |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8U * i);
        value = static_cast<T>(wide);
    }
    template <std::signed_integral T>
    void operator()(T& value) {
        std::make_unsigned_t<T> raw{};
        (*this)(raw);
        value = static_cast<T>(raw);
    }
    void operator()(bool& value);
    void operator()(std::string& value);
    // The view points into the bytes given to the constructor.
    void operator()(std::string_view& value);
    void operator()(Digest& value);
    template <WireEnum E>
    void operator()(E& value) {
        std::uint8_t raw = 0;
        (*this)(raw);
        if (raw > static_cast<std::uint8_t>(last_of(E{}))) return fail();
        value = static_cast<E>(raw);
    }
    template <class T>
    void operator()(std::optional<T>& value) {
        bool present = false;
        (*this)(present);
        value.reset();
        if (ok_ && present) (*this)(value.emplace());
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        std::uint32_t count = 0;
        (*this)(count);
        values.clear();
        for (std::uint32_t i = 0; ok_ && i < count; ++i)
            (*this)(values.emplace_back());
    }
    template <class T>
    requires requires(T& t, Reader& r) { t.visit(r); }
    void operator()(T& value) { value.visit(*this); }
    // Exactly `count` bytes, or none after failing.
    std::string_view take(std::size_t count);

  private:
    std::string_view rest_{};
    bool ok_{true};
};

template <class Message>
std::string encode(const Message& message) {
    std::string out;
    Writer writer(out);
    writer(message);
    return out;
}

// The Error every malformed payload gets: Code::protocol, "malformed MESSAGE message".
Error malformed(std::string_view message);

// Code::protocol unless the payload is exactly one message. Messages that declare `k_extensible` ignore what follows
// their known fields, so that later versions may add some.
template <class Message>
Result<Message> decode(std::string_view payload) {
    Message message{};
    Reader reader(payload);
    reader(message);
    const bool whole = reader.rest().empty() || requires {
        Message::k_extensible;
    };
    if (!reader.ok() || !whole) return malformed(name(Message::k_type));
    return message;
}

}  // namespace drawhitch::proto
