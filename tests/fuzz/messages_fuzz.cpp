// Any payload as every message: what decodes must encode to the same bytes again (hellos may have grown).
#include <cstdlib>

#include "core/codec/codec.hpp"
#include "core/proto/bundle.hpp"
#include "core/proto/messages_change.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/tree_hash.hpp"

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

template <class... Messages>
void try_all(std::string_view payload) {
    const auto one = [payload]<class Message>(const Message&) {
        const auto message = decode<Message>(payload);
        const bool same = !message || encode(*message) == payload.substr(0, encode(*message).size());
        if (!same) std::abort();
    };
    (one(Messages{}), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view payload(reinterpret_cast<const char*>(data), size);
    try_all<Hello, ClientHello, Ping, Credit, Fatal, Progress, Refusal, OpenRoot, RootOpened, proto::Claim, Claimed,
            ProbeRoot, RootProbed, StatVfs, Space, Stat, Scan, ScanPage, ScanEnd, Hash, Leaves, Hashed, TreeHash,
            TreeHashed, ReadSmall, Small, Writers, WritersFound, Read, ReadEnd, ReadBundle, Write, WriteAck, WriteEnd,
            Written, WriteBundle, BundleAck, Commit, Committed, Apply, Applied, Sync, WriteSmall, SmallWritten,
            BundleFile, NewFile>(payload);
    if (const auto rows = decode<Entries>(payload)) (void)tree_hash(rows->entries);
    (void)decode_records<NewFile>(payload);
    ChunkAssembler assembler;
    const auto chunk = assembler.feed(payload);
    codec::Codec codec;
    if (chunk && *chunk) (void)codec.open(**chunk);
    if (size > 0) (void)codec.decode(CodecId::zstd, payload.substr(1), std::size_t{data[0]} * 4096);
    return 0;
}
