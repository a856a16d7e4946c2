// SaslHandshake and SaslAuthenticate. A connection of a SASL listener may ask for versions once,
// then has to name its mechanism and prove who it is; anything else closes it.
#include <algorithm>
#include <array>

#include "minibroker/error_answers.h"
#include "minibroker/handlers/handlers.h"
#include "protocol/messages/headers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;
using security::SaslExchange;
using security::SaslSession;

namespace {

using State = SaslSession::State;

// Not more often than this may a connection authenticate again (KIP-368).
constexpr Duration repeat_interval_min = std::chrono::seconds(1);
constexpr std::string_view principal_type = "User:";
// However they are configured, Kafka lists them so.
constexpr std::array<const char*, 3> mechanisms{"PLAIN", "SCRAM-SHA-512", "SCRAM-SHA-256"};

std::string_view phase_of(const SaslSession& session) {
  return session.is_again() ? "re-authentication" : "authentication";
}

// The last answer of a connection.
template <class Response>
void answer_and_close(Broker& broker, const RequestContext& context, const Response& response) {
  broker.reply(context, response);
  broker.close(context);
}

template <class Request>
std::optional<Request> read(Broker& broker, const RequestContext& context,
                            const SharedBytes& frame) {
  if (!broker.era().versions_of(context.api_key).contains(context.api_version)) return std::nullopt;
  Reader reader(frame);
  RequestHeader header;
  const int header_version =
      request_header_version(*find_api(context.api_key), context.api_version);
  Request request;
  if (!Codec<RequestHeader>::decode(reader, header_version, header) ||
      !Codec<Request>::decode(reader, context.api_version, request))
    return std::nullopt;
  return request;
}

void take_handshake(Broker& broker, SaslSession& session, const RequestContext& context,
                    const SharedBytes& frame) {
  const auto request = read<SaslHandshakeRequest>(broker, context, frame);
  if (!request) return broker.close(context);
  SaslHandshakeResponse response;
  const std::vector<std::string>& enabled = broker.settings().sasl.mechanisms;
  std::ranges::copy_if(mechanisms, std::back_inserter(response.mechanisms),
                       [&](const char* name) { return std::ranges::count(enabled, name) > 0; });
  if (std::ranges::find(response.mechanisms, request->mechanism) == response.mechanisms.end()) {
    response.error_code = ErrorCode::unsupported_sasl_mechanism;
    return answer_and_close(broker, context, response);
  }
  session.state = State::authenticate;
  session.is_raw = context.api_version == 0;
  session.exchange.emplace(request->mechanism, broker.next_nonce());
  broker.reply(context, response);
}

// What this step of the exchange comes to, with the checks of a repeated authentication.
SaslExchange::Step advance(Turn& turn, SaslSession& session, ByteView token) {
  if (session.is_again() && session.exchange->mechanism() != session.mechanism)
    return {SaslExchange::State::failed,
            {},
            "SASL mechanism '" + session.exchange->mechanism() +
                "' requested by client is not supported for re-authentication of mechanism '" +
                session.mechanism + "'"};
  SaslExchange::Step step = session.exchange->take(turn.controller.credentials(), token);
  const std::string principal = std::string(principal_type) + session.exchange->user();
  if (step.state == SaslExchange::State::complete && session.is_again() &&
      principal != session.principal)
    return {SaslExchange::State::failed, {}, "Cannot change principals during re-authentication"};
  if (step.state == SaslExchange::State::failed && step.reason.empty())
    step.reason = "Authentication failed during " + std::string(phase_of(session)) +
                  " due to invalid credentials with SASL mechanism " +
                  session.exchange->mechanism();
  return step;
}

void complete(Broker& broker, Turn& turn, SaslSession& session, const RequestContext& context) {
  session.state = State::complete;
  session.principal = std::string(principal_type) + session.exchange->user();
  session.mechanism = session.exchange->mechanism();
  session.exchange.reset();
  const Duration lifetime = broker.settings().sasl.connections_max_reauth;
  if (lifetime > Duration::zero()) session.expires = turn.now + lifetime;
  broker.authenticate(context.connection, session.principal);
}

void take_raw_token(Broker& broker, Turn& turn, SaslSession& session, const RequestContext& context,
                    const SharedBytes& token) {
  const SaslExchange::Step step = advance(turn, session, token.view());
  // Without a request around the token there is no way to say why.
  if (step.state == SaslExchange::State::failed) return broker.close(context);
  if (step.state == SaslExchange::State::complete) complete(broker, turn, session, context);
  broker.send_raw(context, step.answer);
}

void take_token(Broker& broker, Turn& turn, SaslSession& session, const RequestContext& context,
                const SharedBytes& frame) {
  const auto request = read<SaslAuthenticateRequest>(broker, context, frame);
  if (!request) return broker.close(context);
  const SaslExchange::Step step = advance(turn, session, request->auth_bytes.view());
  SaslAuthenticateResponse response;
  if (step.state == SaslExchange::State::failed) {
    response.error_code = ErrorCode::sasl_authentication_failed;
    response.error_message = step.reason;
    return answer_and_close(broker, context, response);
  }
  response.auth_bytes = step.answer;
  if (step.state == SaslExchange::State::complete) {
    complete(broker, turn, session, context);
    response.session_lifetime_ms = to_milliseconds(broker.settings().sasl.connections_max_reauth);
  }
  broker.reply(context, response);
}

void refuse_handshake(Broker& broker, const RequestContext& context) {
  SaslHandshakeResponse response;
  response.error_code = ErrorCode::illegal_sasl_state;
  broker.reply(context, response);
}

// A request between the handshake and the end of the authentication is told why it is the last.
void refuse_early(Broker& broker, const RequestContext& context, const SharedBytes& frame) {
  constexpr ErrorCode error = ErrorCode::illegal_sasl_state;
  if (broker.era().versions_of(context.api_key).contains(context.api_version)) {
    if (context.api_key == ApiKey::api_versions)
      refuse_api_versions(broker, context, error);
    else if (context.api_key == ApiKey::sasl_handshake)
      refuse_handshake(broker, context);
    else if (std::optional<Frame> body = error_answer(frame, error))
      broker.send({context, std::move(*body)});
  }
  broker.close(context);
}

// Whether the client may authenticate again; Kafka lets it only where authentications expire.
bool begins_again(const SaslSession& session, const RequestContext& context, Instant now) {
  return context.api_key == ApiKey::sasl_handshake && session.expires.has_value() &&
         (!session.repeated || now - *session.repeated >= repeat_interval_min);
}

}  // namespace

