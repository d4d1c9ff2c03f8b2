#include "core/judge/undeclared.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

constexpr WallTime k_since{1'700'000'000, 0};

SeenFile file(const std::string& path, std::uint64_t size = 10, std::int64_t after = 5) {
    return {path, size, {k_since.seconds + after, 0}, false, false};
}

Explanations basic() {
    Explanations why{};
    why.since = k_since;
    why.home = "/home/u";
    return why;
}

}  // namespace

TEST_CASE("a file nothing explains is listed under its directory with count, size and newest") {
    Undeclared scan{basic()};
    CHECK(scan.add(file("/data/out/a.pt", 10, 5)) == Explained::no);
    CHECK(scan.add(file("/data/out/b.pt", 20, 9)) == Explained::no);
    CHECK(scan.add(file("/data/x", 1, 1)) == Explained::no);
    const auto groups = scan.groups();
    REQUIRE(groups.size() == 2);
    CHECK(groups[0] == UndeclaredGroup{"/data/out",
                                       2,
                                       30,
                                       {k_since.seconds + 9, 0},
                                       "b.pt",
                                       false,
                                       {{"/data/out/a.pt", 10}, {"/data/out/b.pt", 20}}});
    CHECK(groups[1].directory == "/data");
}

TEST_CASE("of a group so many files are named as fit on a screen, also when groups are joined") {
    Undeclared scan{basic()};
    for (int at = 0; at < 40; ++at)
        (void)scan.add(file("/data/out/" + std::to_string(at), 1, 5));
    for (int at = 0; at < 60; ++at)
        (void)scan.add(file("/data/many/" + std::to_string(at) + "/x", 1, 5));
    for (const auto& group : scan.groups(3)) {
        CHECK(group.listed.size() == k_named_files);
        CHECK(group.files >= 40);
        for (const auto& named : group.listed)
            CHECK(named.path.starts_with(group.directory + "/"));
    }
}

TEST_CASE("a link leads where its text says, and nowhere when that depends on other links") {
    CHECK(link_target("/d/work/a", "b.pt") == "/d/work/a/b.pt");
    CHECK(link_target("/d/work/a", "./../b") == "/d/work/b");
    CHECK(link_target("/d/work/a", "../../../../../x") == "/x");
    CHECK(link_target("/d/work/a", "/mnt//x/.") == "/mnt/x");
    CHECK(link_target("/d/work/a", "b/../c").empty());
    CHECK(link_target("/", "x") == "/x");
}

TEST_CASE("what was there before the lease is not asked about, what changed since is") {
    Undeclared scan{basic()};
    CHECK(scan.add(file("/data/a", 1, -1)) == Explained::older);
    CHECK(scan.add(file("/data/a", 1, 0)) == Explained::no);
    CHECK(scan.groups().size() == 1);
}

TEST_CASE("the nearest explained directory counts, by component") {
    Explanations why = basic();
    why.directories = {{"/data/drawhitch/p/releases", Explained::release},
                       {"/data/drawhitch/p/envs", Explained::environment},
                       {"/data/drawhitch/p/envs/mine", Explained::no}};
    why.files = {{"/data/drawhitch/p/current", Explained::ours}};
    Undeclared scan{why};
    CHECK(scan.add(file("/data/drawhitch/p/releases/ab/train.py")) == Explained::release);
    CHECK(scan.add(file("/data/drawhitch/p/releases2/train.py")) == Explained::no);
    CHECK(scan.add(file("/data/drawhitch/p/envs/k/lib/x.so")) == Explained::environment);
    CHECK(scan.add(file("/data/drawhitch/p/current")) == Explained::ours);
    CHECK(scan.add(file("/data/drawhitch/p/current2")) == Explained::no);
    CHECK(scan.add(file("/data/drawhitch/p/shared/set/a.bin")) == Explained::no);
}

TEST_CASE("the system's places and caches are explained, people's places inside them are not") {
    for (const char* path :
         {"/usr/lib/x.so", "/etc/passwd", "/var/log/syslog", "/proc/1/stat", "/dev/null", "/lib64/ld.so"})
        CHECK(is_system_place(path));
    for (const char* path : {"/usr/src/app/out.pt", "/dev/shm/x", "/home/u/a", "/opt/a", "/mnt/usr/a", "/usrdata/a",
                             "/var/lib/docker/volumes/v/a", "/root/a", "/workspace/etc/x", "/srv/x", "/var/tmp/x"})
        CHECK_FALSE(is_system_place(path));
    for (const char* path : {"/home/u/.cache/pip/http/a", "/home/u/.bash_history", "/x/__pycache__/a.pyc",
                             "/tmp/torchinductor_u/a", "/home/u/.local/lib/python3/x.py"})
        CHECK(is_cache_place(path, "/home/u"));
    for (const char* path : {"/home/u/cache/a", "/home/v/.cache/a", "/home/u/.cachet/a", "/tmp/results/a", "/home/u",
                             "/x/my__pycache__/a", "/home/u/.config/app/precious", "/home/u/.local/share/app/data"})
        CHECK_FALSE(is_cache_place(path, "/home/u"));
    CHECK_FALSE(is_cache_place("/.cache/a", "/"));
}

