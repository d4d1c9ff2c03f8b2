#include "flow/demo.hpp"

#include <memory>

#include "base/random.hpp"
#include "base/text.hpp"
#include "flow/demo_files.hpp"
#include "io/demo/children.hpp"
#include "io/demo/files.hpp"
#include "io/demo/private_sshd.hpp"
#include "io/demo/relay.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::flow {

namespace {

// The link of the demo: slow enough that a cut falls into the middle of the pull, fast enough not to bore.
constexpr std::uint64_t k_link_rate = 12'000'000;
constexpr std::uint64_t k_cut_after = 9'000'000;

constexpr std::string_view k_box = "demo-box";
constexpr std::string_view k_project_toml = R"(# The demo's project. docs/project-file.md explains every key.
project = "demo"
box = "demo-box"

[out]
must = ["checkpoints/*.safetensors", "metrics.jsonl", "summary.json"]

[push]
exclude = ["state/"]    # the demo's ledger lies here, too, so that all it says stays readable
)";
constexpr std::string_view k_mark =
    "drawhitch demo made this directory; a push of the project around it leaves it out.\n";
constexpr std::string_view k_pushed =
    "# What git ignores here, but for the code of the demo itself.\n!/train.py\n!/drawhitch.toml\n";
constexpr int k_most_demos = 1000;  // in one directory

// Holds what has to go away again, in whatever way the demo ends.
class Stage {
  public:
    explicit Stage(const Op& op, const DemoOptions& options)
        : tidying_(op.cancel), clock_(op.clock), options_(options) {}
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() {
        relay_.reset();
        sshd_.reset();
        demo::end_descendants(clock_);
        if (!private_.empty()) demo::remove_tree(private_);
        if (!succeeded_ && !directory_.empty()) demo::remove_tree(directory_);
    }

    Status set(const Op& op) {
        TRY(make_project());
        private_ = options_.temporary + "/drawhitch-demo-" + random_hex(6);
        TRY(demo::make_directory(private_));
        for (const char* part : {"/box", "/box/home", "/box/home/memory", "/laptop", "/laptop/config",
                                 "/laptop/config/drawhitch", "/laptop/config/drawhitch/profiles"})
            TRY(demo::make_directory(private_ + part));
        TRY(demo::write_new_file(private_ + "/laptop/config/drawhitch/profiles/demo.toml", demo_profile_toml()));
        TRY(demo::write_new_file(directory_ + "/train.py", demo_train_py()));
        TRY(demo::write_new_file(directory_ + "/drawhitch.toml", k_project_toml));
        TRY(demo::write_new_file(directory_ + "/" + std::string{k_demo_mark}, k_mark));
        TRY(demo::write_new_file(directory_ + "/.gitignore", "*\n"));
        TRY(demo::write_new_file(directory_ + "/.drawhitchignore", k_pushed));
        demo::adopt_orphans();
        TRY_ASSIGN(sshd_, demo::PrivateSshd::start(op, private_ + "/box"));
        TRY_ASSIGN(relay_, demo::Relay::start(sshd_->port()));
        return ok();
    }

    [[nodiscard]] demo::PrivateSshd& sshd() { return *sshd_; }
    [[nodiscard]] demo::Relay& link() { return *relay_; }
    void end_box() {
        relay_.reset();
        sshd_.reset();
        demo::end_descendants(clock_);
    }
    void succeed() { succeeded_ = true; }
    [[nodiscard]] const std::string& directory() const { return directory_; }

    // A laptop of its own for the verbs: no setting, key or ledger of the user is read or written.
    [[nodiscard]] demo::Environment environment() const {
        const std::string laptop = private_ + "/laptop";
        return {"HOME=" + laptop,
                "XDG_STATE_HOME=" + directory_ + "/state",
                "XDG_CONFIG_HOME=" + laptop + "/config",
                "XDG_CACHE_HOME=" + laptop,
                "SSH_AUTH_SOCK=",
                "DRAWHITCH_NO_INPUT=1"};
    }

  private:
    // Making a directory tells whether it was there, also to two demos at once.
    Status make_project() {
        for (int number = 1; number <= k_most_demos; ++number) {
            std::string directory = options_.directory;
            if (number > 1) directory += "-" + std::to_string(number);
            Status made = demo::make_directory(directory);
            if (made) {
                directory_ = std::move(directory);
                return made;
            }
            if (made.error().code != Code::exists) return made;
            if (!options_.next_free) break;
        }
        return Error{Code::exists, printable(options_.directory) + " is there already; nothing was done"}.then(
            "drawhitch demo");
    }

    TidyingUp tidying_;  // ends after all else has gone
    Clock& clock_;
    const DemoOptions& options_;
    std::string private_{};
    std::string directory_{};  // once it is made
    bool succeeded_{false};
    std::unique_ptr<demo::PrivateSshd> sshd_{};
    std::unique_ptr<demo::Relay> relay_{};
};

class Road {
  public:
    Road(const Op& op, const DemoOptions& options, Stage& stage) : op_(op), options_(options), stage_(stage) {}

