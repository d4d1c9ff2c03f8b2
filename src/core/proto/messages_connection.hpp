// Messages of the connection itself (docs/protocol.md, "Start" and "Connection").
#pragma once

#include <cstdint>
#include <string>

#include "core/proto/codec_id.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/message_type.hpp"
#include "core/proto/refusal.hpp"

namespace drawhitch::proto {

// Bits of Hello::capabilities.
inline constexpr std::uint64_t k_cap_digest_cache = 1U << 0U;
inline constexpr std::uint64_t k_cap_writers = 1U << 1U;
inline constexpr std::uint64_t k_cap_base = 1U << 2U;  // read on a base

// Helper -> client, right after the preamble. Later versions append fields.
struct Hello {
    static constexpr MessageType k_type = MessageType::hello;
    static constexpr bool k_extensible = true;
    std::uint16_t version_min{k_version_min};
    std::uint16_t version_max{k_version_max};
    std::string build_id{};  // of the helper binary
    std::string arch{};      // "x86_64", "aarch64"
    std::uint32_t pid{0};
    std::uint32_t uid{0};
    std::string boot_id{};  // of the kernel, empty if it does not tell
    std::int64_t wall_seconds{0};
    std::uint32_t wall_nanoseconds{0};
    std::string home{};      // $HOME as the helper sees it, may be empty
    std::uint32_t cores{1};  // this process may use
    std::uint64_t capabilities{0};
    CodecSet codecs{0};
    std::uint64_t push_credit{0};  // the first grant, cumulative like every credit
    std::uint32_t requests_max{0};
    std::uint32_t silence_seconds{0};

    template <class F>
    void visit(F& f) {
        f(version_min), f(version_max), f(build_id), f(arch), f(pid), f(uid), f(boot_id), f(wall_seconds);
        f(wall_nanoseconds), f(home), f(cores), f(capabilities), f(codecs), f(push_credit), f(requests_max);
        f(silence_seconds);
    }
};

// Client -> helper, its first frame.
struct ClientHello {
    static constexpr MessageType k_type = MessageType::client_hello;
    static constexpr bool k_extensible = true;
    std::uint16_t version{k_version_max};  // chosen from the helper's range
    std::string build_id{};                // of the client, for the helper's texts
    CodecSet codecs{0};                    // what the client can decode
    std::uint64_t pull_credit{0};          // first grant to the helper; 0 is allowed
    std::uint64_t push_window{0};          // wish for the helper's grants; 0 = as it likes

    template <class F>
    void visit(F& f) {
        f(version), f(build_id), f(codecs), f(pull_credit), f(push_window);
    }
};

struct Ping {
    static constexpr MessageType k_type = MessageType::ping;
    std::uint64_t token{0};

    template <class F>
    void visit(F& f) {
        f(token);
    }
};

struct Pong {
    static constexpr MessageType k_type = MessageType::pong;
    std::uint64_t token{0};

    template <class F>
    void visit(F& f) {
        f(token);
    }
};

// Either way: "you may have sent this many bytes of data payload since the connection began". Never falls.
struct Credit {
    static constexpr MessageType k_type = MessageType::credit;
    std::uint64_t limit{0};

    template <class F>
    void visit(F& f) {
        f(limit);
    }
};

// Either way, the last frame before the sender gives up the connection.
struct Fatal {
    static constexpr MessageType k_type = MessageType::fatal;
    Reason reason{Reason::framing};
    std::string text{};

    template <class F>
    void visit(F& f) {
        f(reason), f(text);
    }
};

// Keepalive of a long request; `total` is 0 when unknown. The unit is that of the request (bytes, entries).
struct Progress {
    static constexpr MessageType k_type = MessageType::progress;
    std::uint64_t done{0};
    std::uint64_t total{0};

    template <class F>
    void visit(F& f) {
        f(done), f(total);
    }
};

}  // namespace drawhitch::proto
