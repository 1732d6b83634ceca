// TCP options between a script's list and the bytes of a header, in the order
// and with the padding given. Numbers pass through unchanged; flow_map.h says
// what they mean. RFC 9293 3.2, 2018, 7323, 7413, 2385, 9768.
//
// Unlike tcpip/wire/tcp_options this writes any order, wrong ones too.
#ifndef CONFORMANCE_OPTION_CODEC_H_
#define CONFORMANCE_OPTION_CODEC_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/script.h"
#include "tcpip/base/bytes.h"

namespace conformance {

// As many bytes as the options have: the parser has seen to the padding.
std::vector<uint8_t> EmitOptions(std::span<const OptionSpec> options);

// Every option up to the end of `bytes`, NOP and EOL one by one. What is none
// of those known, or is cut short, is an Other with the rest.
std::vector<OptionSpec> ReadOptions(tcpip::ByteSpan bytes);

}  // namespace conformance

#endif  // CONFORMANCE_OPTION_CODEC_H_
