// Pull: one pull of one run, from the look at the box to the receipt. Private to flow/pull*.cpp: pull.cpp looks and
// asks, pull_compare.cpp finds what is here already, pull_fetch.cpp brings the rest and records what is proven.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/box.hpp"
#include "flow/pull.hpp"
#include "flow/pull_beside.hpp"
#include "flow/pull_parts.hpp"
#include "flow/transfer/early_links.hpp"
#include "flow/transfer/link.hpp"
#include "flow/transfer/pull_types.hpp"
#include "io/disk/landing.hpp"
#include "io/disk/landing_notes.hpp"
#include "io/ledger/records.hpp"

namespace drawhitch::flow {

class Pull {
  public:
    // With `followed` it is one pull of many, of what has settled since.
    Pull(const Op& op, Deps& deps, const PullOptions& options, Followed* followed = nullptr)
        : op_(op), deps_(deps), options_(options), followed_(followed) {}

    Result<PullReport> run();
    // With `followed`: nothing when nothing has settled.
    Result<std::optional<PullReport>> round();

  private:
    Status begin();

    [[nodiscard]] Error here_it_fits(Error error) const;

    Status ask(const Look& question);

    Status look();

    Status look_beside();

    [[nodiscard]] Error advised(Error error) const;

    Status tell_elsewhere();

    void count_held();
    Status estimate();

    Status note_rate(Instant began);

    Result<Link> dial(const Op& op);
    Result<Link> connect(const Op& op, const model::Lease& lease, const Connecting& how);
    [[nodiscard]] bool expects_much() const;

    [[nodiscard]] model::Lease lease() const;

    [[nodiscard]] std::optional<Error> unbegun() const;

    [[nodiscard]] model::Roster roster() const;

    [[nodiscard]] Error nothing_matches() const;

    Status compare();

    Status put_in_order();

    void sort_out(std::size_t index, const std::map<std::string, plan::LocalFile>& local);

    Status find_bases();

    Status find_owners(const std::map<std::string, plan::LocalFile>& local);

    [[nodiscard]] disk::NameTaken will_land() const;

    Status find_own();

    [[nodiscard]] Error refuse_to_overwrite() const;

    Status refuse_collisions(const parse::NameRules& rules) const;

    Result<parse::NameRules> name_rules(const disk::Root& root) const;

    Result<PullReport> show_plan();

    Result<PullReport> fetch();

    void advise(Error& problem) const;

    Status hold_found();

    Status hold_landed(const disk::Root& records);

    [[nodiscard]] ledger::HeldFile held(const PulledFile& file, bool written) const;

    Status record(const disk::Root& records);

    Status write_lists(const disk::Root& records);

    [[nodiscard]] std::string landing_id() const { return pull_landing_id(lease_, run_); }

    void count_lost();

    bool brought_anything() const;

    [[nodiscard]] bool any(FileState state) const;

    Result<bool> transfer(disk::Landing& landing);

    void directories_done(const disk::Root& records, const ItemResults& results);

    Status certify_rest(const disk::Root& records);

    void tell_done(const plan::PullDirectory& directory) const;

    void take(std::size_t item, const PullResult& result);

    static bool belongs_to_receipt(const PulledFile& file);

    void remember_all(const RunFiles& files);

    std::vector<model::ManifestEntry> unproven();

    Status add_receipt();

    void forget_displaced();

    const Op& op_;
    Deps& deps_;
    const PullOptions& options_;
    Followed* followed_{nullptr};
    model::Lease lease_{};
    mutable std::mutex lease_mutex_{};
    model::Run run_{};
    std::map<std::string, struct stat> present_{};  // entries whose path is taken here
    disk::LandingNotes notes_{};                    // of a pull that was killed here
    bool own_directory_{false};                     // pulls of this run have worked here
    std::map<std::string, disk::Stamp> ours_{};     // what may be replaced, in the state in which it was looked at
    std::vector<std::string> in_the_way_{};         // entries whose local file is neither equal nor ours nor movable
    std::vector<model::ManifestEntry> matched_{};   // all that the roster matched, where the user narrowed it
    std::vector<plan::ProposedPattern> beside_{};   // what the run has made and nobody named, where that is advice
    Selection selection_{};
    std::optional<Link> link_{};
    std::optional<EarlyLinks> early_{};  // beside link_
    Wire lost_{};                        // over connections that were lost before any data flowed
    std::uint32_t reconnects_{0};        // of those
    std::vector<PullItem> items_{};
    std::vector<std::size_t> item_files_{};      // per item: its index in the report
    std::vector<std::size_t> item_directory_{};  // per item: its directory in the report
    // While others are fetched, these and the report belong to the thread that is told of complete directories.
    std::vector<bool> taken_{};     // per item: its result is in the report
    std::vector<bool> judged_{};    // per unit: certified, or found not to be
    std::vector<bool> held_{};      // per file: the ledger has its state here
    std::vector<bool> received_{};  // per file: it is in a receipt of this pull
    PullReport report_{};
};

}  // namespace drawhitch::flow
