#include "protocol/records/broker_registration_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<RegisterBrokerRecord>;
template struct Codec<BrokerRegistrationChangeRecord>;

}  // namespace fencepost::protocol
