package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sluice.threads.Supervisor;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteRecordsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.OffsetSpec.EarliestSpec;
import org.apache.kafka.clients.admin.OffsetSpec.TimestampSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyMap;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

/** The records that are deleted, given Kafka's answers for partition 0. */
class OrderPurgeTests {

	private static final TopicPartition PARTITION = new TopicPartition(Topics.ORDERS, 0);

	private static final Uuid TOPIC = new Uuid(1, 1);

	private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

	private static final Duration RETENTION = Duration.ofDays(7);

	private final Admin admin = mock(Admin.class);

	private final Map<String, Map<TopicPartition, OffsetAndMetadata>> commits = new HashMap<>();

	private final Map<TopicPartition, RecordsToDelete> deleted = new HashMap<>();

	private long start = 10;

	private long end = 100;

	/** The first offset within the retention; -1 if there is none. */
	private long youngest = -1;

	private Set<TopicPartition> owned = Set.of(PARTITION);

	private Map<String, Uuid> topicIds = Map.of(Topics.ORDERS, TOPIC);

	@BeforeEach
	void kafka() {
		when(this.admin.listConsumerGroupOffsets(anyString())).thenAnswer((call) -> {
			ListConsumerGroupOffsetsResult result = mock(ListConsumerGroupOffsetsResult.class);
			when(result.partitionsToOffsetAndMetadata()).thenReturn(
					KafkaFuture.completedFuture(this.commits.getOrDefault(call.<String>getArgument(0), Map.of())));
			return result;
		});
		when(this.admin.listOffsets(anyMap())).thenAnswer((call) -> {
			ListOffsetsResult result = mock(ListOffsetsResult.class);
			when(result.all())
				.thenReturn(KafkaFuture.completedFuture(call.<Map<TopicPartition, OffsetSpec>>getArgument(0)
					.entrySet()
					.stream()
					.collect(Collectors.toMap(Map.Entry::getKey, (asked) -> offset(asked.getValue())))));
			return result;
		});
		when(this.admin.deleteRecords(anyMap())).thenAnswer((call) -> {
			this.deleted.putAll(call.getArgument(0));
			DeleteRecordsResult result = mock(DeleteRecordsResult.class);
			when(result.all()).thenReturn(KafkaFuture.completedFuture(null));
			return result;
		});
	}

	/** It keeps what a group has not committed for this topic, and what is young. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "none", textBlock = """
			60 | 50   | this    | true  | -1 | 50
			60 | 50   | this    | true  | 40 | 40
			60 | 50   | this    | true  |  0 | none
			60 | none | this    | true  | -1 | none
			60 | 50   | deleted | true  | -1 | none
			60 | 50   | this    | false | -1 | none
			10 | 50   | this    | true  | -1 | none
			11 | 50   | this    | true  | -1 | 11
			""")
	void deletesInItsPartitionsWhatBothGroupsHaveCommitted(Long delivery, @Nullable Long projection, String topic,
			boolean owned, long youngest, @Nullable Long below) throws Exception {
		commit("delivery", delivery, TOPIC);
		if (projection != null) {
			commit("projection", projection, topic.equals("this") ? TOPIC : new Uuid(1, 2));
		}
		this.owned = owned ? this.owned : Set.of();
		this.youngest = youngest;

		purge(RETENTION).purge();

		assertThat(this.deleted)
			.isEqualTo((below != null) ? Map.of(PARTITION, RecordsToDelete.beforeOffset(below)) : Map.of());
	}

	private void commit(String group, long offset, Uuid topic) {
		this.commits.put(group, Map.of(PARTITION,
				new OffsetAndMetadata(offset, CommitMetadata.of(List.of(topic), "finished-1:1,1").text())));
	}

	@Test
	void doesNotAskKafkaBeforeTheTopicIsKnown() throws Exception {
		this.topicIds = Map.of();

		purge(RETENTION).purge();

		verifyNoInteractions(this.admin);
	}

	@Test
	void runsUnlessTheRetentionIsZero() {
		OrderPurge never = purge(Duration.ZERO);
		never.start();
		assertThat(never.isRunning()).isFalse();
		never.stop();
		verifyNoInteractions(this.admin);

		OrderPurge purge = purge(RETENTION);
		assertThat(purge.isRunning()).isFalse();
		purge.start();
		assertThat(purge.isRunning()).isTrue();
		purge.stop();
		assertThat(purge.isRunning()).isFalse();
	}

	private OrderPurge purge(Duration retention) {
		TopicWatch topics = mock(TopicWatch.class);
		when(topics.ids()).thenReturn(this.topicIds);
		return new OrderPurge(retention, List.of("delivery", "projection"), () -> this.owned, topics, () -> this.admin,
				InstantSource.fixed(NOW), new Supervisor((_) -> {
				}));
	}

	private ListOffsetsResultInfo offset(OffsetSpec spec) {
		return new ListOffsetsResultInfo(switch (spec) {
			case EarliestSpec _ -> this.start;
			case TimestampSpec time -> {
				assertThat(time).usingRecursiveComparison()
					.isEqualTo(OffsetSpec.forTimestamp(NOW.minus(RETENTION).toEpochMilli()));
				yield this.youngest;
			}
			default -> this.end;
		}, -1, Optional.empty());
	}

}
