#include "core/proto/wire.hpp"

#include <algorithm>

namespace drawhitch::proto {

std::string_view Reader::take(std::size_t count) {
    if (!ok_ || count > rest_.size()) {
        ok_ = false;
        return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
}

void Reader::operator()(bool& value) {
    std::uint8_t raw = 0;
    (*this)(raw);
    if (raw > 1) fail();
    value = raw == 1;
}

void Reader::operator()(std::string_view& value) {
    std::uint32_t count = 0;
    (*this)(count);
    value = take(count);
}

void Reader::operator()(std::string& value) {
    std::string_view view;
    (*this)(view);
    value.assign(view);
}

void Reader::operator()(Digest& value) {
    const std::string_view bytes = take(value.bytes.size());
    if (!ok_) return;
    std::transform(bytes.begin(), bytes.end(), value.bytes.begin(),
                   [](char c) { return static_cast<std::uint8_t>(c); });
}

Error malformed(std::string_view message) {
    return Error{Code::protocol, "malformed " + std::string(message) + " message"};
}

}  // namespace drawhitch::proto