TEST_CASE("below ~/.cache only what a known tool fetches or computes again is explained") {
    for (const char* path :
         {"/home/u/.cache/pip/http-v2/a", "/home/u/.cache/uv/archive-v0/a", "/home/u/.cache/matplotlib/fontlist.json",
          "/home/u/.cache/huggingface/hub/models--gpt2/blobs/0a",
          "/home/u/.cache/huggingface/hub/.locks/models--gpt2/a", "/home/u/.cache/huggingface/hub/version.txt",
          "/home/u/.cache/huggingface/datasets/c4/a.arrow", "/home/u/.cache/huggingface/token",
          "/home/u/.cache/torch/hub/checkpoints/resnet50-11ad3fa6.pth",
          "/home/u/.cache/torch_extensions/py312_cu124/a.so", "/home/u/.cache/motd.legal-displayed",
          "/home/u/.cache/drawhitch/helper-0123456789abcdef", "/home/u/.cache/drawhitch/digests-2"}) {
        CAPTURE(path);
        CHECK(is_cache_place(path, "/home/u"));
    }
    for (const char* path :
         {"/home/u/.cache/my_run/best.pt", "/home/u/.cache/best.pt", "/home/u/.cache", "/home/u/.cache/pip2/best.pt",
          "/home/u/.cache/huggingface/my_run/best.pt", "/home/u/.cache/huggingface/best.pt",
          "/home/u/.cache/huggingface/hub/my_run/best.pt", "/home/u/.cache/huggingface/hub/models--best.pt",
          "/home/u/.cache/huggingface/lerobot/me/pick/data.parquet", "/home/u/.cache/torch/best.pt",
          "/home/u/.cache/torch/my_run/best.pt", "/home/u/.cache/drawhitch/best.pt",
          "/home/u/.cache/drawhitch/helper-best.pt", "/home/u/.cache/drawhitch/helper-0/best.pt"}) {
        CAPTURE(path);
        CHECK_FALSE(is_cache_place(path, "/home/u"));
    }
    // What is not explained by place must be searched.
    const auto skipped = places_not_searched("/home/u");
    for (const char* path :
         {"/home/u/.cache", "/home/u/.cache/huggingface", "/home/u/.cache/huggingface/hub", "/home/u/.cache/torch"})
        CHECK(std::ranges::find(skipped, path) == skipped.end());
    for (const std::string& place : skipped) {
        CAPTURE(place);
        const std::string inside = place + "/some.file";
        CHECK((is_system_place(inside) || is_cache_place(inside, "/home/u")));
    }
}

TEST_CASE("of the temporary files of tools only what the tools themselves make is explained") {
    for (const char* path :
         {"/tmp/uv-1b696e695b7c17a7.lock", "/tmp/uv-setuptools-8c2cb3e75405ff4e.lock",
          "/var/tmp/pip-install-a1_b2c3d/x/y.py", "/tmp/pip-build-env-0123abcd/overlay/a",
          "/tmp/pip-unpack-zzzzzzzz/t.whl", "/tmp/pymp-abcd_123/pym-1-x",
          "/tmp/torchelastic_abcd_123/none_x/attempt_0/0/error.json",
          "/tmp/torchelastic_abcd_123/r/attempt_0/1/stdout.log", "/tmp/torchinductor_u/ab/cab.py", "/tmp/.X0-lock",
          "/tmp/tmux-1000", "/tmp/systemd-private-0123456789abcdef0123456789abcdef-chrony.service-aBcDeF"}) {
        CAPTURE(path);
        CHECK(is_cache_place(path, "/home/u"));
    }
    for (const char* path : {"/tmp/uv-sweep/ckpt.pt",
                             "/tmp/uv-1b696e695b7c17a7.lock/ckpt.pt",
                             "/tmp/uv-.lock",
                             "/tmp/uv-best.lock",
                             "/tmp/pip-results/ckpt.pt",
                             "/tmp/pip-install-run/ckpt.pt",
                             "/tmp/pip-mine-0123abcd/ckpt.pt",
                             "/tmp/pip-install-a1_b2c3d",
                             "/tmp/pymp-run/ckpt.pt",
                             "/tmp/torchelastic_abcd_123/r/ckpt.pt",
                             "/tmp/torchelastic_run/error.json",
                             "/tmp/torchinductor_sweep/ckpt.pt",
                             "/tmp/torchinductor_u2/a",
                             "/tmp/.Xresults/ckpt.pt",
                             "/tmp/.X0-lock/ckpt.pt",
                             "/tmp/.ICE-unix/ckpt.pt",
                             "/tmp/tmux-1000/ckpt.pt",
                             "/tmp/tmux-sweep",
                             "/tmp/ssh-abcdefghij/ckpt.pt",
                             "/tmp/systemd-private-0123456789abcdef0123456789abcdef-jupyter.service-aBcDeF/tmp/ckpt.pt",
                             "/tmp/systemd-private-mine/ckpt.pt",
                             "/home/u/tmp/pip-install-a1_b2c3d/y"}) {
        CAPTURE(path);
        CHECK_FALSE(is_cache_place(path, "/home/u"));
    }
    CHECK_FALSE(is_cache_place("/tmp/torchinductor_/a", "/"));
    CHECK_FALSE(is_cache_place("/tmp/torchinductor_/a", ""));
}

