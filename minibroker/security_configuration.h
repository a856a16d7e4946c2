// The configuration keys of authentication and authorization.
#pragma once

#include "minibroker/configuration.h"

namespace fencepost::minibroker {

extern const ParsedSetting allow_everyone_setting;
extern const ParsedSetting authorizer_setting;
extern const ParsedSetting max_reauth_setting;
extern const ParsedSetting mechanisms_setting;
extern const ParsedSetting super_users_setting;

}  // namespace fencepost::minibroker
