package dev.sluice.devservices;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Injects faults into the broker that all tests share, and leaves it running. */
@Tag("embedded")
@ResourceLock(SharedKafka.LOCK)
class BreakableKafkaIT {

	private static final Duration TIMEOUT = Patience.ofSeconds(60);

	private static final int RECORDS = 500;

	private final String topic = "topic-" + UUID.randomUUID();

	@Test
	void recordsAcknowledgedBeforeAKillAndAStopAreThereAfterTheStart() throws Exception {
		KafkaService kafka = DevServices.shared().kafka();
		Breakable broker = kafka.brokers().getFirst();
		String address = kafka.bootstrapServers();
		send(kafka, this.topic);

		broker.kill();
		await().until(() -> Ports.isFree(Integer.parseInt(address.replaceFirst(".*:", ""))));
		broker.start();
		broker.stop();
		broker.start();

		assertThat(kafka.bootstrapServers()).isEqualTo(address);
		assertThat(receive(kafka, this.topic)).containsExactlyElementsOf(values());
	}

	@Test
	void frozenBrokerAcknowledgesNothingUntilItIsUnfrozen() throws Exception {
		KafkaService kafka = DevServices.shared().kafka();
		Breakable broker = kafka.brokers().getFirst();
		send(kafka, this.topic);
		try (KafkaProducer<String, String> producer = producer(kafka)) {
			producer.send(new ProducerRecord<>(this.topic, "before")).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			Future<RecordMetadata> sent;
			broker.freeze();
			try {
				sent = producer.send(new ProducerRecord<>(this.topic, "while frozen"));
				assertThatExceptionOfType(java.util.concurrent.TimeoutException.class)
					.isThrownBy(() -> sent.get(500, TimeUnit.MILLISECONDS));
			}
			finally {
				broker.unfreeze();
			}

			assertThat(sent.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).hasOffset()).isTrue();
		}
	}

	private static List<String> values() {
		return IntStream.range(0, RECORDS).mapToObj((i) -> "value " + i).toList();
	}

	private static KafkaProducer<String, String> producer(KafkaService kafka) {
		return new KafkaProducer<>(Map.of("bootstrap.servers", kafka.bootstrapServers(), "acks", "all"),
				new StringSerializer(), new StringSerializer());
	}

	/** Sends {@link #values} to a new topic. */
	private static void send(KafkaService kafka, String topic) throws Exception {
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
			admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
				.all()
				.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
		try (KafkaProducer<String, String> producer = producer(kafka)) {
			List<Future<RecordMetadata>> sent = new ArrayList<>();
			for (String value : values()) {
				sent.add(producer.send(new ProducerRecord<>(topic, value)));
			}
			for (Future<RecordMetadata> future : sent) {
				future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			}
		}
	}

	private static List<String> receive(KafkaService kafka, String topic) {
		Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", topic,
				"auto.offset.reset", "earliest");
		try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(),
				new StringDeserializer())) {
			consumer.subscribe(List.of(topic));
			List<String> received = new ArrayList<>();
			await().until(() -> {
				consumer.poll(Duration.ofMillis(200)).forEach((record) -> received.add(record.value()));
				return received.size() >= RECORDS;
			});
			return received;
		}
	}

}
