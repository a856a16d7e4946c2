// Differential test of consumer groups: the same seeded random programs of heartbeats, classic members, offset
// commits and admin requests go to two Kafka-protocol servers, and every answer is compared, once member ids that a
// server made up and topic ids have been given names. The first difference of a program is printed with what led to it.
// Usage: java -cp 'KAFKA_4_4_LIBS/*' GroupDiff.java HOST:PORT HOST:PORT [--seed N] [--programs N] [--steps N] [--verbose]
//   Both servers: group.consumer.assignment.interval.ms=0 and group.initial.rebalance.delay.ms=0.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.stream.*;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.*;
import org.apache.kafka.common.protocol.*;

public class GroupDiff {
  static final String TAG = Long.toString(System.currentTimeMillis() % 100_000_000, 36);

  static class Connection {
    final Socket socket; final DataInputStream in; final DataOutputStream out;
    int correlation = 0; boolean isWaiting; ApiMessageType waitingType; short waitingVersion;
    Connection(String host, int port) throws IOException {
      socket = new Socket(host, port); socket.setTcpNoDelay(true);
      in = new DataInputStream(socket.getInputStream()); out = new DataOutputStream(socket.getOutputStream());
    }
    void send(ApiMessage body, short version) throws IOException {
      ApiMessageType type = ApiMessageType.fromApiKey(body.apiKey());
      short headerVersion = type.requestHeaderVersion(version);
      RequestHeaderData header = new RequestHeaderData().setRequestApiKey(body.apiKey()).setRequestApiVersion(version)
          .setCorrelationId(++correlation).setClientId("diff");
      ObjectSerializationCache cache = new ObjectSerializationCache();
      int size = header.size(cache, headerVersion) + body.size(cache, version);
      ByteBuffer buffer = ByteBuffer.allocate(size);
      ByteBufferAccessor accessor = new ByteBufferAccessor(buffer);
      header.write(accessor, cache, headerVersion); body.write(accessor, cache, version);
      out.writeInt(size); out.write(buffer.array()); out.flush();
      isWaiting = true; waitingType = type; waitingVersion = version;
    }
    // Null: no answer in that time.
    ApiMessage receive(int timeoutMs) throws IOException {
      socket.setSoTimeout(Math.max(timeoutMs, 1));
      int size;
      try { size = in.readInt(); } catch (java.net.SocketTimeoutException e) { return null; }
      socket.setSoTimeout(10000);
      byte[] bytes = new byte[size]; in.readFully(bytes);
      ByteBufferAccessor accessor = new ByteBufferAccessor(ByteBuffer.wrap(bytes));
      new ResponseHeaderData(accessor, waitingType.responseHeaderVersion(waitingVersion));
      ApiMessage response = waitingType.newResponse();
      response.read(accessor, waitingVersion);
      isWaiting = false;
      return response;
    }
  }

