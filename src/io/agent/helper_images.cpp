#include "io/agent/helper_images.hpp"

#include <zstd.h>

#include <algorithm>

#include "base/text.hpp"

// Made by scripts/cmake/helper_images.cmake: a zstd frame for each machine, and the SHA-256 of what is in it.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
extern "C" {
extern const char drawhitch_helper_x86_64_begin[];
extern const char drawhitch_helper_x86_64_end[];
extern const char drawhitch_helper_x86_64_sha256[];
extern const char drawhitch_helper_aarch64_begin[];
extern const char drawhitch_helper_aarch64_end[];
extern const char drawhitch_helper_aarch64_sha256[];
}
// NOLINTEND(readability-identifier-naming)

namespace drawhitch::agent {

namespace {

constexpr std::size_t k_build_id_digits = 16;
constexpr std::size_t k_image_max = 64U << 20U;  // far above any helper: a broken build must not eat the memory

struct Embedded {
    std::string_view arch{};
    std::string_view frame{};
    std::string_view sha256{};
};

std::vector<Embedded> embedded_images() {
    const auto frame = [](const char* begin, const char* end) {
        return std::string_view(begin, static_cast<std::size_t>(end - begin));
    };
    std::vector<Embedded> all = {
        {"x86_64", frame(drawhitch_helper_x86_64_begin, drawhitch_helper_x86_64_end), drawhitch_helper_x86_64_sha256},
        {"aarch64", frame(drawhitch_helper_aarch64_begin, drawhitch_helper_aarch64_end),
         drawhitch_helper_aarch64_sha256},
    };
    // A machine whose helper could not be built is an empty frame.
    all.erase(std::remove_if(all.begin(), all.end(), [](const Embedded& image) { return image.frame.empty(); }),
              all.end());
    return all;
}

Result<HelperImage> unpack(const Embedded& image) {
    const unsigned long long size = ZSTD_getFrameContentSize(image.frame.data(), image.frame.size());
    const Error broken{Code::internal, "the helper inside this program is damaged"};
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > k_image_max) return broken;
    HelperImage out{std::string(image.arch), std::string(image.sha256.substr(0, k_build_id_digits)), {}, {}};
    out.bytes.resize(static_cast<std::size_t>(size));
    out.packed = image.frame;
    const std::size_t got = ZSTD_decompress(out.bytes.data(), out.bytes.size(), image.frame.data(), image.frame.size());
    if (ZSTD_isError(got) != 0U || got != out.bytes.size()) return broken;
    return out;
}

}  // namespace

HelperImages HelperImages::embedded() {
    HelperImages images;
    images.embedded_ = true;
    return images;
}

HelperImages HelperImages::of(std::vector<HelperImage> images) {
    HelperImages all;
    all.given_ = std::move(images);
    return all;
}

std::vector<std::string> HelperImages::architectures() const {
    std::vector<std::string> names;
    for (const HelperImage& image : given_)
        names.push_back(image.arch);
    if (embedded_) {
        for (const Embedded& image : embedded_images())
            names.emplace_back(image.arch);
    }
    return names;
}

Result<HelperImage> HelperImages::find(std::string_view arch) const {
    for (const HelperImage& image : given_)
        if (image.arch == arch) return image;
    if (embedded_) {
        for (const Embedded& image : embedded_images())
            if (image.arch == arch) return unpack(image);
    }
    Error error{Code::noexec, "there is no helper for a box of architecture " + printable(arch)};
    error.why = "this program carries helpers for: " + join(architectures(), ", ");
    return error;
}

std::string HelperImages::build_id(std::string_view arch) const {
    for (const HelperImage& image : given_)
        if (image.arch == arch) return image.build_id;
    if (embedded_) {
        for (const Embedded& image : embedded_images())
            if (image.arch == arch) return std::string(image.sha256.substr(0, k_build_id_digits));
    }
    return {};
}

}  // namespace drawhitch::agent
