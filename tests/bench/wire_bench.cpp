// How fast the pieces of the wire are on this machine, without a network: digests, codec, and files through the real
// helper as a child process. usage: wire [MIB]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/random.hpp"
#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/local.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

// User and system time of a process so far, in seconds.
double cpu_of(std::uint32_t pid) {
    if (pid == 0) return 0;
    const std::string text = support::read_file("/proc/" + std::to_string(pid) + "/stat");
    unsigned long user = 0;
    unsigned long system = 0;
    const std::size_t name_end = text.rfind(')');
    if (std::sscanf(text.c_str() + name_end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                    &system) != 2) {
        return 0;
    }
    return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Wall time depends on who else uses the machine; processor time, here and in the helper, hardly does.
void row(const char* what, double megabytes, std::uint32_t helper, const std::function<void()>& work) {
    const Instant start = system_clock().now();
    const double here = cpu_of(static_cast<std::uint32_t>(::getpid()));
    const double there = cpu_of(helper);
    work();
    const double wall = std::chrono::duration<double>(system_clock().now() - start).count();
    const double here_used = cpu_of(static_cast<std::uint32_t>(::getpid())) - here;
    const double there_used = cpu_of(helper) - there;
    std::printf("%s,%.0f,%.3f,%.0f,%.2f,%.2f\n", what, megabytes, wall, megabytes / wall, here_used, there_used);
}

template <class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s (%s)\n", result.error().message.c_str(), result.error().why.c_str());
        std::exit(1);
    }
    return std::move(result).value();
}

void bench_pure(const std::string& data, double mb) {
    row("leaf digests", mb, 0, [&] { (void)proto::content_digest(data); });
    codec::Codec codec;
    const codec::Choice zstd{proto::codec_bit(proto::CodecId::zstd), 0};
    row("seal random chunks", mb, 0, [&] {
        for (std::size_t at = 0; at < data.size(); at += proto::k_chunk)
            (void)codec.seal(0, std::string_view(data).substr(at, proto::k_chunk), zstd);
    });
}

std::unique_ptr<agent::Agent> bench_connect(const Op& op) {
    transport::LocalTransport local;
    const agent::HelperImages images = agent::HelperImages::embedded();
    std::unique_ptr<agent::Agent> agent;
    row("connect and install", 1, 0, [&] { agent = must(agent::Agent::connect(op, local, images, {})); });
    const std::string known = agent->helper_path();
    row("connect to a known helper", 1, 0, [&] {
        agent = must(agent::Agent::connect(op, local, images, {known, {}, {}}));
    });
    return agent;
}

void bench_helper(const std::string& data, double mb) {
    support::TempDir dir;
    ::setenv("HOME", dir.path().c_str(), 1);
    support::write_file(dir / "file", data);
    support::TestOp op;
    const std::unique_ptr<agent::Agent> agent = bench_connect(op);
    const std::uint32_t pid = agent->hello().pid;
    const proto::RootId root = must(agent->open_root(op, dir.path(), false));
    const agent::Claim claim = must(agent->claim(op, root, {random_bytes(16), 0, false, {}}));
    row("hash on the box", mb, pid, [&] { must(agent->hash(op, {.root = root, .path = "file"})); });

    proto::Read read;
    read.root = root;
    read.path = "file";
    read.ranges = {{0, static_cast<std::uint32_t>(proto::leaf_count(data.size()))}};
    read.codecs = agent->codecs();
    const agent::ChunkSink ignore = [](std::uint32_t, std::string&&, const proto::Digest&) { return ok(); };
    row("read, verified here", mb, pid, [&] { must(agent->read(op, read, ignore)); });

    const proto::Write write{.part = "part", .size = data.size()};
    const agent::ChunkSource source = [&](std::uint32_t i) -> Result<std::string> {
        return data.substr(std::size_t{i} * proto::k_chunk, proto::k_chunk);
    };
    row("write, verified there", mb, pid, [&] { must(agent->write(op, claim, write, {}, source)); });

    proto::Commit commit{.part = "part", .path = "copy", .size = data.size()};
    commit.digest = proto::content_digest(data);
    row("commit, re-read and synced", mb, pid, [&] { must(agent->commit(op, claim, commit)); });
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256;
    const std::string data = random_bytes(mib << 20U);
    const double mb = static_cast<double>(data.size()) / 1e6;
    std::printf("what,mb,seconds,mb_per_second,cpu_here,cpu_helper\n");
    bench_pure(data, mb);
    bench_helper(data, mb);
    return 0;
}
