#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/proto/bundle.hpp"
#include "core/proto/messages_change.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/messages_data.hpp"
#include "core/proto/messages_tree.hpp"

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

// Fills every field with something that is not its default, so that a field forgotten in `visit` shows itself.
class Filler {
  public:
    template <std::integral T>
    void operator()(T& value) {
        ++last_;
        value = static_cast<T>(37 * last_);
    }
    void operator()(bool& value) { value = true; }
    void operator()(std::string& value) { value = std::string{'s', '\0', '\xFF'} + std::to_string(++last_); }
    void operator()(Digest& value) { value = sha256(std::to_string(++last_)); }
    template <WireEnum E>
    void operator()(E& value) {
        value = last_of(E{});
    }
    template <class T>
    void operator()(std::optional<T>& value) {
        (*this)(value.emplace());
    }
    template <class T>
    void operator()(std::vector<T>& value) {
        value.resize(2);
        for (T& element : value)
            (*this)(element);
    }
    template <class T>
    requires requires(T& t, Filler& f) { t.visit(f); }
    void operator()(T& value) { value.visit(*this); }

  private:
    std::int64_t last_{0};
};

template <class Message>
Message filled() {
    Message message;
    Filler filler;
    message.visit(filler);
    return message;
}

}  // namespace

TEMPLATE_TEST_CASE("every message survives the wire, and no prefix of it passes for one", "", Hello, ClientHello, Ping,
                   Pong, Credit, Fatal, Progress, Refusal, OpenRoot, RootOpened, Claim, Claimed, ProbeRoot, RootProbed,
                   StatVfs, Space, Stat, Entries, Scan, ScanPage, ScanEnd, Hash, Leaves, Hashed, TreeHash, TreeHashed,
                   ReadSmall, Small, Writers, WritersFound, Read, ReadEnd, ReadBundle, Write, WriteAck, WriteEnd,
                   Written, WriteBundle, BundleAck, Commit, Committed, Apply, Applied, Sync, WriteSmall, SmallWritten,
                   BundleFile, NewFile) {
    const auto message = filled<TestType>();
    const std::string bytes = encode(message);
    const auto again = decode<TestType>(bytes);
    REQUIRE(again);
    CHECK(encode(*again) == bytes);
    CHECK(bytes != encode(TestType{}));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        REQUIRE_FALSE(decode<TestType>(std::string_view(bytes).substr(0, size)));
    CHECK(name(TestType::k_type) != "unknown");
}

TEST_CASE("bytes behind a message are malformed, except behind a hello, which may grow") {
    CHECK_FALSE(decode<Ping>(encode(Ping{1}) + "x"));
    CHECK_FALSE(decode<Scan>(encode(Scan{}) + std::string(1, '\0')));
    CHECK(decode<Hello>(encode(Hello{}) + "from the future"));
    CHECK(decode<ClientHello>(encode(ClientHello{}) + "from the future"));
}

TEST_CASE("enums and bools outside their range are malformed") {
    std::string ack = encode(WriteAck{3, Reason::none});
    ack.back() = static_cast<char>(static_cast<int>(last_of(Reason{})) + 1);
    CHECK_FALSE(decode<WriteAck>(ack));
    std::string end = encode(WriteEnd{true});
    end.back() = 2;
    CHECK_FALSE(decode<WriteEnd>(end));
}

TEST_CASE("an announced count allocates nothing: a list ends with the bytes there are") {
    std::string bytes;
    Writer write(bytes);
    write(RootId{1});
    write(std::uint32_t{0xFFFFFFFF});
    write(std::string_view("only one"));
    const auto stat = decode<Stat>(bytes);
    REQUIRE_FALSE(stat);
    CHECK(stat.error().code == Code::protocol);
}

TEST_CASE("integers are little-endian on the wire") {
    CHECK(encode(Credit{0x0102030405060708U}) == std::string("\x08\x07\x06\x05\x04\x03\x02\x01", 8));
    CHECK(encode(WriteAck{1, Reason::integrity}) == std::string("\x01\0\0\0\x16", 5));
}

TEST_CASE("records of a bundle are read one after the other, and half a record is malformed") {
    const std::string block = encode(filled<NewFile>()) + encode(filled<NewFile>());
    const auto records = decode_records<NewFile>(block);
    REQUIRE(records);
    CHECK(records->size() == 2);
    CHECK_FALSE(decode_records<NewFile>(std::string_view(block).substr(0, block.size() - 1)));
    CHECK(decode_records<NewFile>("")->empty());
}

TEST_CASE("every reason of a refusal has a name, a code and a text") {
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(last_of(Reason{})); ++i) {
        const auto reason = static_cast<Reason>(i);
        const Error error = to_error(Refusal{reason, 0, "some/path", "", 0, {}}, "do something with");
        CHECK_FALSE(name(reason).empty());
        CHECK(error.message.starts_with("cannot do something with some/path: "));
        CHECK(error.code != Code::internal);
    }
}

TEST_CASE("refusals show the box's words escaped") {
    const Error error = to_error(Refusal{Reason::io, 5, "a\x1b[31m", "\x07", 0, {}}, "read");
    CHECK(error.message.find('\x1b') == std::string::npos);
    CHECK(error.message.find("Input/output error") != std::string::npos);
    CHECK(error.why.find('\x07') == std::string::npos);
}

TEST_CASE("errno maps to the reason a client can act on") {
    CHECK(reason_of_errno(2) == Reason::not_found);
    CHECK(reason_of_errno(28) == Reason::no_space);
    CHECK(reason_of_errno(122) == Reason::no_space);
    CHECK(reason_of_errno(40) == Reason::unsafe_path);
    CHECK(reason_of_errno(5) == Reason::io);
}
