package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

class RecentClientsTests {

	/** Nothing listens there. */
	private static final Map<String, Object> CLIENT = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
			"127.0.0.1:1");

	/** With a group it would look like a second projection, and it needs no offsets. */
	@Test
	void readsWithoutAGroupAndWaitsForNoBroker() {
		Map<String, Object> consumer = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1",
				ConsumerConfig.GROUP_ID_CONFIG, "group");

		try (RecentClients clients = RecentClients.open(CLIENT, consumer)) {
			assertThat(clients.admin()).isNotNull();
			assertThatExceptionOfType(InvalidGroupIdException.class)
				.isThrownBy(() -> clients.consumer().groupMetadata());
		}
	}

	@Test
	void opensBothOrNone() {
		AtomicBoolean closed = new AtomicBoolean();
		Map<String, Object> consumer = new HashMap<>(CLIENT);
		consumer.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, Closing.class.getName());
		consumer.put(Closing.FLAG, closed);

		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> RecentClients.open(Map.of(), consumer))
			.withRootCauseInstanceOf(ConfigException.class);

		assertThat(closed).as("the consumer is closed").isTrue();
	}

	/** An open question would delay the stop. */
	@Test
	void closesBothAndWaitsForNoAnswer() {
		Admin admin = mock(Admin.class);
		MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

		new RecentClients(admin, consumer).close();

		verify(admin).close(Duration.ZERO);
		assertThat(consumer.closed()).isTrue();
	}

	@Test
	void closesTheConsumerIfTheAdminDoesNotClose() {
		Admin admin = mock(Admin.class);
		MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
		doThrow(new KafkaException("not now")).when(admin).close(Duration.ZERO);

		assertThatExceptionOfType(KafkaException.class).isThrownBy(() -> new RecentClients(admin, consumer).close());

		assertThat(consumer.closed()).isTrue();
	}

	/** Records that its consumer is closed. */
	public static final class Closing implements ConsumerInterceptor<byte[], byte[]> {

		static final String FLAG = "test.closed";

		private AtomicBoolean closed = new AtomicBoolean();

		@Override
		public void configure(Map<String, ?> configs) {
			this.closed = (AtomicBoolean) configs.get(FLAG);
		}

		@Override
		public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
			return records;
		}

		@Override
		public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
		}

		@Override
		public void close() {
			this.closed.set(true);
		}

	}

}
