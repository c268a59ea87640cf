package dev.sluice.sink;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import static org.awaitility.Awaitility.await;

/** Reads the messages that sinks have stored in the topic. */
public final class TopicRecords {

	private TopicRecords() {
	}

	/**
	 * Reads all committed records, those of a partition in order.
	 * @param kafka bootstrap servers
	 */
	public static void forEach(String kafka, Consumer<ConsumerRecord<byte[], byte[]>> each) {
		Properties properties = new Properties();
		properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka);
		properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(),
				new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			await().until(() -> {
				consumer.poll(Duration.ofMillis(200)).forEach(each);
				return partitions.stream().allMatch((partition) -> consumer.position(partition) >= ends.get(partition));
			});
		}
	}

}
