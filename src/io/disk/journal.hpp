// The journal beside a part file: which leaves of it were written. Pure text in, values out; what it claims is proved
// again against the part's bytes, so a damaged journal costs time and never correctness.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/proto/digest.hpp"

namespace drawhitch::disk {

// What a journal claims. `identity` names the state of the source file the leaves were read from (any bytes of at most
// 64 KiB; the caller's words).
struct JournalClaims {
    bool usable{false};  // false: the head is damaged or missing; nothing of it can be used
    std::string identity{};
    std::map<std::uint64_t, proto::Digest> leaves{};
    std::size_t whole_bytes{0};  // length up to the last whole record: new records are appended there
};

// The first bytes of a journal: magic, salt (makes records of another journal invalid), identity, check.
std::string journal_head(std::string_view salt, std::string_view identity);
// One record: u64 index, leaf, check over salt, index and leaf. All records have the same length.
std::string journal_record(std::string_view salt, std::uint64_t index, const proto::Digest& leaf);
// Reads a journal cut or damaged anywhere: records whose check fails are left out, the later ones still count; for an
// index written twice the last record stands.
JournalClaims read_journal(std::string_view bytes);
// The salt of a usable journal's head.
std::string journal_salt(std::string_view bytes);

// A journal of a 1 TiB file is 48 MiB; more is not ours.
inline constexpr std::size_t k_longest_journal = 256U << 20U;
inline constexpr std::size_t k_journal_salt = 8;
inline constexpr std::size_t k_journal_record = 8 + 32 + 8;

}  // namespace drawhitch::disk
