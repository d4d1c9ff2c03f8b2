// Outcome<T>: the value, or the Refusal that will be sent to the client. The helper's own Result; works with TRY.
#pragma once

#include <cassert>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "core/proto/refusal.hpp"

namespace drawhitch::helper {

template <class T>
class [[nodiscard]] Outcome {
  public:
    Outcome(T value) : value_(std::move(value)) {}                     // NOLINT(google-explicit-constructor)
    Outcome(proto::Refusal refusal) : refusal_(std::move(refusal)) {}  // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return value_.has_value(); }
    T& operator*() & {
        assert(value_.has_value());
        return *value_;
    }
    const T& operator*() const& {
        assert(value_.has_value());
        return *value_;
    }
    T&& value() && {
        assert(value_.has_value());
        return std::move(*value_);
    }
    T* operator->() {
        assert(value_.has_value());
        return &*value_;
    }
    const proto::Refusal& error() const& { return refusal_; }
    proto::Refusal&& error() && { return std::move(refusal_); }

  private:
    std::optional<T> value_{};
    proto::Refusal refusal_{};
};

using Done = Outcome<Unit>;

inline proto::Refusal refuse(proto::Reason reason, std::string_view path = {}, std::string text = {}) {
    proto::Refusal refusal;
    refusal.reason = reason;
    refusal.path = path;
    refusal.text = std::move(text);
    return refusal;
}

inline proto::Refusal refuse_errno(int error, std::string_view path) {
    proto::Refusal refusal = refuse(proto::reason_of_errno(error), path);
    refusal.error = error;
    return refusal;
}

// A failed creation: "no space" is told apart from "no inodes" by asking the file system that `directory` lies on.
proto::Refusal refuse_create(int error, int directory, std::string_view path);

}  // namespace drawhitch::helper
