package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** {@code lab sink --read}: prints stored messages, each as a line of JSON. */
final class SinkReading {

	private static final Duration WAIT = Duration.ofMillis(500);

	private static final Pattern SERVERS = Pattern.compile("[^,]+:\\d+(,[^,]+:\\d+)*");

	private static final JsonMapper JSON = new JsonMapper();

	private SinkReading() {
	}

	/**
	 * Prints messages up to the end, or until the process is stopped.
	 * @param servers Kafka's bootstrap servers
	 * @param limit maximum number of messages; 0 for all
	 * @param follow whether to wait for more at the end
	 */
	static void print(String servers, long limit, boolean follow, PrintWriter out) {
		if (!SERVERS.matcher(servers).matches()) {
			throw new LabException("%s is not HOST:PORT".formatted(servers));
		}
		Map<String, Object> config = Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers,
				ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(),
				new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			long left = (limit == 0) ? Long.MAX_VALUE : limit;
			while (left > 0) {
				ConsumerRecords<byte[], byte[]> records = consumer.poll(WAIT);
				for (ConsumerRecord<byte[], byte[]> record : records) {
					if (left-- > 0) {
						out.println(line(record));
					}
				}
				out.flush();
				if (!follow && records.isEmpty() && atEnd(consumer, partitions)) {
					break;
				}
			}
		}
		catch (KafkaException ex) {
			throw new LabException("The topic sink of %s cannot be read: %s".formatted(servers, ex.getMessage()), ex);
		}
	}

	private static boolean atEnd(KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
		return consumer.endOffsets(partitions)
			.entrySet()
			.stream()
			.allMatch((end) -> consumer.position(end.getKey()) >= end.getValue());
	}

	/** Data that is not UTF-8 is in Base64, in another member. */
	static String line(ConsumerRecord<byte[], byte[]> record) {
		TopicRecord stored = TopicRecord.read(record.headers());
		Map<String, Object> line = new LinkedHashMap<>();
		line.put("partition", record.partition());
		line.put("offset", record.offset());
		line.put("storedAt", Instant.ofEpochMilli(record.timestamp()).toString());
		put(line, "id", record.key());
		if (!stored.key().isEmpty()) {
			put(line, "key", stored.key().toByteArray());
		}
		ByteString session = stored.session();
		if (session != null) {
			line.put("session", HexFormat.of().formatHex(session.toByteArray()));
			line.put("sequence", stored.sequence());
		}
		put(line, "payload", record.value());
		return JSON.writeValueAsString(line);
	}

	private static void put(Map<String, Object> line, String name, byte @Nullable [] value) {
		byte[] bytes = (value != null) ? value : new byte[0];
		try {
			line.put(name, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
		}
		catch (CharacterCodingException _) {
			line.put(name + "Base64", Base64.getEncoder().encodeToString(bytes));
		}
	}

}
