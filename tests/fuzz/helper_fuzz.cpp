// A hostile client: well-formed frames with any content, to a helper that has one root, open and claimed, in a
// directory of its own. Other roots are not opened: a fuzzer must not play with the machine's files.
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "core/proto/limits.hpp"
#include "core/proto/messages_data.hpp"
#include "helper/server.hpp"
#include "support/fuzz_frames.hpp"
#include "support/in_process_helper.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using proto::MessageType;

namespace {

template <class Message>
void say(std::string& out, std::uint32_t request, const Message& message) {
    proto::append_frame(out, Message::k_type, request, proto::encode(message));
}

// Everything the client says, ended by a request whose answer tells that all before it is served.
std::string client_side(support::FuzzFrames frames, const std::string& root) {
    std::string out;
    proto::ClientHello hello;
    hello.pull_credit = std::uint64_t{1} << 40U;
    hello.codecs = 0xFF;
    say(out, 0, hello);
    say(out, 1, proto::OpenRoot{1, root, true});
    say(out, 2, proto::Claim{1, 1, std::string(16, 'o'), true, {}});
    std::uint32_t request = 2;
    for (auto frame = frames.next(); frame && request < 500; frame = frames.next()) {
        const MessageType type = frame->type;
        if (type == MessageType::open_root ||
            frame->payload.size() > proto::payload_limit(static_cast<std::uint8_t>(type)))
            continue;
        const bool continues =
            type == MessageType::data || type == MessageType::write_end || type == MessageType::cancel;
        const bool of_connection = type < MessageType::data && type != MessageType::cancel;
        if (!continues && !of_connection) ++request;
        proto::append_frame(out, type, of_connection ? 0 : request, frame->payload);
    }
    say(out, 0x7FFFFFFF, proto::Sync{63});
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const support::TempDir dir;
    support::InProcessHelper helper;
    support::HelperPipes pipes = helper.take_pipes();
    const std::string said = client_side(support::FuzzFrames(data, size), dir / "root");
    std::thread talker([&] { (void)write_all(pipes.to_helper.get(), said, "the helper"); });
    proto::PreambleFinder finder(support::InProcessHelper::k_nonce);
    proto::FrameDecoder decoder;
    bool found = false;
    std::string buffer(65'536, '\0');
    for (bool open = true; open;) {
        const ssize_t count = ::read(pipes.from_helper.get(), buffer.data(), buffer.size());
        if (count <= 0) break;
        const std::string_view bytes = std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
        if (!found) {
            found = finder.feed(bytes).value_or(false);
            if (found) decoder.feed(finder.take_rest());
        } else {
            decoder.feed(bytes);
        }
        for (auto frame = decoder.next(); frame && *frame; frame = decoder.next())
            open = open && (*frame)->request != 0x7FFFFFFF;
    }
    talker.join();
    pipes = {};
    helper.wait();
    std::filesystem::remove_all(dir / "root");
    return 0;
}
