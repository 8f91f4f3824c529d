// Runs the model that another simulator made of a network, driven from a buffer.
//
//   harness BUFFER CYCLES STRIDE SECONDS
//
// The buffer has the input pins of each cycle, STRIDE bytes of them, as they lie in the model:
// random pins are among them, so that the model computes nothing but the network. The cycles
// are run once and the outputs of each but the first summed up; then again and again, without
// the sum, until SECONDS have passed. A run is from reset, and only its cycles are timed.
// Prints the checksum and the cycles per second.
//
// peer.h is written for the network: `Model`, and what names its ports.

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "peer.h"

// The words of an output, and the sum of all of them.
template <class Port> static uint64_t add(uint64_t sum, const Port &port) {
  uint64_t words[(sizeof(Port) + 7) / 8] = {};
  std::memcpy(words, &port, sizeof(Port));
  for (uint64_t word : words) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  return sum;
}

static uint64_t run(Model &model, const std::vector<char> &buffer, size_t cycles, size_t stride,
                    bool summed) {
  uint64_t sum = 0;
  begin(model);
  drive(model, buffer.data());
  settle(model);
  for (size_t cycle = 1; cycle < cycles; cycle++) {
    rise(model);
    if (cycle == 1) end_reset(model);
    drive(model, buffer.data() + cycle * stride);
    fall(model);
    if (summed) sum = observe(model, sum);
  }
  return sum;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  const size_t cycles = std::strtoull(arguments[2], nullptr, 10);
  const size_t stride = std::strtoull(arguments[3], nullptr, 10);
  const double wanted = std::strtod(arguments[4], nullptr);
  std::vector<char> buffer(cycles * stride);
  FILE *file = std::fopen(arguments[1], "rb");
  if (!file || std::fread(buffer.data(), 1, buffer.size(), file) != buffer.size()) return 3;
  std::fclose(file);

  const uint64_t sum = run(*std::make_unique<Model>(), buffer, cycles, stride, true);
  double seconds = 0;
  size_t runs = 0;
  do {
    auto model = std::make_unique<Model>();
    const auto start = std::chrono::steady_clock::now();
    run(*model, buffer, cycles, stride, false);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    runs++;
  } while (seconds < wanted);
  std::printf("%" PRIx64 " %f\n", sum, double(cycles - 1) * runs / seconds);
}
