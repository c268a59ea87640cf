package dev.sluice.sink.store;

import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.Topics;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The brokers, as the writer of one session needs them: its producer, and its state as
 * the metadata of a committed offset.
 */
interface SessionBrokers {

	/** After this time the brokers abort a transaction that a dead sink left open. */
	Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(15);

	/** For each call to the brokers, and for the delivery of a record. */
	Duration TIMEOUT = Duration.ofSeconds(10);

	/** Longer than a transaction, whose end sends what is left. */
	Duration LINGER = Duration.ofSeconds(1);

	/** About the time that the brokers take to end the previous transaction. */
	Duration RETRY_BACKOFF = Duration.ofMillis(5);

	/** The partition whose offset has the state. Its messages do not matter. */
	TopicPartition STATE = new TopicPartition(Topics.SINK, 0);

	/** Creates the session's producer, which no one has initialized. */
	Producer<byte[], byte[]> producer();

	/**
	 * Reads the session's state. By then no other writer can commit for the session.
	 * @throws SessionForgottenException if there is no state, but the session may be an
	 * old one
	 * @throws StoreUnavailableException if the brokers do not answer
	 */
	SessionState state() throws InterruptedException;

	/** The transactional id and the consumer group of a session. */
	static String name(ClientSession session) {
		return "sink-session-" + HexFormat.of().formatHex(session.id().toByteArray());
	}

	/** The state as an offset to commit. */
	static Map<TopicPartition, OffsetAndMetadata> encode(SessionState state) {
		return Map.of(STATE, new OffsetAndMetadata(state.end(), Base64.getEncoder().encodeToString(state.encode())));
	}

	/**
	 * Real brokers.
	 * @param common configuration of the producers, without transactional settings
	 * @param maxAge time for which a session is remembered after its last message
	 */
	static SessionBrokers of(Map<String, Object> common, ClientSession session, Duration maxAge) {
		Map<String, Object> config = new HashMap<>(common);
		config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, name(session));
		config.put(ProducerConfig.CLIENT_ID_CONFIG, name(session));
		config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) TRANSACTION_TIMEOUT.toMillis());
		config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
		config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int) TIMEOUT.toMillis());
		config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, (int) RETRY_BACKOFF.toMillis());
		// A batch is sent when it is full or the transaction ends: small ones cost more.
		config.put(ProducerConfig.LINGER_MS_CONFIG, (int) LINGER.toMillis());
		return new SessionBrokers() {

			@Override
			public Producer<byte[], byte[]> producer() {
				return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
			}

			@Override
			public SessionState state() throws InterruptedException {
				return read(config, session, maxAge);
			}

		};
	}

	private static SessionState read(Map<String, Object> config, ClientSession session, Duration maxAge)
			throws InterruptedException {
		Map<String, Object> admins = new HashMap<>(config);
		admins.keySet().retainAll(AdminClientConfig.configNames());
		try (Admin admin = Admin.create(admins)) {
			OffsetAndMetadata committed = admin
				.listConsumerGroupOffsets(name(session), new ListConsumerGroupOffsetsOptions().requireStable(true))
				.partitionsToOffsetAndMetadata()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.get(STATE);
			if (committed != null) {
				return SessionState.decode(Base64.getDecoder().decode(committed.metadata()));
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new StoreUnavailableException("The session's state could not be read from the brokers: " + ex, ex);
		}
		session.requireNew(maxAge);
		return new SessionState();
	}

}
