#include "core/proto/digest.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/proto/limits.hpp"

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

// The bytes behind the expected values below, which were computed by another implementation (Python's hashlib).
std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>((i * 7 + (i >> 8U)) & 0xFFU);
    return bytes;
}

}  // namespace

TEST_CASE("SHA-256 of known texts is the published one") {
    CHECK(sha256("").hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("leaves and roots are what another implementation computes") {
    CHECK(leaf_digest("abc").hex() == "609f6e36d2405585188d5cfd761f407c7cc46a7d3f314c88270469dde315fcd1");
    CHECK(content_digest("").hex() == "a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb");
    CHECK(content_digest("abc").hex() == "e26987d728b67586aa85d8f6626087b569458b7f0251510b551392585b845153");
    CHECK(content_digest(pattern(k_chunk)).hex() == "2bb1e6bd69728ca4a20dc3e7e1e6b3ee73ce5b72cf4989706fe93d7b81b6c44f");
    CHECK(content_digest(pattern(2 * k_chunk + 5)).hex() ==
          "f8d4ae80fdf27b5329b037aa2c2d28a6bf90098685d8458a11ab0922470fbb31");
}

TEST_CASE("a file digested in pieces of any size has the same leaves, root and SHA-256") {
    const std::string data = pattern(2 * k_chunk + 12'345);
    for (const std::size_t piece : {std::size_t{977}, std::size_t{65'536}, k_chunk, 3 * k_chunk}) {
        FileDigester digester(true);
        for (std::size_t at = 0; at < data.size(); at += piece)
            digester.update(std::string_view(data).substr(at, piece));
        const FileDigester::Result result = digester.finish();
        CHECK(result.size == data.size());
        CHECK(result.leaves.size() == leaf_count(data.size()));
        CHECK(result.leaves[1] == leaf_digest(std::string_view(data).substr(k_chunk, k_chunk)));
        CHECK(result.root == root_digest(data.size(), result.leaves));
        CHECK(result.root == content_digest(data));
        CHECK(result.sha256 == sha256(data));
    }
}

TEST_CASE("a digester starts over after finish") {
    FileDigester digester;
    digester.update("first");
    (void)digester.finish();
    digester.update("abc");
    CHECK(digester.finish().root == content_digest("abc"));
}

TEST_CASE("size is part of the root, so the same leaves under another size are another file") {
    const std::vector<Digest> leaves{leaf_digest("abc")};
    CHECK(root_digest(3, leaves) != root_digest(4, leaves));
}

TEST_CASE("leaf counts and sizes meet at the edges of a chunk") {
    CHECK(leaf_count(0) == 0);
    CHECK(leaf_count(1) == 1);
    CHECK(leaf_count(k_chunk) == 1);
    CHECK(leaf_count(k_chunk + 1) == 2);
    CHECK(leaf_count(UINT64_MAX) == (std::uint64_t{1} << 44U));
    CHECK(leaf_size(0, 0) == 0);
    CHECK(leaf_size(k_chunk, 0) == k_chunk);
    CHECK(leaf_size(k_chunk, 1) == 0);
    CHECK(leaf_size(k_chunk + 7, 1) == 7);
    CHECK(leaf_size(UINT64_MAX, UINT64_MAX) == 0);
}

TEST_CASE("digests travel as 64 hex digits and nothing else") {
    const Digest digest = sha256("abc");
    CHECK(Digest::from_hex(digest.hex()) == digest);
    CHECK_FALSE(Digest::from_hex(digest.hex().substr(1)));
    CHECK_FALSE(Digest::from_hex(digest.hex() + "00"));
    std::string bad = digest.hex();
    bad[10] = 'x';
    CHECK_FALSE(Digest::from_hex(bad));
}

TEST_CASE("a running hash can be copied and goes on in both copies") {
    Sha256 one;
    one.update("ab");
    Sha256 two = one;
    one.update("c");
    two.update("d");
    CHECK(one.finish() == sha256("abc"));
    CHECK(two.finish() == sha256("abd"));
}
