// How bytes have to be dealt with, wherever they come from: they are refused at a field and offset,
// or they are something that says the same when it is written again. Tests that damage Kafka's
// bytes and the fuzz targets ask here.
#pragma once

#include <string>

#include "protocol/message_type.h"

namespace fencepost::protocol {

// Both: nothing when all is well, otherwise what is wrong.

std::string complaint_about_message(const MessageType& type, int version, const SharedBytes& bytes);
// Whether the CRC matches or not, so that damage is not hidden behind it.
std::string complaint_about_batches(const SharedBytes& bytes);

}  // namespace fencepost::protocol
