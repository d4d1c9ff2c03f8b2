// The helper binaries this program carries, one per architecture. Owns no file: bytes in, bytes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::agent {

struct HelperImage {
    std::string arch{};      // as `uname -m` says it: "x86_64", "aarch64"
    std::string build_id{};  // names the content: first 16 hex digits of the SHA-256 of the binary
    std::string bytes{};     // the ELF file, uncompressed
    std::string packed{};    // the same as a zstd frame, for boxes that can unpack it; may be empty
};

// What can be put on a box. Built into the program (`embedded`), or given by a test.
class HelperImages {
  public:
    // The images linked into this program; decompressed on demand. Without any, every lookup fails.
    static HelperImages embedded();
    static HelperImages of(std::vector<HelperImage> images);

    // Code::noexec with the architectures we have, if this one is not among them.
    [[nodiscard]] Result<HelperImage> find(std::string_view arch) const;
    // The build id without decompressing anything; empty if there is none for this architecture.
    [[nodiscard]] std::string build_id(std::string_view arch) const;
    [[nodiscard]] std::vector<std::string> architectures() const;

  private:
    std::vector<HelperImage> given_{};
    bool embedded_{false};
};

}  // namespace drawhitch::agent