bool authenticate(Broker& broker, Turn& turn, RequestContext context, const SharedBytes& frame) {
  SaslSession* session = broker.sasl_session(context.connection);
  if (session == nullptr) return false;
  switch (session->state) {
    case State::handshake_or_versions:
      if (context.api_key == ApiKey::api_versions) return false;
      [[fallthrough]];
    case State::handshake:
      if (context.api_key == ApiKey::sasl_handshake)
        take_handshake(broker, *session, context, frame);
      else
        broker.close(context);
      return true;
    case State::authenticate:
      if (session->is_raw)
        take_raw_token(broker, turn, *session, context, frame);
      else if (context.api_key == ApiKey::sasl_authenticate)
        take_token(broker, turn, *session, context, frame);
      else
        refuse_early(broker, context, frame);
      return true;
    case State::complete:
      if (begins_again(*session, context, turn.now)) {
        session->repeated = turn.now;
        take_handshake(broker, *session, context, frame);
        return true;
      }
      if (!session->expires || turn.now <= *session->expires) return false;
      broker.close(context);
      return true;
  }
  return false;
}

void sasl_handshake(Broker& broker, Turn&, const RequestContext& context,
                    const SaslHandshakeRequest&) {
  refuse_handshake(broker, context);
}

void sasl_authenticate(Broker& broker, Turn&, const RequestContext& context,
                       const SaslAuthenticateRequest&) {
  SaslAuthenticateResponse response;
  response.error_code = ErrorCode::illegal_sasl_state;
  response.error_message = "SaslAuthenticate request received after successful authentication";
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
