#include "support/transfer_bench.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <stdexcept>

#include "core/proto/limits.hpp"
#include "flow/transfer/pull_files.hpp"
#include "flow/transfer/push_files.hpp"
#include "io/disk/tree_walk.hpp"
#include "support/program_bench.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(result).value();
}

std::vector<flow::PushItem> push_items(const Tree& tree) {
    std::vector<flow::PushItem> items;
    for (const auto& [path, content] : tree) {
        proto::FileDigester digester;
        digester.update(content);
        const auto digests = digester.finish();
        items.push_back(
            {path, "tree/" + path, content.size(), 0644, 1'600'000'000'000'000'000, digests.root, digests.leaves});
    }
    return items;
}

}  // namespace

std::string noise(std::size_t size, unsigned seed) {
    std::mt19937 random{seed};
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

Tree sample_tree() {
    Tree tree;
    tree["big.bin"] = noise(3 * proto::k_chunk + 4321, 1);
    tree["dir/zeros.bin"] = std::string(2 * proto::k_chunk, '\0');
    tree["dir/text.log"] = std::string(900'000, 'l');
    tree["empty"] = "";
    tree["dir/new\nline \xff"] = "odd";
    for (int i = 0; i < 40; ++i)
        tree["small/f" + std::to_string(i)] = noise(static_cast<std::size_t>(i) * 97, 100U + static_cast<unsigned>(i));
    return tree;
}

void plant(const std::string& root, const Tree& tree) {
    for (const auto& [path, content] : tree) {
        for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
            ::mkdir((root + "/" + path.substr(0, slash)).c_str(), 0755);
        write_file(root + "/" + path, content);
        const struct timespec times[2] = {{1'600'000'000, 1}, {1'600'000'000, 1}};
        if (::utimensat(AT_FDCWD, (root + "/" + path).c_str(), times, 0) != 0) throw std::runtime_error("utimensat");
    }
}

std::vector<flow::PullItem> items_of(const Op& op, const std::string& root) {
    std::vector<flow::PullItem> items;
    const disk::Root opened = must(disk::Root::open(root));
    disk::WalkCallbacks callbacks{};
    callbacks.entry = [&](const proto::FileEntry& entry) {
        if (entry.type == proto::FileType::file) items.push_back({entry, entry.path, false, false});
        return ok();
    };
    must(disk::walk(op, opened, callbacks));
    return items;
}

flow::PullOutcome pull(const Op& op, const flow::Dial& dial, const std::string& to, std::vector<flow::PullItem> items,
                       int connections) {
    const auto landing = must(disk::Landing::open(must(disk::Root::create(to)), "pull"));
    flow::PullLimits limits{};
    limits.connections = connections;
    limits.first = connections;
    flow::PullOutcome outcome = flow::pull_files(op, {dial, std::nullopt}, *landing, std::move(items), limits);
    bool all = !outcome.stopped;
    for (const auto& result : outcome.results)
        all = all && result.state == flow::FileState::pulled;
    if (all) must(landing->discard());
    return outcome;
}

flow::PushOutcome push(const Op& op, const flow::Dial& dial, flow::Fence& fence, const std::string& from,
                       const Tree& tree, int connections) {
    const disk::Root root = must(disk::Root::open(from));
    flow::PushLimits limits{};
    limits.connections = connections;
    limits.first = connections;
    return flow::push_files(op, {dial, std::nullopt}, fence, flow::pieces_of(root), push_items(tree), limits);
}

std::string wrong_file(const std::string& root, const Tree& tree, bool complete) {
    for (const auto& [path, content] : tree) {
        struct stat found {};
        if (::lstat((root + "/" + path).c_str(), &found) != 0) {
            if (complete) return path + " is missing";
        } else if (read_file(root + "/" + path) != content) {
            return path + " is wrong";
        }
    }
    return {};
}

void make_run(const ProgramBench& bench, const Tree& tree) {
    write_file(bench.project() + "/train.py", "print()\n");
    bench.run({"run", "b1", "--name", "r1", "--out", "out/**", "--", "true"});
    plant(bench.root() + "/runs/r1/work", tree);
    constexpr int k_most_looks = 100;
    for (int looks = 0; looks < k_most_looks; ++looks) {
        if (::access((bench.root() + "/runs/r1/exit.json").c_str(), F_OK) == 0) return;
        bench.run({"ps", "b1"});
    }
    throw std::runtime_error("the run never ended");
}

}  // namespace drawhitch::support
