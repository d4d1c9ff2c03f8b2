// Every limit of the helper protocol in one place (docs/protocol.md, "Limits"). Both sides check a limit before they
// allocate for it. Changing a number that the peer can observe means a new protocol version.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drawhitch::proto {

inline constexpr std::uint16_t k_version_min = 1;
inline constexpr std::uint16_t k_version_max = 1;

inline constexpr std::size_t k_header_size = 13;  // u32 length, u8 type, u32 request, u32 check
inline constexpr std::size_t k_trailer_size = 8;  // u64 xxh3 of the payload
inline constexpr std::size_t k_frame_overhead = k_header_size + k_trailer_size;

inline constexpr std::size_t k_chunk = 1U << 20U;       // raw bytes of one leaf
inline constexpr std::size_t k_fragment = 128U << 10U;  // encoded bytes in one data frame
inline constexpr std::size_t k_data_head_max = 64;      // fields before them
inline constexpr std::size_t k_data_payload_max = k_fragment + k_data_head_max;
inline constexpr std::size_t k_control_payload_max = 1U << 20U;                // any other frame
inline constexpr std::size_t k_encoded_chunk_max = k_chunk + (k_chunk >> 3U);  // no codec may grow a chunk by more

inline constexpr std::size_t k_noise_max = 64U << 10U;     // bytes skipped before the preamble
inline constexpr std::size_t k_nonce_size = 16;            // raw bytes; 32 hex digits as the helper's argument
inline constexpr std::size_t k_path_max = 16U << 10U;      // a relative path
inline constexpr std::size_t k_name_max = 255;             // one component
inline constexpr std::size_t k_part_name_max = 128;        // a plain name in the parts directory
inline constexpr std::size_t k_text_max = 4U << 10U;       // texts for people
inline constexpr std::size_t k_small_max = 512U << 10U;    // read_small, write_small, and one file of a bundle
inline constexpr std::size_t k_requests_max = 4096;        // requests sent and not yet answered, per connection
inline constexpr std::size_t k_inbox_max = 8U << 20U;      // bytes of control frames waiting, per connection
inline constexpr std::size_t k_page_bytes = 256U << 10U;   // raw size of a scan page before it is closed
inline constexpr std::size_t k_leaves_per_frame = 16'384;  // 512 KiB
inline constexpr std::uint16_t k_roots_max = 64;           // open roots per connection

inline constexpr std::uint64_t k_push_credit = 4U << 20U;       // what a helper grants when it starts
inline constexpr std::uint64_t k_push_grants = 32;              // in so many steps it gives a window of it back
inline constexpr std::uint64_t k_push_credit_max = 16U << 20U;  // and at most, when the client asks for more

inline constexpr int k_ping_seconds = 5;      // a client sends some frame at least this often
inline constexpr int k_silence_seconds = 30;  // a helper without a client frame for this long exits

// The directory a claimed root keeps for us, and what lies in it.
inline constexpr const char* k_private_dir = ".drawhitch";
inline constexpr const char* k_parts_dir = ".drawhitch/parts";
inline constexpr std::size_t k_path_bytes = 256U << 10U;  // of paths in one request: well inside a control frame

}  // namespace drawhitch::proto
