#include "tcpip/stack/pcapng.h"

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip::pcapng {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(Pcapng, AFileStartsWithASectionHeader) {
  Bytes file;
  AppendSectionHeader(file, "abc");
  EXPECT_EQ(file, (Bytes{0x0a, 0x0d, 0x0d, 0x0a, 0,    0,    0,    40,    //
                         0x1a, 0x2b, 0x3c, 0x4d, 0,    1,    0,    0,     //
                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  //
                         0,    4,    0,    3,    'a',  'b',  'c',  0,     //
                         0,    0,    0,    0,    0,    0,    0,    40}));
}

TEST(Pcapng, InterfaceOfRawIpWithNanoseconds) {
  Bytes file;
  AppendInterface(file, "lo", 0x10000);
  EXPECT_EQ(file, (Bytes{0, 0,   0, 1, 0,   0,   0, 40,  //
                         0, 101, 0, 0, 0,   1,   0, 0,   //
                         0, 2,   0, 2, 'l', 'o', 0, 0,   //
                         0, 9,   0, 1, 9,   0,   0, 0,   //
                         0, 0,   0, 0, 0,   0,   0, 40}));
}

TEST(Pcapng, ACommentStandsBesideItsPacket) {
  SlabPool pool;
  Packet packet = Packet::Copy(pool, Bytes{0x45, 1, 2});
  packet.SetBody(ViewChain(View::Copy(pool, Bytes{3, 4, 5})));
  Bytes file;
  AppendPacket(file,
               {.interface = 1,
                .direction = Record::Direction::kOut,
                .unix_nanoseconds = 0x0102030405060708,
                .snap_length = 5,
                .comment = "why"},
               packet);
  EXPECT_EQ(file, (Bytes{0,   0,   0,   6, 0,    0, 0, 60,  //
                         0,   0,   0,   1, 1,    2, 3, 4,   //
                         5,   6,   7,   8, 0,    0, 0, 5,   //
                         0,   0,   0,   6, 0x45, 1, 2, 3,   //
                         4,   0,   0,   0, 0,    1, 0, 3,   //
                         'w', 'h', 'y', 0, 0,    2, 0, 4,   //
                         0,   0,   0,   2, 0,    0, 0, 0,   //
                         0,   0,   0,   60}));
}

TEST(Pcapng, ASnapLengthWithinTheHeadLeavesTheBodyOut) {
  SlabPool pool;
  Packet packet = Packet::Copy(pool, Bytes{0x45, 1, 2, 7});
  packet.SetBody(ViewChain(View::Copy(pool, Bytes{3, 4, 5})));
  Bytes file;
  AppendPacket(file, {.snap_length = 2}, packet);
  EXPECT_EQ(file[23], 2);  // captured
  EXPECT_EQ(file[27], 7);  // original length
  EXPECT_EQ((Bytes(file.begin() + 28, file.begin() + 32)),
            (Bytes{0x45, 1, 0, 0}));
}

}  // namespace
}  // namespace tcpip::pcapng
