// CrewSize: how many connections a transfer should have, and how many of them should move data, learned from what they
// deliver together. Pure: the caller tells the time.
#pragma once

#include <cstdint>

namespace drawhitch::plan {

class CrewSize {
  public:
    // `most` connections are allowed; `first` begins with so many, 0 = as the round trip says.
    CrewSize(int most, int first) : most_(most < 1 ? 1 : most), first_(first < most_ ? first : most_) {}

    // Called now and then. Times are nanoseconds of a monotonic clock. `linked` connections are at work;
    // `received` is what all of them have brought so far, `left` what is still to come, in bytes of the files.
    void look(std::int64_t now, int linked, std::uint64_t received, std::uint64_t left);
    // The shortest round trip, once it is known.
    void round_trip(std::int64_t nanoseconds);
    // One more was refused, by the server or on the way: those that work are all there will be.
    void refused(int linked);

    [[nodiscard]] int most() const { return most_; }
    // Connections to have.
    [[nodiscard]] int wanted() const { return wanted_; }
    // How many of them are to move data. The others brought nothing and are a reserve.
    [[nodiscard]] int working() const { return working_; }

  private:
    [[nodiscard]] int by_distance(std::uint64_t left) const;
    void grow(double rate, std::uint64_t left);

    int most_{1};
    int first_{0};
    int wanted_{1};
    int working_{1};
    int working_before_{0};  // before the last growth; 0 where there was none
    std::int64_t round_trip_{0};
    std::int64_t since_{0};  // of the present measurement; 0 while not all are at work
    std::uint64_t from_{0};
    double rate_before_{0};  // bytes a second, before the last growth
    bool begun_{false};
    bool settled_{false};
};

}  // namespace drawhitch::plan
