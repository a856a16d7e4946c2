// SCRAM against the exchange that RFC 7677 prints, and what must not get through.
#include "protocol/sasl/scram.h"

#include "protocol/base/base64.h"

#include "tests/catch.h"

namespace fencepost::protocol::sasl {
namespace {

constexpr std::string_view client_first = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
constexpr std::string_view server_first =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
constexpr std::string_view client_final =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
constexpr std::string_view server_final = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

struct Exchange {
  ScramClientFirst first = *parse_client_first(client_first);
  ScramServerFirst challenge = *parse_server_first(server_first);
  ScramClientFinal last = *parse_client_final(client_final);
  SharedBytes salted = salted_password(ScramMechanism::sha_256, "pencil", challenge.salt.view(),
                                       challenge.iterations);
  ScramCredential credential =
      credential_of(ScramMechanism::sha_256, salted.view(), challenge.salt, challenge.iterations);
  std::string text = signed_text(first.bare, server_first, last.without_proof);
};

TEST_CASE("the exchange of RFC 7677 comes out byte for byte", "[protocol][sasl]") {
  const Exchange exchange;
  CHECK(to_text(make_client_first("user", "rOprNGfwEbeRWgbNEkqO")) == client_first);
  CHECK(to_text(exchange.challenge) == server_first);
  ScramClientFinal made = make_client_final(exchange.challenge.nonce);
  made.proof = client_proof(ScramMechanism::sha_256, exchange.salted.view(), exchange.text);
  CHECK(to_text(made) == client_final);
  const SharedBytes signature = server_signature(
      ScramMechanism::sha_256, exchange.credential.server_key.view(), exchange.text);
  CHECK(to_text(ScramServerFinal{{}, signature}) == server_final);
}

TEST_CASE("a proof counts only for the exchange and the password it was made for",
          "[protocol][sasl]") {
  const Exchange exchange;
  const auto is_valid = [&](const SharedBytes& proof, const std::string& text) {
    return is_proof_valid(ScramMechanism::sha_256, exchange.credential, proof.view(), text);
  };
  CHECK(is_valid(exchange.last.proof, exchange.text));
  CHECK_FALSE(is_valid(exchange.last.proof, exchange.text + "x"));
  CHECK_FALSE(is_valid(exchange.last.proof.slice(0, 31), exchange.text));
  const SharedBytes other =
      salted_password(ScramMechanism::sha_256, "pencils", exchange.challenge.salt.view(), 4096);
  CHECK_FALSE(
      is_valid(client_proof(ScramMechanism::sha_256, other.view(), exchange.text), exchange.text));
}

TEST_CASE("a user name with comma and equals sign survives", "[protocol][sasl]") {
  const std::string text = to_text(make_client_first("a,b=c", "nonce"));
  CHECK(text == "n,,n=a=2Cb=3Dc,r=nonce");
  CHECK(parse_client_first(text)->username == "a,b=c");
  CHECK(parse_client_first("n,a=a=2Cb,n=x,r=1")->authorization_id == "a,b");
}

TEST_CASE("what is no first message of a client is refused", "[protocol][sasl]") {
  for (const std::string_view text :
       {"", "n", "n,", "n,,", "n,,n=user", "n,,n=,r=1", "n,,r=1,n=user", "y,,n=user,r=1",
        "p=tls-unique,,n=user,r=1", "n,b,n=user,r=1", "n,,n=us=er,r=1", "n,,n=user,r=\x01"}) {
    INFO(text);
    CHECK_FALSE(parse_client_first(text).ok());
  }
}

TEST_CASE("what is no challenge of a broker is refused", "[protocol][sasl]") {
  for (const std::string_view text :
       {"", "r=1,s=AAAA", "r=1,s=AAAA,i=0", "r=1,s=AAAA,i=-1", "r=1,s=AAAA,i=4096x",
        "r=1,s=A,i=4096", "s=AAAA,r=1,i=4096", "r=1,s=AAAA,i=99999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_server_first(text).ok());
  }
  CHECK_FALSE(parse_client_final("c=biws,r=1").ok());
  CHECK_FALSE(parse_client_final("c=biws,r=1,p=").ok());
  CHECK_FALSE(parse_client_final("c=!,r=1,p=AAAA").ok());
  CHECK_FALSE(parse_client_final("r=1,p=AAAA").ok());
  CHECK_FALSE(parse_server_final("x=1").ok());
  CHECK(parse_server_final("e=other-error")->error == "other-error");
}

}  // namespace
}  // namespace fencepost::protocol::sasl
