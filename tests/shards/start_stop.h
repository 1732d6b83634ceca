// Groups that start, are used and stop, over and over. [fault O04]
#ifndef TESTS_SHARDS_START_STOP_H_
#define TESTS_SHARDS_START_STOP_H_

namespace tcpip {

// In each of `rounds` a group of two shards is stopped in the middle of
// traffic, while another thread still posts. Every command must have been
// answered exactly once, or refused.
void StartAndStop(int rounds);

}  // namespace tcpip

#endif  // TESTS_SHARDS_START_STOP_H_
