#include "tcpip/transport/tcp/state.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

// One row per state, one column per event, "-" where the event cannot happen.
std::string Matrix() {
  std::ostringstream out;
  const auto cell = [&](std::string_view text, size_t width) {
    out << text << std::string(width - text.size(), ' ');
  };
  cell("", 11);
  for (int e = 0; e < kTcpEventCount; ++e) {
    cell(ToString(static_cast<TcpEvent>(e)), 13);
  }
  for (int s = 0; s < kTcpStateCount; ++s) {
    out << "\n";
    const auto state = static_cast<TcpState>(s);
    cell(ToString(state), 11);
    for (int e = 0; e < kTcpEventCount; ++e) {
      const auto next = NextState(state, static_cast<TcpEvent>(e));
      cell(next ? ToString(*next) : "-", 13);
    }
  }
  out << "\n";
  // No blanks at the ends of lines.
  std::istringstream lines(out.str());
  std::string trimmed;
  for (std::string line; std::getline(lines, line);) {
    trimmed += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return trimmed;
}

std::string Golden() {
  std::ifstream file("tcpip/transport/tcp/testdata/state_matrix.txt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(State, TheWholeMatrixIsTheReviewedOne) {
  EXPECT_EQ(Matrix(), Golden()) << Matrix();
}

// [RFC 9293 3.3.2] figure 5, one way through it each
TEST(State, ActiveCloseEndsInTimeWait) {
  TcpState s = TcpState::kEstablished;
  for (const TcpEvent e :
       {TcpEvent::kClose, TcpEvent::kFinAcked, TcpEvent::kFin}) {
    s = NextState(s, e).value();
  }
  EXPECT_EQ(s, TcpState::kTimeWait);
}

TEST(State, SimultaneousCloseEndsInTimeWait) {
  TcpState s = TcpState::kEstablished;
  for (const TcpEvent e :
       {TcpEvent::kClose, TcpEvent::kFin, TcpEvent::kFinAcked}) {
    s = NextState(s, e).value();
  }
  EXPECT_EQ(s, TcpState::kTimeWait);
}

TEST(State, PassiveCloseEndsInClosed) {
  TcpState s = TcpState::kEstablished;
  for (const TcpEvent e :
       {TcpEvent::kFin, TcpEvent::kClose, TcpEvent::kFinAcked}) {
    s = NextState(s, e).value();
  }
  EXPECT_EQ(s, TcpState::kClosed);
}

}  // namespace
}  // namespace tcpip::tcp
