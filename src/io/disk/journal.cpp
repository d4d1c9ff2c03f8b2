#include "io/disk/journal.hpp"

namespace drawhitch::disk {

namespace {

constexpr std::string_view k_magic = "DHLEAF1\n";
constexpr std::size_t k_check = 8;
constexpr std::size_t k_longest_identity = 64U << 10U;
constexpr std::size_t k_before_identity = 8 + k_journal_salt + 4;

void put(std::string& out, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        out += static_cast<char>((value >> (8U * i)) & 0xFFU);
    }
}

std::uint64_t get(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
    }
    return value;
}

std::string check_of(std::string_view data) {
    return std::string{proto::sha256(data).view().substr(0, k_check)};
}

}  // namespace

std::string journal_head(std::string_view salt, std::string_view identity) {
    std::string head{k_magic};
    head.append(salt.substr(0, k_journal_salt));
    put(head, identity.size(), 4);
    head.append(identity);
    head += check_of(head);
    return head;
}

std::string journal_record(std::string_view salt, std::uint64_t index, const proto::Digest& leaf) {
    std::string record;
    put(record, index, 8);
    record.append(leaf.view());
    record += check_of(std::string{salt} + record);
    return record;
}

std::string journal_salt(std::string_view bytes) {
    return std::string{bytes.substr(k_magic.size(), k_journal_salt)};
}

JournalClaims read_journal(std::string_view bytes) {
    JournalClaims claims{};
    if (bytes.size() < k_before_identity || !bytes.starts_with(k_magic)) return claims;
    const std::uint64_t length = get(bytes, k_before_identity - 4, 4);
    if (length > k_longest_identity || bytes.size() < k_before_identity + length + k_check) return claims;
    const std::size_t head_end = k_before_identity + static_cast<std::size_t>(length);
    if (check_of(bytes.substr(0, head_end)) != bytes.substr(head_end, k_check)) return claims;
    claims.usable = true;
    claims.identity = bytes.substr(k_before_identity, static_cast<std::size_t>(length));
    const std::string salt = journal_salt(bytes);
    std::size_t at = head_end + k_check;
    for (; bytes.size() - at >= k_journal_record; at += k_journal_record) {
        const std::string_view record = bytes.substr(at, k_journal_record);
        if (check_of(salt + std::string{record.substr(0, 40)}) != record.substr(40)) continue;
        proto::Digest leaf{};
        for (std::size_t i = 0; i < leaf.bytes.size(); ++i) {
            leaf.bytes[i] = static_cast<std::uint8_t>(record[8 + i]);
        }
        claims.leaves[get(record, 0, 8)] = leaf;
    }
    claims.whole_bytes = at;
    return claims;
}

}  // namespace drawhitch::disk
