#include "core/judge/root.hpp"

namespace drawhitch::judge {

std::vector<Finding> judge_root(const model::RootFacts& facts) {
    struct Row {
        bool holds{false};
        Finding finding{};
    };
    const Row rows[] = {
        {facts.case_folding,
         {"root.names", Grade::warn, "names that differ in case alone are one file there",
          "push and cp refuse such names; give one of them another name"}},
        {facts.normalising,
         {"root.names", Grade::warn, "names that differ in the form of their letters alone are one file there",
          "push and cp refuse such names; give one of them another name"}},
        {!facts.hard_links,
         {"root.links", Grade::info, "hard links do not work there, so each push sends every file of the project", ""}},
        {!facts.symlinks,
         {"root.symlinks", Grade::warn, "symbolic links do not work there",
          "put what they lead to in their place before a push"}},
        {!facts.rename_replaces,
         {"root.rename", Grade::fail, "a rename does not replace a file there, so nothing can be put in place whole",
          "use another data directory: drawhitch adopt with --data-dir"}},
        {!facts.exec || !facts.exec_bit,
         {"root.exec", Grade::warn, "programs below it cannot be executed",
          "call scripts through their interpreter: `bash run.sh`"}},
        {!facts.fsync,
         {"root.fsync", Grade::warn,
          "it cannot be told to write to the disk: what was sent last may not survive a crash", ""}},
        {!facts.stable_inodes,
         {"root.inodes", Grade::info, "files change their numbers there, so each look reads them all", ""}},
    };
    std::vector<Finding> findings;
    for (const Row& row : rows)
        if (row.holds) findings.push_back(row.finding);
    if (findings.empty())
        findings.push_back({"root.files", Grade::pass, "links, renames, exact names and executing work there", {}});
    return findings;
}

}  // namespace drawhitch::judge
