// CrewSize: how many connections a transfer should have, learned from what they deliver together. Pure: the caller
// tells the time.
#pragma once

#include <cstdint>

namespace drawhitch::plan {

class CrewSize {
  public:
    // `most` connections are allowed; `first` begins with so many, 0 = as the round trip says.
    CrewSize(int most, int first) : most_(most), first_(first) {}

    // Called now and then. Times are nanoseconds of a monotonic clock. `linked` of the wanted connections are at work;
    // `received` is what all of them have brought so far, `left` what is still to come, in bytes of the files.
    void look(std::int64_t now, int linked, std::uint64_t received, std::uint64_t left);
    // The shortest round trip, once it is known.
    void round_trip(std::int64_t nanoseconds);
    // One more was refused, by the server or on the way: those that work are all there will be.
    void refused(int linked);

    [[nodiscard]] int wanted() const { return wanted_; }

  private:
    [[nodiscard]] int by_distance(std::uint64_t left) const;

    int most_{1};
    int first_{0};
    int wanted_{1};
    std::int64_t round_trip_{0};
    std::int64_t since_{0};  // of the present measurement; 0 while not all are at work
    std::uint64_t from_{0};
    double rate_before_{0};  // bytes a second, before the last growth
    bool begun_{false};
    bool settled_{false};
};

}  // namespace drawhitch::plan
