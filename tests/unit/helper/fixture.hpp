// What the helper's cases start from: a helper on a thread, its agent, and a claimed root in a directory of its own.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <vector>

#include "support/in_process_helper.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

namespace drawhitch::test {

inline const std::string k_owner_a(16, 'a');
inline const std::string k_owner_b(16, 'b');

// A second connection to a directory.
struct Connection {
    support::TestOp op{};
    support::InProcessHelper helper{};
    std::unique_ptr<agent::Agent> agent{};
    proto::RootId root{0};
    agent::Claim claim{};

    explicit Connection(const std::string& path, const agent::SessionOptions& options = {}) {
        agent = helper.connect(op, options);
        root = must(agent->open_root(op, path, true));
    }

    void claim_as(const std::string& owner) {
        claim = must(agent->claim(op, root, agent::ClaimOptions{owner, 0, false, "a test"}));
    }

    template <class T>
    static T must(Result<T> result) {
        if (!result) FAIL(result.error().message << " (" << result.error().why << ")");
        return std::move(result).value();
    }
};

struct Box : private support::TempDir, Connection {
    Box() : Connection(TempDir::path() + "/root") { claim_as(k_owner_a); }

    [[nodiscard]] std::string top() const { return TempDir::path() + "/root"; }
    [[nodiscard]] std::string outside() const { return TempDir::path(); }
    [[nodiscard]] std::string at(std::string_view path) const { return top() + "/" + std::string(path); }
    void put(std::string_view path, std::string_view content, unsigned mode = 0644) const {
        support::write_file(at(path), content, mode);
    }
    [[nodiscard]] std::string get(std::string_view path) const { return support::read_file(at(path)); }

    std::vector<proto::FileEntry> scan(proto::Scan request = {}) {
        request.root = root;
        std::vector<proto::FileEntry> entries;
        must(agent->scan(op, request, [&](proto::FileEntry&& entry) {
            entries.push_back(std::move(entry));
            return ok();
        }));
        return entries;
    }
    proto::FileEntry look(const std::string& path) { return must(agent->stat(op, root, {path})).at(0); }
    Status change(proto::Change change) {
        auto applied = agent->apply(op, claim, {std::move(change)}, false);
        if (!applied) return std::move(applied).error();
        if (applied->failures.empty()) return ok();
        const proto::ItemFailure& why = applied->failures.front();
        return proto::to_error(proto::Refusal{why.reason, why.error, {}, {}, 0, {}}, "change");
    }
};

// The bytes of a test file: not compressible, different everywhere.
inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
    std::string bytes(size, '\0');
    std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
    for (std::size_t i = 0; i < size; i += 8) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        for (std::size_t k = i; k < size && k < i + 8; ++k)
            bytes[k] = static_cast<char>(state >> (8U * (k - i)));
    }
    return bytes;
}

inline Code code_of(const auto& result) {
    REQUIRE_FALSE(result);
    return result.error().code;
}

}  // namespace drawhitch::test
