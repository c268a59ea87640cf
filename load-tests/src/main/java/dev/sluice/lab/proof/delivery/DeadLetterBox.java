package dev.sluice.lab.proof.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads {@code orders-dlt}. */
final class DeadLetterBox {

	private static final Duration POLL = Duration.ofMillis(200);

	private static final long DEADLINE_NANOS = Duration.ofSeconds(60).toNanos();

	private final String bootstrapServers;

	/**
	 * A dead letter.
	 *
	 * @param id the order's id; null if the record has none
	 * @param kind kind of the failure; null if missing
	 * @param reason why it failed; null if missing
	 * @param origin {@code partition-offset} in {@code orders}
	 */
	record Letter(@Nullable String id, @Nullable String kind, @Nullable String reason, String origin) {
	}

	DeadLetterBox(String bootstrapServers) {
		this.bootstrapServers = bootstrapServers;
	}

	/** All dead letters at present. */
	List<Letter> letters() {
		List<Letter> letters = new ArrayList<>();
		long start = System.nanoTime();
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
				Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, this.bootstrapServers,
						ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.ORDERS_DLT)
				.stream()
				.map((info) -> new TopicPartition(info.topic(), info.partition()))
				.toList();
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			while (partitions.stream()
				.anyMatch((partition) -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
				consumer.poll(POLL).forEach((record) -> letters.add(letter(record)));
				if (System.nanoTime() - start > DEADLINE_NANOS) {
					throw new LabException("The dead letters cannot be read within a minute");
				}
			}
		}
		return letters;
	}

	private static Letter letter(ConsumerRecord<?, ?> record) {
		return new Letter(text(record, OrderHeaders.ID), text(record, DeadLetterHeaders.KIND),
				text(record, DeadLetterHeaders.REASON), text(record, DeadLetterHeaders.ORIGINAL_PARTITION) + "-"
						+ text(record, DeadLetterHeaders.ORIGINAL_OFFSET));
	}

	private static @Nullable String text(ConsumerRecord<?, ?> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

}
