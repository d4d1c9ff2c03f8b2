// Result<T>: the value or the Error of anything the outside can make fail; a subset of std::expected's interface.
// Compiles without exceptions and RTTI.
#pragma once

#include <cassert>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace drawhitch {

struct Unit {};

template <class T>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    Result(T value) : value_(std::move(value)) {}      // NOLINT(google-explicit-constructor): return sites read plainly
    Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const { return value_.has_value(); }
    explicit operator bool() const { return has_value(); }

    T& value() & {
        assert(value_.has_value());
        return *value_;
    }
    const T& value() const& {
        assert(value_.has_value());
        return *value_;
    }
    T&& value() && {
        assert(value_.has_value());
        return std::move(*value_);
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() & {
        assert(!value_.has_value());
        return error_;
    }
    const Error& error() const& {
        assert(!value_.has_value());
        return error_;
    }
    Error&& error() && {
        assert(!value_.has_value());
        return std::move(error_);
    }

    T value_or(T other) && { return has_value() ? std::move(*value_) : std::move(other); }

  private:
    std::optional<T> value_{};
    Error error_{};
};

using Status = Result<Unit>;
inline Status ok() {
    return Unit{};
}

}  // namespace drawhitch

#define DRAWHITCH_CONCAT_(a, b) a##b
#define DRAWHITCH_CONCAT(a, b) DRAWHITCH_CONCAT_(a, b)

// TRY(expression): leaves the function with the expression's Error, if it failed.
#define TRY(...)                                              \
    do {                                                      \
        if (auto try_result_ = (__VA_ARGS__); !try_result_) { \
            return std::move(try_result_).error();            \
        }                                                     \
    } while (false)

// TRY_ASSIGN(auto x, expression): declares or assigns the value, or leaves with the Error.
#define TRY_ASSIGN(target, ...) TRY_ASSIGN_(DRAWHITCH_CONCAT(try_assign_, __LINE__), target, __VA_ARGS__)
#define TRY_ASSIGN_(name, target, ...)  \
    auto name = (__VA_ARGS__);          \
    if (!name) {                        \
        return std::move(name).error(); \
    }                                   \
    target = std::move(name).value()
