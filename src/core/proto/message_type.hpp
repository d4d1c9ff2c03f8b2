// The type byte of every frame. Numbers are the wire: never reuse or renumber one.
#pragma once

#include <cstdint>
#include <string_view>

namespace drawhitch::proto {

enum class MessageType : std::uint8_t {
    // The connection itself (request 0, except cancel).
    hello = 0x01,
    client_hello = 0x02,
    ping = 0x03,
    pong = 0x04,
    credit = 0x05,
    cancel = 0x06,
    fatal = 0x07,
    bye = 0x08,
    // Bulk bytes, both ways; the only type that uses credit.
    data = 0x10,
    // Requests.
    open_root = 0x20,
    claim = 0x21,
    probe_root = 0x22,
    statvfs = 0x23,
    stat = 0x24,
    scan = 0x25,
    hash = 0x26,
    read = 0x27,
    read_bundle = 0x28,
    write = 0x29,
    write_bundle = 0x2A,
    write_end = 0x2B,
    commit = 0x2C,
    apply = 0x2D,
    sync = 0x2E,
    tree_hash = 0x2F,
    write_small = 0x30,
    read_small = 0x31,
    writers = 0x32,
    // Answers that any request may get.
    refused = 0x80,
    progress = 0x81,
    // Answers of their own.
    root_opened = 0xA0,
    claimed = 0xA1,
    root_probed = 0xA2,
    space = 0xA3,
    entries = 0xA4,
    scan_page = 0xA5,
    scan_end = 0xA6,
    leaves = 0xA7,
    hashed = 0xA8,
    read_end = 0xA9,
    write_ack = 0xAA,
    written = 0xAB,
    bundle_ack = 0xAC,
    committed = 0xAD,
    applied = 0xAE,
    synced = 0xAF,
    tree_hashed = 0xB0,
    small_written = 0xB1,
    small = 0xB2,
    writers_found = 0xB3,
};

// "read_bundle"; "unknown" for a byte that is none of the above.
std::string_view name(MessageType type);

}  // namespace drawhitch::proto
