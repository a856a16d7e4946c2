// The rules of Kafka's StandardAuthorizer, one by one.
#include "minibroker/security/authorizer.h"

#include "tests/catch.h"

namespace fencepost::minibroker::security {
namespace {

AuthorizerSettings enabled(bool allows_everyone = false) {
  return {true, allows_everyone, {"User:admin"}};
}

Acl allow(Operation operation, const std::string& topic,
          PatternType pattern = PatternType::literal) {
  return {ResourceType::topic, pattern, topic, "User:alice", "*", operation, Permission::allow};
}
Acl deny(Acl acl) {
  acl.permission = Permission::deny;
  return acl;
}

const Identity alice{"User:alice", "10.0.0.1"};
const Identity bob{"User:bob", "10.0.0.2"};

bool may(const Authorizer& authorizer, Operation operation, const std::string& topic,
         const Identity& who = alice) {
  return authorizer.allows(who, operation, ResourceType::topic, topic);
}

TEST_CASE("without an authorizer everybody may do everything", "[security]") {
  CHECK(may(Authorizer(), Operation::write, "t"));
}

TEST_CASE("what no rule speaks of is denied, or allowed by setting", "[security]") {
  CHECK_FALSE(may(Authorizer(enabled()), Operation::read, "t"));
  Authorizer open(enabled(true));
  CHECK(may(open, Operation::read, "t"));
  // Any rule on the resource, whoever it is for, ends that.
  open.add({ResourceType::topic, PatternType::literal, "t", "User:carol", "*", Operation::write,
            Permission::allow});
  CHECK_FALSE(may(open, Operation::read, "t"));
  CHECK(may(open, Operation::read, "other"));
}

TEST_CASE("super users and brokers are not asked", "[security]") {
  Authorizer authorizer(enabled());
  authorizer.add({ResourceType::topic, PatternType::literal, "*", "User:*", "*", Operation::all,
                  Permission::deny});
  CHECK(may(authorizer, Operation::write, "t", {"User:admin", "10.0.0.1"}));
  CHECK(may(authorizer, Operation::write, "t", {"User:x", "10.0.0.1", "PLAINTEXT", true}));
  CHECK_FALSE(may(authorizer, Operation::write, "t"));
}

TEST_CASE("literal, prefixed and wildcard rules find their resources", "[security]") {
  Authorizer authorizer(enabled());
  authorizer.add(allow(Operation::read, "orders"));
  authorizer.add(allow(Operation::write, "or", PatternType::prefixed));
  CHECK(may(authorizer, Operation::read, "orders"));
  CHECK_FALSE(may(authorizer, Operation::read, "orders2"));
  CHECK(may(authorizer, Operation::write, "orders2"));
  CHECK_FALSE(may(authorizer, Operation::write, "o"));
  authorizer.add(allow(Operation::alter, "*"));
  CHECK(may(authorizer, Operation::alter, "anything"));
  CHECK_FALSE(authorizer.allows(alice, Operation::alter, ResourceType::group, "anything"));
  // A prefix "*" is a star, not everything.
  Authorizer star(enabled());
  star.add(allow(Operation::read, "*", PatternType::prefixed));
  CHECK_FALSE(may(star, Operation::read, "t"));
}

TEST_CASE("deny comes before allow, however wide either is", "[security]") {
  Authorizer authorizer(enabled());
  authorizer.add(allow(Operation::all, "*"));
  authorizer.add(deny(allow(Operation::write, "secret-", PatternType::prefixed)));
  CHECK(may(authorizer, Operation::read, "secret-1"));
  CHECK_FALSE(may(authorizer, Operation::write, "secret-1"));
}

TEST_CASE("allowing to read, write, delete or alter allows to describe; denying does not deny it",
          "[security]") {
  for (const Operation operation :
       {Operation::read, Operation::write, Operation::delete_, Operation::alter}) {
    Authorizer authorizer(enabled());
    authorizer.add(allow(operation, "t"));
    CHECK(may(authorizer, Operation::describe, "t"));
    authorizer.add(deny(allow(operation, "t")));
    authorizer.add(allow(Operation::describe, "t"));
    CHECK(may(authorizer, Operation::describe, "t"));
  }
  Authorizer authorizer(enabled());
  authorizer.add(allow(Operation::create, "t"));
  CHECK_FALSE(may(authorizer, Operation::describe, "t"));
  authorizer.add(allow(Operation::alter_configs, "t"));
  CHECK(may(authorizer, Operation::describe_configs, "t"));
  CHECK_FALSE(may(authorizer, Operation::describe, "t"));
}

TEST_CASE("a rule holds for its principal and host", "[security]") {
  Authorizer authorizer(enabled());
  Acl acl = allow(Operation::read, "t");
  acl.host = "10.0.0.1";
  authorizer.add(acl);
  CHECK(may(authorizer, Operation::read, "t"));
  CHECK_FALSE(may(authorizer, Operation::read, "t", {"User:alice", "10.0.0.9"}));
  CHECK_FALSE(may(authorizer, Operation::read, "t", bob));
  acl.principal = "User:*";
  acl.host = "*";
  authorizer.add(acl);
  CHECK(may(authorizer, Operation::read, "t", bob));
}

TEST_CASE("some topic is writable unless every allowed one is denied by a wider rule",
          "[security]") {
  const auto some = [](const Authorizer& authorizer) {
    return authorizer.allows_on_some(alice, Operation::write, ResourceType::topic);
  };
  Authorizer authorizer(enabled());
  CHECK_FALSE(some(authorizer));
  authorizer.add(allow(Operation::read, "t"));
  CHECK_FALSE(some(authorizer));
  authorizer.add(allow(Operation::write, "team-a"));
  CHECK(some(authorizer));
  authorizer.add(deny(allow(Operation::write, "team", PatternType::prefixed)));
  CHECK_FALSE(some(authorizer));
  authorizer.add(allow(Operation::write, "te", PatternType::prefixed));
  CHECK(some(authorizer));
  authorizer.add(deny(allow(Operation::all, "*")));
  CHECK_FALSE(some(authorizer));
}

TEST_CASE("allowed operations are bits by Kafka's numbers", "[security]") {
  CHECK(Authorizer().allowed_operations(alice, ResourceType::topic, "t") == 3576);
  Authorizer authorizer(enabled());
  authorizer.add(allow(Operation::read, "t"));
  CHECK(authorizer.allowed_operations(alice, ResourceType::topic, "t") == (1 << 3 | 1 << 8));
  CHECK(authorizer.allowed_operations(bob, ResourceType::topic, "t") == 0);
}

TEST_CASE("filters match as Kafka's do", "[security]") {
  const Acl prefixed = allow(Operation::read, "or", PatternType::prefixed);
  AclFilter filter;
  CHECK(filter.matches(prefixed));
  filter.resource_name = "orders";
  CHECK_FALSE(filter.matches(prefixed));
  filter.pattern_type = PatternType::match;
  CHECK(filter.matches(prefixed));
  CHECK(filter.matches(allow(Operation::read, "*")));
  CHECK_FALSE(filter.matches(allow(Operation::read, "order")));
  filter.pattern_type = PatternType::literal;
  CHECK_FALSE(filter.matches(allow(Operation::read, "*")));
  filter = {};
  filter.principal = "User:bob";
  CHECK_FALSE(filter.matches(prefixed));
}

}  // namespace
}  // namespace fencepost::minibroker::security
