// A hostile helper: well-formed frames with any content as the answers to a client that walks the whole road.
#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "support/fuzz_frames.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using proto::MessageType;

namespace {

const std::string k_nonce = "0123456789abcdef";

// Answers each request with the next frames of the input, up to one whose flags have bit 0.
class FuzzedHelper final : public transport::Process {
  public:
    explicit FuzzedHelper(support::FuzzFrames frames) : frames_(frames), out_(proto::preamble(k_nonce)) {
        proto::Hello hello;
        hello.push_credit = std::uint64_t{1} << 40U;
        hello.codecs = codec::supported();
        proto::append_frame(out_, MessageType::hello, 0, proto::encode(hello));
    }

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool) override {
        TRY(op.check());
        decoder_.feed(outgoing);
        for (auto heard = decoder_.next(); heard && *heard; heard = decoder_.next()) {
            if ((*heard)->request != 0) answer((*heard)->request);
        }
        transport::Step step;
        step.sent = outgoing.size();
        current_ = std::exchange(out_, {});
        step.received = current_;
        if (current_.empty() && outgoing.empty()) step.exit = transport::Exit{};
        return step;
    }

  private:
    void answer(std::uint32_t request) {
        for (auto frame = frames_.next(); frame; frame = frames_.next()) {
            if (frame->payload.size() <= proto::payload_limit(static_cast<std::uint8_t>(frame->type))) {
                proto::append_frame(out_, frame->type, (frame->flags & 2U) != 0 ? 0 : request, frame->payload);
            }
            if ((frame->flags & 1U) != 0) return;
        }
    }

    support::FuzzFrames frames_;
    proto::FrameDecoder decoder_{};
    std::string out_{};
    std::string current_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    support::TestOp op;
    auto session =
        agent::Session::start(op, std::make_unique<FuzzedHelper>(support::FuzzFrames(data, size)), k_nonce, {});
    if (!session) return 0;
    const auto agent = agent::Agent::adopt(std::move(*session));
    const agent::Claim claim{1, 1, true};
    (void)agent->open_root(op, 1, "/root", true);
    (void)agent->claim(op, 1, {std::string(16, 'o'), 1, false, {}});
    (void)agent->scan(op, {.root = 1}, [](proto::FileEntry&&) { return ok(); });
    (void)agent->stat(op, 1, {"a", "b"});
    (void)agent->hash(op, {.root = 1, .leaves = true});
    const proto::Read read{.root = 1, .path = "a", .ranges = {{0, 3}}, .codecs = codec::supported()};
    (void)agent->read(op, read, [](std::uint32_t, std::string&&, const proto::Digest&) { return ok(); });
    const proto::ReadBundle bundle{.root = 1, .codecs = codec::supported(), .items = {{"a", {}}, {"b", {}}}};
    (void)agent->read_bundle(op, bundle, [](proto::BundleFile&&) { return ok(); });
    const proto::Write write{.part = "p", .size = 5};
    (void)agent->write(op, claim, write, {}, [](std::uint32_t) -> Result<std::string> { return std::string("abcde"); });
    (void)agent->commit(op, claim, {});
    (void)agent->apply(op, claim, {}, true);
    (void)agent->read_small(op, 1, "a");
    (void)agent->writers(op, 1);
    return 0;
}
