#include "core/proto/message_type.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace drawhitch::proto {

namespace {

constexpr auto k_names = std::to_array<std::pair<MessageType, std::string_view>>({
    {MessageType::hello, "hello"},
    {MessageType::client_hello, "client_hello"},
    {MessageType::ping, "ping"},
    {MessageType::pong, "pong"},
    {MessageType::credit, "credit"},
    {MessageType::cancel, "cancel"},
    {MessageType::fatal, "fatal"},
    {MessageType::bye, "bye"},
    {MessageType::data, "data"},
    {MessageType::open_root, "open_root"},
    {MessageType::claim, "claim"},
    {MessageType::probe_root, "probe_root"},
    {MessageType::statvfs, "statvfs"},
    {MessageType::stat, "stat"},
    {MessageType::scan, "scan"},
    {MessageType::hash, "hash"},
    {MessageType::read, "read"},
    {MessageType::read_bundle, "read_bundle"},
    {MessageType::write, "write"},
    {MessageType::write_bundle, "write_bundle"},
    {MessageType::write_end, "write_end"},
    {MessageType::commit, "commit"},
    {MessageType::apply, "apply"},
    {MessageType::sync, "sync"},
    {MessageType::tree_hash, "tree_hash"},
    {MessageType::write_small, "write_small"},
    {MessageType::read_small, "read_small"},
    {MessageType::writers, "writers"},
    {MessageType::refused, "refused"},
    {MessageType::progress, "progress"},
    {MessageType::root_opened, "root_opened"},
    {MessageType::claimed, "claimed"},
    {MessageType::root_probed, "root_probed"},
    {MessageType::space, "space"},
    {MessageType::entries, "entries"},
    {MessageType::scan_page, "scan_page"},
    {MessageType::scan_end, "scan_end"},
    {MessageType::leaves, "leaves"},
    {MessageType::hashed, "hashed"},
    {MessageType::read_end, "read_end"},
    {MessageType::write_ack, "write_ack"},
    {MessageType::written, "written"},
    {MessageType::bundle_ack, "bundle_ack"},
    {MessageType::committed, "committed"},
    {MessageType::applied, "applied"},
    {MessageType::synced, "synced"},
    {MessageType::tree_hashed, "tree_hashed"},
    {MessageType::small_written, "small_written"},
    {MessageType::small, "small"},
    {MessageType::writers_found, "writers_found"},
});

}  // namespace

std::string_view name(MessageType type) {
    const auto* row = std::find_if(k_names.begin(), k_names.end(), [type](const auto& r) { return r.first == type; });
    return row == k_names.end() ? std::string_view{"unknown"} : row->second;
}

}  // namespace drawhitch::proto
