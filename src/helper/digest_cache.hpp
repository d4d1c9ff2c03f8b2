// DigestCache: digests of files that have not changed since they were hashed, so that a scan of proven files reads no
// bytes. Keyed by the fence and the change time, which no tool can set back: a file rewritten under its old time, or
// another one in its inode, is another key. Only states that had been at rest for 2 s are kept, because a file may
// change twice within one tick of its clock. Lives in a file beside the helper, in a directory of the user alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/time.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::helper {

class DigestCache {
  public:
    // An empty path keeps nothing. The file is read at the first question.
    DigestCache(std::string path, const Clock& clock) : path_(std::move(path)), clock_(clock) {}

    struct Digests {
        proto::Digest root{};
        std::optional<proto::Digest> sha256{};
    };
    // Nothing if unknown, or if the plain SHA-256 is wanted and not known.
    std::optional<Digests> find(const proto::FileEntry& entry, bool with_sha256);
    // Remembers what was just hashed, if the file was at rest. The entry is the state from before the first byte was
    // read.
    void put(const proto::FileEntry& entry, const Digests& digests);
    // Appends what is new. Failures are no matter: the cache only saves time.
    void flush();

    [[nodiscard]] bool enabled() const { return !path_.empty(); }

  private:
    struct Key {
        proto::Fence fence{};
        std::int64_t ctime_ns{0};
        bool operator==(const Key&) const = default;

        template <class F>
        void visit(F& f) {
            f(fence), f(ctime_ns);
        }
    };
    struct Hasher {
        std::size_t operator()(const Key& key) const;
    };
    struct Record;

    static Key key_of(const proto::FileEntry& entry) { return {entry.fence(), entry.ctime_ns}; }

    void load();

    std::string path_{};
    const Clock& clock_;
    bool loaded_{false};
    std::unordered_map<Key, Digests, Hasher> known_{};
    std::string fresh_{};
};

}  // namespace drawhitch::helper
