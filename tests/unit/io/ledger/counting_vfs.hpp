// CountingVfs: SQLite's file layer, counting every call that changes or locks a file, so that a test can kill the
// process at the n-th one, tear a write in half, or let it fail. Registered under its own name beside the usual layer.
#pragma once

#include <string>

namespace drawhitch::ledger_test {

enum class Fault {
    none,
    kill,    // SIGKILL before the call; only calls that change the disk count
    freeze,  // this call and every later one fails: to the disk it is as if the process had been killed. Only calls
             // that change the disk count
    tear,    // half of the n-th write is done, then as freeze; only writes count
    fail,    // the call fails once: disk full for a write, an I/O error for others
};

struct FaultPlan {
    Fault fault{Fault::none};
    long at{0};  // the count at which it strikes, from 1
};

// Registers the layer on first use; returns its name for Storage::vfs.
std::string counting_vfs();
// Starts counting anew.
void plan_fault(FaultPlan plan);
// Calls counted since plan_fault.
long calls_counted();
// How often the disk was waited for since then.
long syncs_counted();

}  // namespace drawhitch::ledger_test