TEST_CASE("environments are known by their marks, before or after their files") {
    Undeclared scan{basic()};
    scan.add(file("/data/proj/results/a.pt"));
    scan.add(file("/data/env/bin/python"));
    scan.add(file("/data/env/conda-meta/history"));
    scan.add(file("/data/env/lib/python3/x.py"));
    scan.add(file("/data/proj/pyvenv.cfg"));
    scan.add(file("/data/proj/lib/python3/site-packages/t.py"));
    const auto groups = scan.groups();
    // A project with an environment at its top keeps its own files.
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].directory == "/data/proj/results");
}

TEST_CASE("a directory named like a cache hides nothing but what its tool makes there") {
    for (const char* path :
         {"/x/__pycache__/a.cpython-312.pyc", "/x/__pycache__/a.cpython-312.opt-1.pyc", "/x/__pycache__/a.pyo",
          "/x/__pycache__/a.cpython-312.pyc.140213", "/x/.pytest_cache/v/cache/lastfailed",
          "/x/.pytest_cache/README.md", "/x/.ruff_cache/0.4.1/1234567890", "/x/.ruff_cache/CACHEDIR.TAG",
          "/x/.mypy_cache/3.12/os/path.data.json", "/x/.mypy_cache/3.12/cache.db", "/x/.mypy_cache/.gitignore",
          "/mnt/lost+found"}) {
        CAPTURE(path);
        CHECK(is_cache_place(path, "/home/u"));
    }
    for (const char* path :
         {"/x/__pycache__/results.json", "/x/__pycache__/.pyc", "/x/__pycache__/a.pyc.best",
          "/x/__pycache__/deep/a.pyc", "/x/__pycache__/12", "/x/__pycache__", "/x/.pytest_cache/best.pt",
          "/x/.pytest_cache/v/cache/best.pt", "/x/.ruff_cache/thesis", "/x/.ruff_cache/0.4.1/thesis.tex",
          "/x/.mypy_cache/3.12/best.json", "/mnt/lost+found/#12"}) {
        CAPTURE(path);
        CHECK_FALSE(is_cache_place(path, "/home/u"));
    }
}

TEST_CASE("an environment hides nothing but what tools put into one") {
    Undeclared scan{basic()};
    for (const char* path : {"/p/pyvenv.cfg", "/p/bin/python", "/p/lib/python3.12/site-packages/torch/a.pt",
                             "/p/lib/python3.12/os.py", "/p/share/man/man1/x.1", "/p/include/site/x.h",
                             "/c/conda-meta/history", "/c/lib/libx.so", "/c/pkgs/x/a.npy", "/c/share/x/readme"})
        (void)scan.add(file(path));
    CHECK(scan.groups().empty());
    for (const char* path : {"/p/lib/results.json", "/p/share/best.json", "/p/var/x", "/p/bin/best.pt", "/p/ssl/x",
                             "/p/lib/python3.12/run/best.ckpt", "/c/lib/best.safetensors", "/c/var/a.npz", "/c/out/x"})
        (void)scan.add(file(path));
    std::vector<std::string> told;
    for (const auto& group : scan.groups())
        for (const auto& named : group.listed)
            told.push_back(named.path);
    std::ranges::sort(told);
    CHECK(told == std::vector<std::string>{"/c/lib/best.safetensors", "/c/out/x", "/c/var/a.npz", "/p/bin/best.pt",
                                           "/p/lib/python3.12/run/best.ckpt", "/p/lib/results.json",
                                           "/p/share/best.json", "/p/ssl/x", "/p/var/x"});
    // A large file is no mark.
    (void)scan.add(file("/q/pyvenv.cfg", 1U << 20U));
    CHECK(scan.groups().size() == 10);
}

