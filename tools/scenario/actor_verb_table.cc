// The verbs of actors. A new one is one row here, its arguments, and its coroutine in one of the
// files *_verbs.cc.
#include "tools/scenario/verbs.h"

#include <array>

#include "tools/scenario/reader_mistakes.h"

namespace fencepost::scenario {

namespace {

using protocol::ApiKey;
using enum ArgumentType;

constexpr std::string_view isolation_levels = "read_uncommitted|read_committed";
constexpr std::string_view results = "commit|abort";

constexpr ArgumentSpec version{"version", integer, "the API version to use"};
constexpr ArgumentSpec transactional_id{"transactional_id", nullable_text,
                                        "instead of the one of init_producer_id"};
constexpr ArgumentSpec producer_id{"producer_id", integer, "instead of the remembered one"};
constexpr ArgumentSpec producer_epoch{"producer_epoch", integer, "instead of the remembered one"};
constexpr ArgumentSpec group{"group", text, "the group id; remembered"};
constexpr ArgumentSpec member_id{"member_id", text, "instead of the remembered one"};
constexpr ArgumentSpec generation{"generation", integer, "instead of the remembered one"};
constexpr ArgumentSpec instance_id{"group_instance_id", nullable_text, "of a static member"};
constexpr ArgumentSpec session_timeout{"session_timeout", duration, "default 45s"};
constexpr ArgumentSpec rebalance_timeout{"rebalance_timeout", duration, "default 60s"};
constexpr ArgumentSpec assignor{"assignor", choice, "default range", false,
                                "range|cooperative_sticky"};
constexpr ArgumentSpec owned{"owned", partitions,
                             "what it says that it owns, for cooperative_sticky"};
constexpr ArgumentSpec isolation{"isolation", choice, "what is visible", false, isolation_levels};
constexpr ArgumentSpec timeout{"timeout", duration, "how long to wait for an answer; default 30s"};

constexpr std::array init_producer_id_arguments{
    ArgumentSpec{"transactional_id", nullable_text, "null: idempotent only", true},
    ArgumentSpec{"transaction_timeout", duration, "default 60s"},
    ArgumentSpec{"producer_id", integer, "to keep (KIP-360); default -1"},
    ArgumentSpec{"producer_epoch", integer, "to keep (KIP-360); default -1"},
    timeout,
    version};
constexpr std::array add_partitions_to_txn_arguments{
    ArgumentSpec{"partitions", partitions, "what to add", true},
    transactional_id,
    producer_id,
    producer_epoch,
    timeout,
    version};
constexpr std::array produce_arguments{
    ArgumentSpec{"to", partition, "where to", true},
    ArgumentSpec{"key", nullable_text, "of a single record"},
    ArgumentSpec{"value", nullable_text, "of a single record; null is a tombstone"},
    ArgumentSpec{"records", records, "several records in one batch, instead of key and value"},
    ArgumentSpec{"add_partitions", boolean,
                 "false: do not send AddPartitionsToTxn first where the version needs it"},
    ArgumentSpec{"transactional", boolean, "default: whether the actor has a transactional id"},
    ArgumentSpec{"base_sequence", integer, "instead of the next one"},
    ArgumentSpec{"age", duration, "how old its records say that they are; default 0s"},
    ArgumentSpec{"acks", integer, "-1 (default), 0 or 1"},
    transactional_id,
    producer_id,
    producer_epoch,
    timeout,
    version};
constexpr std::array add_offsets_to_txn_arguments{group,          transactional_id, producer_id,
                                                  producer_epoch, timeout,          version};
constexpr std::array txn_offset_commit_arguments{
    ArgumentSpec{"offsets", offsets, "{in-0: 10}: the next offset to read", true},
    group,
    generation,
    member_id,
    instance_id,
    ArgumentSpec{"add_offsets", boolean,
                 "false: do not send AddOffsetsToTxn first where the version needs it"},
    ArgumentSpec{"fence", boolean,
                 "true: our client refuses an unknown generation; default: the variant's fence"},
    transactional_id,
    producer_id,
    producer_epoch,
    timeout,
    version};
constexpr std::array end_txn_arguments{ArgumentSpec{"result", choice, "how it ends", true, results},
                                       transactional_id,
                                       producer_id,
                                       producer_epoch,
                                       timeout,
                                       version};
constexpr std::array find_coordinator_arguments{
    ArgumentSpec{"key", text, "a transactional id or a group id", true},
    ArgumentSpec{"type", choice, "what the key is; default transaction", false,
                 "transaction|group"},
    timeout, version};
constexpr std::array join_group_arguments{
    group,
    ArgumentSpec{"topics", topics, "what it subscribes to"},
    session_timeout,
    rebalance_timeout,
    assignor,
    owned,
    ArgumentSpec{"generation", integer, "in which it owned that; default the remembered one"},
    member_id,
    instance_id,
    timeout,
    version};
constexpr std::array member_arguments{group, generation, member_id, instance_id, timeout, version};
constexpr std::array offset_commit_arguments{
    ArgumentSpec{"offsets", offsets, "{in-0: 10}: the next offset to read", true},
    group,
    generation,
    member_id,
    instance_id,
    timeout,
    version};
constexpr std::array offset_fetch_arguments{
    ArgumentSpec{"partitions", partitions, "whose offsets", true}, group,
    ArgumentSpec{"require_stable", boolean, "refuse while a transaction is pending; default true"},
    timeout, version};
constexpr std::array offset_delete_arguments{
    ArgumentSpec{"partitions", partitions, "whose offsets", true}, group, timeout, version};
constexpr std::array describe_groups_arguments{ArgumentSpec{"group", text, "which one", true},
                                               timeout, version};
constexpr std::array list_offsets_arguments{
    ArgumentSpec{"of", partition, "the partition", true},
    ArgumentSpec{"at", choice, "default latest", false, "earliest|latest"}, isolation, timeout,
    version};
constexpr ArgumentSpec fetch_bytes{"fetch_bytes", integer,
                                   "of one Fetch; 1: a batch at a time; default 1 MiB"};
constexpr std::array fetch_arguments{ArgumentSpec{"from", partition, "the partition", true},
                                     ArgumentSpec{"offset", integer, "default 0"},
                                     isolation,
                                     fetch_bytes,
                                     timeout,
                                     version};
constexpr std::array describe_transactions_arguments{
    ArgumentSpec{"transactional_id", text, "which one", true}, timeout, version};
constexpr std::array describe_producers_arguments{
    ArgumentSpec{"of", partition, "the partition", true}, timeout, version};
constexpr std::array write_txn_markers_arguments{
    ArgumentSpec{"to", partitions, "where to", true},
    ArgumentSpec{"result", choice, "which marker", true, results},
    ArgumentSpec{"coordinator_epoch", integer, "default 0"},
    ArgumentSpec{"transaction_version", integer, "0 or 2 (version 2 of the API); default 0"},
    producer_id,
    producer_epoch,
    timeout,
    version};
constexpr std::array create_topics_arguments{
    ArgumentSpec{"name", text, "the topic", true},
    ArgumentSpec{"partitions", integer, "how many; default 1"},
    ArgumentSpec{"replication_factor", integer, "default 1"}, timeout, version};
constexpr std::array delete_records_arguments{
    ArgumentSpec{"of", partition, "the partition", true},
    ArgumentSpec{"before", integer, "the first offset that stays", true}, timeout, version};
constexpr std::array metadata_arguments{
    ArgumentSpec{"topics", topics, "default all that the scenario declares"}, timeout, version};
constexpr std::array api_versions_arguments{timeout, version};

constexpr std::array join_arguments{
    ArgumentSpec{"group", text, "the group id", true},
    ArgumentSpec{"topics", topics, "what it subscribes to", true},
    session_timeout,
    rebalance_timeout,
    assignor,
    owned,
    instance_id,
    ArgumentSpec{"protocol", choice, "default classic", false, "classic|consumer"}};
constexpr std::array read_arguments{
    ArgumentSpec{"from", partition, "the partition", true},
    ArgumentSpec{"isolation", choice, "default read_committed", false, isolation_levels},
    ArgumentSpec{"start", integer, "where it begins; default the first offset"},
    ArgumentSpec{"store", records, "what it has already, as from a checkpoint"},
    ArgumentSpec{"mistake", choice, "how it gets answers wrong", false, reader_mistake_choices},
    fetch_bytes};
constexpr std::array recover_arguments{
    ArgumentSpec{"from", partition, "the snapshot partition", true},
    ArgumentSpec{"bound", choice, "where the read may stop; default high_watermark", false,
                 "high_watermark|last_stable_offset"},
    ArgumentSpec{"stall_timeout", duration, "without progress; default 3m"}};
constexpr std::array watermarks_arguments{ArgumentSpec{"of", partition, "the partition", true}};

constexpr std::array producer_returns{
    ReturnSpec{"producer_id", Shape::number, "what it was given"},
    ReturnSpec{"producer_epoch", Shape::number, "what it was given"}};
constexpr std::array produce_returns{ReturnSpec{"offset", Shape::number, "of the first record"}};
constexpr std::array coordinator_returns{ReturnSpec{"node", Shape::number, "the broker's id"}};
constexpr std::array join_group_returns{
    ReturnSpec{"generation", Shape::number, "of the group"},
    ReturnSpec{"leader", Shape::boolean, "whether this member is the leader"}};
constexpr std::array assignment_returns{ReturnSpec{"partitions", Shape::list, "assigned ones"}};
constexpr std::array join_returns{ReturnSpec{"partitions", Shape::list, "assigned ones"},
                                  ReturnSpec{"generation", Shape::number, "of the group"}};
constexpr std::array offset_fetch_returns{
    ReturnSpec{"offsets", Shape::map, "{in-0: 10}; -1: none committed"}};
constexpr std::array describe_groups_returns{
    ReturnSpec{"state", Shape::text, "Stable, Empty, Dead, ..."},
    ReturnSpec{"members", Shape::number, "how many"}};
constexpr std::array list_offsets_returns{ReturnSpec{"offset", Shape::number, "the answer"}};
constexpr std::array fetch_returns{
    ReturnSpec{"records", Shape::list, "as sent by the broker, aborted ones included"},
    ReturnSpec{"aborted", Shape::number, "entries in the list of aborted transactions"},
    ReturnSpec{"high_watermark", Shape::number, "of the partition"},
    ReturnSpec{"last_stable_offset", Shape::number, "of the partition"}};
constexpr std::array describe_transactions_returns{
    ReturnSpec{"state", Shape::text, "Ongoing, CompleteCommit, ..."},
    ReturnSpec{"producer_id", Shape::number, "of the transaction"},
    ReturnSpec{"producer_epoch", Shape::number, "of the transaction"},
    ReturnSpec{"partitions", Shape::list, "in the transaction"}};
constexpr std::array describe_producers_returns{
    ReturnSpec{"open", Shape::list, "first offset of each open transaction"},
    ReturnSpec{"producers", Shape::number, "that the leader remembers"}};
constexpr std::array delete_records_returns{
    ReturnSpec{"low_watermark", Shape::number, "the first offset that is left"}};
constexpr std::array metadata_returns{
    ReturnSpec{"topics", Shape::map, "{state: 1}: partitions of each"},
    ReturnSpec{"brokers", Shape::number, "how many"}};
constexpr std::array api_versions_returns{
    ReturnSpec{"transaction_version", Shape::number, "the finalized feature; 0 without it"}};
constexpr std::array read_returns{ReturnSpec{"records", Shape::list, "[k1=s1]"},
                                  ReturnSpec{"state", Shape::map, "the last value of each key"}};
constexpr std::array recover_returns{
    ReturnSpec{"state", Shape::map, "the last value of each key"},
    ReturnSpec{"records", Shape::number, "how many were read"},
    ReturnSpec{"target", Shape::number, "the offset it read up to"}};
constexpr std::array watermarks_returns{
    ReturnSpec{"high_watermark", Shape::number, "of the partition"},
    ReturnSpec{"last_stable_offset", Shape::number, "of the partition"}};

constexpr std::array all_verbs{
    VerbSpec{"init_producer_id", VerbKind::wire, ApiKey::init_producer_id,
             "gets a producer id and epoch; a transactional id fences its earlier owner",
             "transactional_id", init_producer_id_arguments, producer_returns},
    VerbSpec{"add_partitions_to_txn",
             VerbKind::wire,
             ApiKey::add_partitions_to_txn,
             "adds partitions to the transaction",
             "partitions",
             add_partitions_to_txn_arguments,
             {},
             Needs::producer},
    VerbSpec{"produce", VerbKind::wire, ApiKey::produce, "writes one batch", "", produce_arguments,
             produce_returns},
    VerbSpec{"add_offsets_to_txn",
             VerbKind::wire,
             ApiKey::add_offsets_to_txn,
             "adds the group's offsets partition to the transaction",
             "group",
             add_offsets_to_txn_arguments,
             {},
             Needs::producer},
    VerbSpec{"txn_offset_commit",
             VerbKind::wire,
             ApiKey::txn_offset_commit,
             "commits offsets inside the transaction",
             "",
             txn_offset_commit_arguments,
             {},
             Needs::producer},
    VerbSpec{"end_txn", VerbKind::wire, ApiKey::end_txn, "commits or aborts", "result",
             end_txn_arguments, producer_returns, Needs::producer},
    VerbSpec{"find_coordinator", VerbKind::wire, ApiKey::find_coordinator,
             "asks which broker coordinates", "key", find_coordinator_arguments,
             coordinator_returns},
    VerbSpec{"join_group", VerbKind::wire, ApiKey::join_group, "one JoinGroup request", "",
             join_group_arguments, join_group_returns, Needs::group},
    VerbSpec{"sync_group", VerbKind::wire, ApiKey::sync_group,
             "one SyncGroup request; the leader assigns", "", member_arguments, assignment_returns,
             Needs::group},
    VerbSpec{"heartbeat",
             VerbKind::wire,
             ApiKey::heartbeat,
             "one Heartbeat request",
             "",
             member_arguments,
             {},
             Needs::group},
    VerbSpec{"leave_group",
             VerbKind::wire,
             ApiKey::leave_group,
             "one LeaveGroup request",
             "",
             member_arguments,
             {},
             Needs::group},
    VerbSpec{"offset_commit",
             VerbKind::wire,
             ApiKey::offset_commit,
             "commits offsets outside of any transaction",
             "",
             offset_commit_arguments,
             {},
             Needs::group},
    VerbSpec{"offset_fetch", VerbKind::wire, ApiKey::offset_fetch, "asks for committed offsets", "",
             offset_fetch_arguments, offset_fetch_returns, Needs::group},
    VerbSpec{"offset_delete",
             VerbKind::wire,
             ApiKey::offset_delete,
             "forgets committed offsets",
             "",
             offset_delete_arguments,
             {},
             Needs::group},
    VerbSpec{"describe_groups", VerbKind::wire, ApiKey::describe_groups,
             "asks the coordinator about a group", "group", describe_groups_arguments,
             describe_groups_returns},
    VerbSpec{"list_offsets", VerbKind::wire, ApiKey::list_offsets, "asks where a log ends", "of",
             list_offsets_arguments, list_offsets_returns},
    VerbSpec{"fetch", VerbKind::wire, ApiKey::fetch, "one Fetch request", "from", fetch_arguments,
             fetch_returns},
    VerbSpec{"describe_transactions", VerbKind::wire, ApiKey::describe_transactions,
             "asks the coordinator about a transactional id", "transactional_id",
             describe_transactions_arguments, describe_transactions_returns},
    VerbSpec{"describe_producers", VerbKind::wire, ApiKey::describe_producers,
             "asks a leader about the producers of a partition", "of", describe_producers_arguments,
             describe_producers_returns},
    VerbSpec{"write_txn_markers",
             VerbKind::wire,
             ApiKey::write_txn_markers,
             "writes markers, as the abort tool does",
             "",
             write_txn_markers_arguments,
             {},
             Needs::producer},
    VerbSpec{"create_topics",
             VerbKind::wire,
             ApiKey::create_topics,
             "creates a topic",
             "name",
             create_topics_arguments,
             {}},
    VerbSpec{"delete_records", VerbKind::wire, ApiKey::delete_records,
             "deletes the beginning of a log", "", delete_records_arguments,
             delete_records_returns},
    VerbSpec{"metadata", VerbKind::wire, ApiKey::metadata, "asks for topics and leaders", "topics",
             metadata_arguments, metadata_returns},
    VerbSpec{"api_versions", VerbKind::wire, ApiKey::api_versions, "asks what a broker offers", "",
             api_versions_arguments, api_versions_returns},

    VerbSpec{"join",
             VerbKind::composite,
             {},
             "JoinGroup and SyncGroup until it has an assignment",
             "",
             join_arguments,
             join_returns},
    VerbSpec{"read",
             VerbKind::composite,
             {},
             "all records that an isolation level shows",
             "from",
             read_arguments,
             read_returns},
    VerbSpec{"recover",
             VerbKind::composite,
             {},
             "reads a snapshot partition read_committed up to a bound",
             "from",
             recover_arguments,
             recover_returns},
    VerbSpec{"watermarks",
             VerbKind::composite,
             {},
             "ListOffsets under both isolation levels",
             "of",
             watermarks_arguments,
             watermarks_returns},

    VerbSpec{"crash",
             VerbKind::actor,
             {},
             "its connections close, and it forgets everything",
             "",
             {},
             {}},
};

}  // namespace

std::span<const VerbSpec> actor_verbs() {
  return all_verbs;
}

}  // namespace fencepost::scenario
