// BoxProcess: one process of our user on a box, as the survey before a teardown sees it. No command line: it may hold
// secrets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace drawhitch::model {

struct BoxProcess {
    std::int64_t pid{0};
    std::int64_t parent{0};
    std::string name{};       // of the program, at most 15 bytes, as the kernel keeps it
    std::string script{};     // the file name an interpreter runs ("train.py"), or "-c"; empty: none seen
    std::string directory{};  // its working directory, bytes; empty: could not be read
    WallTime started{};       // by the box's clock, to the second
    std::string token{};      // the run it belongs to; empty: none
    bool zombie{false};
    bool survey{false};                 // part of the asking itself
    std::vector<std::string> writes{};  // files it has open for writing or mapped so
    std::string program{};              // the file it runs, bytes, as the kernel tells it; empty: could not be read
};

// What a survey of the processes said.
struct ProcessSurvey {
    bool complete{false};  // every process of ours since the time asked for is listed
    WallTime now{};        // the box's clock
    WallTime booted{};     // when its kernel started
    std::string home{};    // of the login user
    std::vector<BoxProcess> processes{};
};

}  // namespace drawhitch::model
