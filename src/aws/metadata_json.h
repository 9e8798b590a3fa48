// The JSON in which container endpoints and the instance metadata service give credentials.
#pragma once

#include <string_view>

#include "aws/credentials.h"
#include "base/result.h"

namespace instantstart::aws {

/// AccessKeyId, SecretAccessKey, Token, Expiration, all required; AccountId where it is. Other members are
/// not looked at. Errors: `invalid_json`; `credentials_invalid` with the name of what is missing, or with the
/// service's own Code and Message where it gives them. No value of the answer is in an error's text
/// otherwise.
Result<Credentials> parse_metadata_credentials(std::string_view body);

}  // namespace instantstart::aws