TEST_CASE("files given up are counted for the name that gave them up") {
    Explanations why = basic();
    why.given_up = {"/data/old", "/data/nothing"};
    Undeclared scan{why};
    CHECK(scan.add(file("/data/old/a", 7)) == Explained::given_up);
    CHECK(scan.add(file("/data/old2/a", 7)) == Explained::no);
    const auto lost = scan.given_up();
    REQUIRE(lost.size() == 2);
    CHECK(lost[0].files == 1);
    CHECK(lost[0].bytes == 7);
    CHECK(lost[1].files == 0);
}

TEST_CASE("a name above a run does not reach into it, one inside does") {
    Explanations why = basic();
    why.runs = {"/data/runs/r1"};
    why.given_up = {"/data"};
    Undeclared above{why};
    CHECK(above.add(file("/data/stray")) == Explained::given_up);
    CHECK(above.add(file("/data/runs/r1/work/a.pt")) == Explained::no);
    CHECK(above.add(file("/data/runs/r12/work/a.pt")) == Explained::given_up);
    why.given_up = {"/data/runs/r1"};
    Undeclared inside{why};
    CHECK(inside.add(file("/data/runs/r1/work/a.pt")) == Explained::given_up);
}

TEST_CASE("a directory nobody could look into is listed itself when it changed since the lease began") {
    Undeclared scan{basic()};
    SeenFile closed = file("/data/private");
    closed.directory = closed.unreadable = true;
    CHECK(scan.add(closed) == Explained::no);
    SeenFile plain = file("/data/open");
    plain.directory = true;
    CHECK(scan.add(plain) != Explained::no);
    SeenFile old = closed;
    old.path = "/data/older";
    old.changed = {1, 0};
    CHECK(scan.add(old) == Explained::older);
    REQUIRE(scan.groups().size() == 1);
    CHECK(scan.groups()[0].unreadable);
    CHECK(scan.groups()[0].directory == "/data/private");
}

TEST_CASE("a predicate may explain scratch, and a file right under the root stands for itself") {
    Explanations why = basic();
    why.scratch = [](std::string_view path) { return path.ends_with(".tmp"); };
    Undeclared scan{why};
    CHECK(scan.add(file("/data/a.tmp")) == Explained::scratch);
    CHECK(scan.add(file("/model.pt")) == Explained::no);
    CHECK(scan.groups()[0].directory == "/model.pt");
}

TEST_CASE("many directories are joined with their neighbours, and nothing is lost in the joining") {
    Undeclared scan{basic()};
    std::uint64_t bytes = 0;
    for (int a = 0; a < 10; ++a) {
        for (int b = 0; b < 30; ++b) {
            scan.add(file("/data/run" + std::to_string(a) + "/step" + std::to_string(b) + "/f", 3));
            bytes += 3;
        }
    }
    scan.add(file("/top.bin", 1));
    scan.add(file("/home/u/x", 1));
    bytes += 2;
    const auto groups = scan.groups(20);
    CHECK(groups.size() <= 20);
    std::uint64_t files = 0;
    std::uint64_t sum = 0;
    for (const auto& group : groups) {
        CHECK(group.directory != "/");
        files += group.files;
        sum += group.bytes;
    }
    CHECK(files == 302);
    CHECK(sum == bytes);
}

TEST_CASE("joining never mixes a run with what lies around it") {
    Explanations why = basic();
    why.runs = {"/data/runs/r1"};
    Undeclared scan{why};
    for (int a = 0; a < 10; ++a) {
        scan.add(file("/data/runs/r1/work/d" + std::to_string(a) + "/f"));
        scan.add(file("/data/other/d" + std::to_string(a) + "/f"));
    }
    const auto groups = scan.groups(2);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].directory == "/data/other");
    CHECK(groups[1].directory == "/data/runs/r1");
    CHECK(groups[1].files == 10);
}

TEST_CASE("paths of a box are compared and cleaned by component") {
    CHECK(is_inside("/a/b", "/a"));
    CHECK(is_inside("/a", "/a"));
    CHECK(is_inside("/a", "/"));
    CHECK_FALSE(is_inside("/ab", "/a"));
    CHECK_FALSE(is_inside("/a", ""));
    CHECK(clean_box_path("/a//b/") == "/a/b");
    CHECK(clean_box_path("//") == "/");
    for (const char* path : {"", "a", "/a/../b", "/a/./b", "/.."})
        CHECK(clean_box_path(path).empty());
    CHECK(clean_box_path(std::string_view{"/a\0b", 4}).empty());
    CHECK(parent_of("/a/b") == "/a");
    CHECK(parent_of("/a") == "/");
    CHECK(parent_of("/") == "/");
}

}  // namespace drawhitch::judge
