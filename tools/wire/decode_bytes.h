// One function for each kind of bytes that `fencepost decode` takes. Each prints what it reads,
// also what stands in front of an error, and returns the error; its offset counts from the first
// byte that was given.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/api.h"
#include "protocol/catalog.h"
#include "protocol/records/record_batch.h"
#include "tools/wire/printer.h"

namespace fencepost::tools::wire {

using Failure = std::optional<Error>;  // nothing when all went well

// A body without a header.
Failure decode_body(Printer& printer, const protocol::MessageType& type, int version,
                    const SharedBytes& bytes);
// A message with its int16 version in front, as consumers embed them.
Failure decode_versioned(Printer& printer, const protocol::MessageType& type,
                         const SharedBytes& bytes);
// Requests with their headers, with or without the int32 size of each in front; the header says
// which request it is.
Failure decode_request_frames(Printer& printer, const SharedBytes& bytes);
// Likewise responses to that request; sizes are in front when they add up to all the bytes.
Failure decode_response_frames(Printer& printer, const protocol::Api& api, int version,
                               const SharedBytes& bytes);
// A record of a coordinator's topic.
Failure decode_record(Printer& printer, protocol::InternalTopic topic, const SharedBytes& key,
                      const protocol::OptionalBytes& value);
// Batches one after another: one as an object, several as an array. A CRC that does not match is an
// error after everything is printed.
Failure decode_batches(Printer& printer, const SharedBytes& bytes);

// A file of a partition, by its name: .log, .index, .timeindex, .txnindex or .snapshot. Indexes
// need the base offset that they are named after; a log in the folder of a coordinator's topic has
// its records read too. One JSON document for each batch or entry.
Failure decode_file(Printer& printer, std::string_view path, const SharedBytes& bytes);

}  // namespace fencepost::tools::wire