  static class Side {
    final String host; final int port;
    final Map<String, Connection> connections = new TreeMap<>();
    final Map<Uuid, String> topicNames = new HashMap<>(); final Map<String, Uuid> topicIds = new HashMap<>();
    final Map<String, String> memberNames = new LinkedHashMap<>();
    final Map<String, Member> members = new TreeMap<>();
    Side(String address) { int colon = address.lastIndexOf(':'); host = address.substring(0, colon); port = Integer.parseInt(address.substring(colon + 1)); }
    Connection connection(String who) throws IOException {
      Connection c = connections.get(who);
      if (c == null) connections.put(who, c = new Connection(host, port));
      return c;
    }
    ApiMessage call(ApiMessage body, int version) throws IOException {
      Connection c = connection("admin"); c.send(body, (short) version); return c.receive(10000);
    }
    void reset() throws IOException {
      for (Connection c : connections.values()) c.socket.close();
      connections.clear(); members.clear(); memberNames.clear();
    }
  }
  static class Member { String id = ""; int epoch = 0; int previousEpoch = 0; Map<Uuid, List<Integer>> assigned = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString())); int generation = -1; String classicId = ""; }

  // ---- a step is made for both sides from the same random choices
  interface Maker { ApiMessage make(Side side); }
  static class Step { String who; String what; int version; Maker maker; int pauseMs = 0; boolean isJoin; String member; }

  final Random random; final List<String> topics = new ArrayList<>(); final List<String> groups = new ArrayList<>();
  final Side[] sides; final List<String> history = new ArrayList<>(); final int program; final boolean verbose;
  final boolean oneTopic;
  GroupDiff(Side[] sides, long seed, int program, boolean verbose) {
    this.sides = sides; this.program = program; this.verbose = verbose; random = new Random(seed * 1000003 + program);
    oneTopic = random.nextInt(3) > 0;
  }
  <T> T pick(List<T> list) { return list.get(random.nextInt(list.size())); }
  boolean chance(int percent) { return random.nextInt(100) < percent; }

  void createTopics() throws IOException {
    String[] names = {"a", "b", "c"}; int[] counts = {4 + random.nextInt(5), 3, 7};
    for (int i = 0; i < (oneTopic ? 1 : 3); ++i) topics.add("gd-" + TAG + "-" + program + "-" + names[i]);
    for (Side side : sides) {
      var request = new CreateTopicsRequestData().setTimeoutMs(10000);
      for (int i = 0; i < topics.size(); ++i) request.topics().add(new CreateTopicsRequestData.CreatableTopic().setName(topics.get(i)).setNumPartitions(counts[i]).setReplicationFactor((short) 1));
      var response = (CreateTopicsResponseData) side.call(request, 7);
      for (var it : response.topics()) { side.topicNames.put(it.topicId(), it.name()); side.topicIds.put(it.name(), it.topicId()); }
    }
    for (int i = 0; i < 2; ++i) groups.add("gg-" + TAG + "-" + program + "-" + i);
    for (Side side : sides) findCoordinators(side);
  }
  // The offsets topic comes into being with the first search, and takes a moment to load.
  void findCoordinators(Side side) throws IOException {
    side.call(new FindCoordinatorRequestData().setKeyType((byte) 0).setCoordinatorKeys(groups), 4);
    for (int i = 0; i < 100; ++i) {
      var described = (ConsumerGroupDescribeResponseData) side.call(new ConsumerGroupDescribeRequestData().setGroupIds(groups), 0);
      if (described.groups().stream().allMatch(g -> g.errorCode() == 69) && i > 5) return;  // and the new topics are known
      try { Thread.sleep(100); } catch (InterruptedException e) { throw new IOException(e); }
    }
    throw new IOException("no coordinator on " + side.port);
  }
  Member member(Side side, String key) { return side.members.computeIfAbsent(key, k -> new Member()); }
  String someTopic() { return chance(92) ? pick(topics) : "gd-none"; }

  Step heartbeat() {
    String group = pick(groups); int slot = random.nextInt(4); String key = group + "/" + slot;
    boolean v0 = chance(10);
    int kind = random.nextInt(100); boolean joins = kind < 25;
    boolean full = chance(30) || joins;
    List<String> names = chance(80) ? topics.stream().filter(t -> oneTopic ? chance(90) : chance(60)).collect(Collectors.toList()) : chance(50) ? null : List.of(someTopic());
    String regex = !v0 && chance(15) ? pick(List.of("gd-" + TAG + "-" + program + "-.*", "gd-" + TAG + "-" + program + "-[ab]", "", "(", "gd-" + TAG + "-" + program + "-a")) : null;
    String instance = slot == 3 ? "static-" + (chance(90) ? 0 : 1) : chance(2) ? " " : null;
    boolean freshId = chance(slot == 3 ? 30 : 4);
    String newId = "m" + Integer.toHexString(random.nextInt()) + "-" + slot;
    String assignor = !oneTopic && joins ? "range" : chance(15) && oneTopic ? pick(List.of("range", "uniform", "range", "bogus")) : null;
    int ownedKind = random.nextInt(10); boolean noSubscription = chance(3); int timeout = chance(97) ? 30000 : -1; boolean rack = chance(5);
    Step step = new Step(); step.who = key; step.member = key; step.version = v0 ? 0 : 1; step.pauseMs = regex != null ? 150 : 20;
    step.maker = side -> {
      Member m = member(side, key);
      if (m.id.isEmpty() || freshId) m.id = newId;
      int epoch = kind < 25 ? 0 : kind < 75 ? m.epoch : kind < 81 ? m.previousEpoch : kind < 86 ? -1 : kind < 91 ? -2 : kind < 94 ? m.epoch + 1 : kind < 96 ? m.epoch - 1 : m.epoch;
      var r = new ConsumerGroupHeartbeatRequestData().setGroupId(group).setMemberId(m.id).setMemberEpoch(epoch).setInstanceId(instance).setServerAssignor(assignor);
      if (rack) r.setRackId("r1");
      if (full) {
        r.setRebalanceTimeoutMs(timeout);
        if (!noSubscription) { r.setSubscribedTopicNames(names); r.setSubscribedTopicRegex(regex); if (names == null && regex == null) r.setSubscribedTopicNames(List.of(topics.get(0))); }
      }
      if (joins || epoch == 0) r.setTopicPartitions(ownedKind == 9 ? null : List.of());
      else if (ownedKind < 6) { for (var e : m.assigned.entrySet()) { if (r.topicPartitions() == null) r.setTopicPartitions(new ArrayList<>()); r.topicPartitions().add(new ConsumerGroupHeartbeatRequestData.TopicPartitions().setTopicId(e.getKey()).setPartitions(new ArrayList<>(e.getValue()))); } if (r.topicPartitions() == null) r.setTopicPartitions(new ArrayList<>()); }
      else if (ownedKind == 6) r.setTopicPartitions(new ArrayList<>());
      return r;
    };
    step.what = "heartbeat " + key + " kind=" + kind;
    return step;
  }
  ByteBuffer subscription(List<String> names, int version) {
    var s = new ConsumerProtocolSubscription().setTopics(new ArrayList<>(names));
    return MessageUtil.toVersionPrefixedByteBuffer((short) version, s);
  }
  static byte[] bytes(ByteBuffer b) { byte[] out = new byte[b.remaining()]; b.duplicate().get(out); return out; }
  Step join() {
    String group = pick(groups); int slot = random.nextInt(4); String key = group + "/" + slot;
    String instance = slot == 3 ? "static-0" : null; boolean fresh = chance(25); int version = chance(80) ? 9 : 5;
    List<String> names = topics.stream().filter(t -> chance(80)).collect(Collectors.toList());
    boolean other = chance(5); String type = chance(95) ? "consumer" : "connect"; int embedded = random.nextInt(4);
    Step step = new Step(); step.who = key + "/classic"; step.member = key; step.version = version; step.what = "join " + key + " fresh=" + fresh; step.isJoin = true;
    step.maker = side -> {
      Member m = member(side, key);
      if (fresh) m.classicId = "";
      var r = new JoinGroupRequestData().setGroupId(group).setMemberId(m.classicId).setGroupInstanceId(instance).setProtocolType(type).setSessionTimeoutMs(30000).setRebalanceTimeoutMs(20000);
      r.protocols().add(new JoinGroupRequestData.JoinGroupRequestProtocol().setName(other ? "roundrobin" : "range").setMetadata(bytes(subscription(names, embedded))));
      return r;
    };
    return step;
  }
  Step classic() {
    String group = pick(groups); int slot = random.nextInt(4); String key = group + "/" + slot; int kind = random.nextInt(10);
    String instance = slot == 3 ? "static-0" : null; int shift = chance(5) ? 1 : 0;
    boolean byInstance = instance != null && chance(40); String name = chance(90) ? "range" : "other"; String topic = topics.get(0);
    Step step = new Step(); step.who = key + "/classic"; step.member = key;
    if (kind < 4) {
      step.what = "classic heartbeat " + key; step.version = 4;
      step.maker = side -> new HeartbeatRequestData().setGroupId(group).setMemberId(member(side, key).classicId).setGroupInstanceId(instance).setGenerationId(member(side, key).generation + shift);
    } else if (kind < 8) {
      step.what = "sync " + key; step.version = 5;
      step.maker = side -> {
        Member m = member(side, key);
        var r = new SyncGroupRequestData().setGroupId(group).setMemberId(m.classicId).setGroupInstanceId(instance).setGenerationId(m.generation + shift).setProtocolType("consumer").setProtocolName(name);
        var a = new ConsumerProtocolAssignment(); a.assignedPartitions().add(new ConsumerProtocolAssignment.TopicPartition().setTopic(topic).setPartitions(List.of(slot)));
        r.assignments().add(new SyncGroupRequestData.SyncGroupRequestAssignment().setMemberId(m.classicId).setAssignment(bytes(MessageUtil.toVersionPrefixedByteBuffer((short) 1, a))));
        return r;
      };
    } else {
      step.what = "classic leave " + key; step.version = 5;
      step.maker = side -> { var r = new LeaveGroupRequestData().setGroupId(group); r.members().add(new LeaveGroupRequestData.MemberIdentity().setMemberId(byInstance ? "" : member(side, key).classicId).setGroupInstanceId(instance)); return r; };
    }
    return step;
  }
  Step admin() {
    Step step = new Step(); step.who = "admin"; int kind = random.nextInt(100); List<String> some = chance(10) ? List.of("gg-none", pick(groups)) : groups;
    if (kind < 40) {
      step.version = random.nextInt(2); step.what = "describe consumer groups"; step.maker = side -> new ConsumerGroupDescribeRequestData().setGroupIds(some);
    } else if (kind < 55) {
      step.version = 5 + random.nextInt(2); step.what = "describe groups"; step.maker = side -> new DescribeGroupsRequestData().setGroups(some);
    } else if (kind < 75) {
      step.version = 5; step.what = "list groups"; List<String> states = chance(50) ? List.of() : List.of(pick(List.of("Stable", "reconciling", "Empty", "ASSIGNING"))); List<String> types = chance(60) ? List.of() : List.of(pick(List.of("consumer", "Classic")));
      step.maker = side -> new ListGroupsRequestData().setStatesFilter(states).setTypesFilter(types);
    } else if (kind < 85) {
      String group = pick(groups); step.version = 2; step.what = "delete group " + group; step.maker = side -> new DeleteGroupsRequestData().setGroupsNames(List.of(group));
    } else {
      String group = pick(groups); String topic = pick(topics); step.version = 0; step.what = "offset delete " + group;
      step.maker = side -> { var r = new OffsetDeleteRequestData().setGroupId(group); var t = new OffsetDeleteRequestData.OffsetDeleteRequestTopic().setName(topic); t.partitions().add(new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(0)); r.topics().add(t); return r; };
    }
    return step;
  }
  Step offsets() {
    String group = pick(groups); int slot = random.nextInt(4); String key = group + "/" + slot; boolean commit = chance(60); String topic = pick(topics); int partition = random.nextInt(4);
    int version = commit ? 7 + random.nextInt(4) : 8 + random.nextInt(3); int kind = random.nextInt(10); boolean asClassic = chance(30); long offset = random.nextInt(1000);
    Step step = new Step(); step.who = key + "/offsets"; step.version = version; step.what = (commit ? "commit " : "fetch offsets ") + key + " kind=" + kind;
    step.maker = side -> {
      Member m = member(side, key);
      String id = kind == 0 ? "" : kind == 1 ? "nobody" : asClassic ? m.classicId : m.id; int epoch = kind == 0 ? -1 : asClassic ? m.generation : kind < 6 ? m.epoch : kind == 6 ? m.previousEpoch : kind == 7 ? m.epoch + 1 : kind == 8 ? m.epoch - 1 : -1;
      if (commit) {
        var r = new OffsetCommitRequestData().setGroupId(group).setMemberId(id).setGenerationIdOrMemberEpoch(epoch);
        var t = new OffsetCommitRequestData.OffsetCommitRequestTopic(); if (version >= 10) t.setTopicId(side.topicIds.get(topic)); else t.setName(topic);
        t.partitions().add(new OffsetCommitRequestData.OffsetCommitRequestPartition().setPartitionIndex(partition).setCommittedOffset(offset));
        return r.setTopics(new ArrayList<>(List.of(t)));
      }
      var r = new OffsetFetchRequestData(); var g = new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId(group);
      if (version >= 9) g.setMemberId(kind == 0 ? null : id).setMemberEpoch(kind == 0 ? -1 : epoch);
      var t = new OffsetFetchRequestData.OffsetFetchRequestTopics().setPartitionIndexes(List.of(0, 1, 2, 3)); if (version >= 10) t.setTopicId(side.topicIds.get(topic)); else t.setName(topic);
      g.setTopics(new ArrayList<>(List.of(t))); r.groups().add(g); return r;
    };
    return step;
  }

  // ---- running
  boolean run(int steps) throws Exception {
    createTopics();
    for (int i = 0; i < steps; ++i) {
      int kind = random.nextInt(100);
      if (!oneTopic && kind >= 50 && kind < 70) kind = 0;
      Step step = kind < 50 ? heartbeat() : kind < 58 ? join() : kind < 70 ? classic() : kind < 85 ? admin() : offsets();
      if (sides[0].connection(step.who).isWaiting) { if (!drain(step.who, 50)) return false; if (sides[0].connection(step.who).isWaiting) continue; }
      String[] answers = new String[2];
      for (int s = 0; s < 2; ++s) {
        ApiMessage request = step.maker.make(sides[s]); Connection c = sides[s].connection(step.who);
        if (s == 0) history.add("\n#" + i + " " + step.what + " v" + step.version + " " + json(request, step.version, "Request", sides[s], false));
        c.send(request, (short) step.version);
      }
      // An answer that only one side gives at once is a difference; what waits is looked at later.
      for (int s = 0; s < 2; ++s) answers[s] = answer(sides[s], step.who, step.member, step.isJoin || step.what.startsWith("sync") ? 500 : 10000);
      history.add("   -> " + answers[0]);
      if (!answers[0].equals(answers[1])) return differ(answers);
      if (!drainAll()) return false;
      if (step.pauseMs > 0) Thread.sleep(step.pauseMs);
    }
    return true;
  }
  boolean differ(String[] answers) { history.add("   != " + answers[1]); System.out.println("program " + program + " differs:" + String.join("\n", history.subList(Math.max(0, verbose ? 0 : history.size() - 60), history.size()))); return false; }
  boolean drainAll() throws Exception {
    for (String who : new ArrayList<>(sides[0].connections.keySet())) if (sides[0].connection(who).isWaiting && !drain(who, 1)) return false;
    return true;
  }
  boolean drain(String who, int timeoutMs) throws Exception {
    String member = who.replace("/classic", ""); String[] answers = new String[2];
    answers[0] = answer(sides[0], who, member, timeoutMs);
    answers[1] = answer(sides[1], who, member, answers[0].equals("waits") ? 1 : 2000);
    if (answers[0].equals("waits") && !answers[1].equals("waits")) answers[0] = answer(sides[0], who, member, 2000);
    if (!answers[0].equals("waits")) history.add("   later " + who + " -> " + answers[0]);
    return answers[0].equals(answers[1]) || differ(answers);
  }
  String answer(Side side, String who, String key, int timeoutMs) throws Exception {
    Connection c = side.connection(who); short version = c.waitingVersion; ApiMessage response;
    try { response = c.receive(timeoutMs); } catch (EOFException e) { side.connections.remove(who); return "closed"; }
    if (response == null) return "waits";
    learn(side, key, response);
    return json(response, version, "Response", side, true);
  }
  void learn(Side side, String key, ApiMessage message) {
    if (message instanceof ConsumerGroupHeartbeatResponseData r && key != null) {
      Member m = member(side, key);
      if (r.errorCode() == 0) {
        if (r.memberEpoch() != m.epoch) { m.previousEpoch = m.epoch; m.epoch = r.memberEpoch(); }
        if (r.memberEpoch() < 0) { m.epoch = 0; m.assigned.clear(); }
        if (r.assignment() != null) { m.assigned.clear(); for (var it : r.assignment().topicPartitions()) m.assigned.put(it.topicId(), it.partitions()); }
      } else if (r.errorCode() == 110 || r.errorCode() == 25) { m.epoch = 0; m.assigned.clear(); }
    }
    if (message instanceof JoinGroupResponseData r && key != null) {
      Member m = member(side, key);
      if (r.memberId() != null && !r.memberId().isEmpty()) { m.classicId = r.memberId(); side.memberNames.putIfAbsent(r.memberId(), "made-up-" + side.memberNames.size()); }
      if (r.errorCode() == 0) m.generation = r.generationId();
    }
  }
  String json(ApiMessage message, int version, String suffix, Side side, boolean canonical) throws Exception {
    String name = message.getClass().getSimpleName();
    JsonNode node = (JsonNode) Class.forName("org.apache.kafka.common.message." + name + "JsonConverter").getMethod("write", message.getClass(), short.class).invoke(null, message, (short) version);
    String text = name + " " + (canonical ? canonical(node, side) : node);
    if (!canonical) return text;
    for (var it : side.memberNames.entrySet()) text = text.replace(it.getKey(), it.getValue());
    return text;
  }
  // Arrays in an order of their own, topic ids as names, and only what belongs to this program. With several
  // topics the uniform assignor goes by their ids, which differ: those programs ask for range.
  JsonNode canonical(JsonNode node, Side side) {
    if (node instanceof ObjectNode object) {
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      object.fields().forEachRemaining(it -> {
        if (it.getKey().equals("throttleTimeMs")) return;
        JsonNode value = canonical(it.getValue(), side);
        if (it.getKey().equals("topicId") && side.topicNames.containsKey(Uuid.fromString(value.asText()))) value = TextNode.valueOf("id of " + side.topicNames.get(Uuid.fromString(value.asText())));
        out.set(it.getKey(), value);
      });
      return out;
    }
    if (node instanceof ArrayNode array) {
      List<JsonNode> items = new ArrayList<>();
      for (JsonNode it : array) {
        JsonNode group = it.get("groupId");
        if (group != null && it.has("protocolType") && it.has("groupType") && !groups.contains(group.asText())) continue;
        items.add(canonical(it, side));
      }
      items.sort(Comparator.comparing(it -> { String t = it.toString(); for (var m : side.memberNames.entrySet()) t = t.replace(m.getKey(), m.getValue()); return t; }));
      ArrayNode out = JsonNodeFactory.instance.arrayNode(); out.addAll(items); return out;
    }
    return node;
  }

  public static void main(String[] args) throws Exception {
    Side[] sides = {new Side(args[0]), new Side(args[1])}; long seed = System.nanoTime() % 100000; int programs = 20, steps = 60, first = 0; boolean verbose = false;
    for (int i = 2; i < args.length; ++i) switch (args[i]) {
      case "--seed" -> seed = Long.parseLong(args[++i]); case "--programs" -> programs = Integer.parseInt(args[++i]);
      case "--steps" -> steps = Integer.parseInt(args[++i]); case "--first" -> first = Integer.parseInt(args[++i]); case "--verbose" -> verbose = true; }
    System.out.println("seed " + seed); int different = 0, count = 0;
    for (int p = first; p < first + programs; ++p) {
      for (Side side : sides) side.reset();
      GroupDiff diff = new GroupDiff(sides, seed, p, verbose);
      if (!diff.run(steps)) ++different;
      count += diff.history.size();
    }
    System.out.println(programs + " programs, " + count + " lines, " + different + " differ"); System.exit(different == 0 ? 0 : 1);
  }
}
