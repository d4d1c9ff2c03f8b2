// CrewSize: how many connections a transfer should have, and how many of them should move data, learned from what they
// deliver together. Pure: the caller tells the time.
#pragma once

#include <cstdint>

namespace drawhitch::plan {

enum class Way { pull, push };

// What is seen of a crew at one time.
struct CrewSight {
    std::int64_t now{0};        // nanoseconds of a monotonic clock
    int linked{0};              // connections at work
    int held_back{0};           // how many of them are held back by something else than the path
    std::uint64_t received{0};  // bytes that all have brought so far
    std::uint64_t left{0};      // bytes of the files that are still to come
};

class CrewSize {
  public:
    // `most` connections are allowed; `first` begins with so many, 0 = as the round trip says.
    CrewSize(Way way, int most, int first)
        : way_(way), most_(most < 1 ? 1 : most), first_(first < most_ ? first : most_) {}

    // How many a path of this round trip (nanoseconds) and so many bytes ask for, at 1 Gbit/s.
    [[nodiscard]] static int by_distance(Way way, std::int64_t round_trip, std::uint64_t left);

    // Called now and then.
    void look(const CrewSight& sight);
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
    [[nodiscard]] bool grown() const { return working_good_ != 0; }
    void judge(double rate, bool held_back);
    void grow(double rate, std::uint64_t left);

    Way way_{Way::pull};
    int most_{1};
    int first_{0};
    int wanted_{1};
    int working_{1};
    int working_good_{0};  // of those that have grown, how many last brought more; 0 before the first growth
    int in_vain_{0};       // growths since that
    std::int64_t round_trip_{0};
    std::int64_t since_{0};  // of the present measurement; 0 while not all are at work
    std::uint64_t from_{0};
    double rate_seen_{0};  // bytes a second, of the last measurement
    double rate_good_{0};  // and of `working_good_`
    bool begun_{false};
    bool settled_{false};
};

}  // namespace drawhitch::plan