    // Runs one verb; any other exit code than `wanted` ends the demo.
    Status step(const std::string& why, std::vector<std::string> words, int wanted = 0) {
        TRY(op_.check());
        std::string shown = "drawhitch";
        for (const auto& word : words)
            shown += " " + (word.find_first_of(" *'\"$") == std::string::npos ? word : shell_quote(word));
        say("");
        say(dim("# " + why));
        say(bold("$ " + shown));
        std::vector<std::string> argv{options_.program, "-C", stage_.directory()};
        argv.insert(argv.end(), words.begin(), words.end());
        const Instant began = op_.clock.now();
        TRY_ASSIGN(const int exit, run(argv));
        const std::chrono::duration<double> took = op_.clock.now() - began;
        report_.steps.push_back({shown, exit, took.count()});
        if (exit == wanted) return ok();
        return Error{Code::remote_failed, "the demo's step `" + shown + "` ended with " + std::to_string(exit) +
                                              ", not " + std::to_string(wanted)}
            .because(std::string{trim(last_output_)})
            .then("drawhitch demo -vv");
    }

    void say(const std::string& line) const {
        if (options_.say) options_.say(line);
    }
    [[nodiscard]] DemoReport& report() { return report_; }

  private:
    Result<int> run(const std::vector<std::string>& argv) {
        if (!options_.capture) return demo::run_watched(op_, argv, stage_.environment());
        TRY_ASSIGN(const demo::Finished finished, demo::run_to_end(op_, argv, stage_.environment()));
        last_output_ = finished.output;
        return finished.exit_code;
    }
    [[nodiscard]] std::string dim(const std::string& text) const {
        return options_.color ? "\x1b[2m" + text + "\x1b[0m" : text;
    }
    [[nodiscard]] std::string bold(const std::string& text) const {
        return options_.color ? "\x1b[1m" + text + "\x1b[0m" : text;
    }

    const Op& op_;
    const DemoOptions& options_;
    Stage& stage_;
    DemoReport report_{};
    std::string last_output_{};
};

Status walk_to_job(Road& road, Stage& stage) {
    const demo::PrivateSshd& box = stage.sshd();
    TRY(road.step("A box was rented somewhere; its console shows this ssh line and this fingerprint.",
                  {"adopt", std::string{k_box}, "ssh", "-p", std::to_string(stage.link().port()), "-i",
                   box.identity_file(), box.user() + "@127.0.0.1", "--accept-host-key", box.fingerprint(), "--profile",
                   "demo", "--price-hour", "1.99"}));
    TRY(road.step("What works there, and what does not?", {"doctor", std::string{k_box}}));
    TRY(road.step("Code goes there, and is proven to be there.", {"push", std::string{k_box}}));
    TRY(road.step("A real training job starts and no longer needs us.",
                  {"run", std::string{k_box}, "--name", "r1", "--", "python3", "train.py", "--steps", "60000",
                   "--save-every", "30000"}));
    return road.step("Too early: the only copy of the results is on the box, and the job is alive.",
                     {"down", std::string{k_box}}, 4);
}

Status walk_home(Road& road, Stage& stage) {
    TRY(road.step("Short polls, until the job is done by its own record and its artifacts.",
                  {"watch", std::string{k_box}, "--until-done", "--every", "2s"}));
    stage.link().limit_rate(k_link_rate);
    stage.link().cut_after(k_cut_after);
    const std::uint64_t before = stage.link().carried();
    TRY(road.step("The results come home over a slow link that breaks on the way.",
                  {"pull", std::string{k_box}, "r1"}));
    if (stage.link().cut_pending()) return Error{Code::internal, "the demo's link was never cut"};
    road.report().link_cut_at = k_cut_after;
    road.say("# The link was reset after " + human_bytes(k_cut_after) + "; in all " +
             human_bytes(stage.link().carried() - before) + " crossed it.");
    stage.link().limit_rate(0);
    TRY(road.step("Every byte is read again here, and compared with the box.",
                  {"verify", std::string{k_box}, "r1", "--box", std::string{k_box}}));
    TRY(road.step("Now the gate opens. This box has no API, so what stops its meter is said, and not believed.",
                  {"down", std::string{k_box}, "--yes"}, 9));
    stage.end_box();
    return road.step("The box is gone now, and drawhitch is told so.", {"lease", "close", std::string{k_box}, "--yes"});
}

}  // namespace

Result<DemoReport> demo(const Op& op, const DemoOptions& options) {
    Stage stage{op, options};
    TRY(stage.set(op));
    Road road{op, options, stage};
    TRY(walk_to_job(road, stage));
    TRY(walk_home(road, stage));
    road.report().results = stage.directory() + "/pulls";
    road.report().files = demo::files_below(road.report().results);
    constexpr std::size_t k_most_receipt = 64U << 10U;
    TRY_ASSIGN(road.report().receipt,
               disk::read_whole(road.report().results + "/demo-box/r1/SHA256SUMS", k_most_receipt));
    stage.succeed();
    return road.report();
}

}  // namespace drawhitch::flow
