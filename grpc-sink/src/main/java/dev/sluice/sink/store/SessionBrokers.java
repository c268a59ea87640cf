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
import dev.sluice.sink.sequence.SessionState;
import io.grpc.Status;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The brokers, as the writer of one session needs them: its producer, and its state as
 * the metadata of a committed offset.
 */
class SessionBrokers {

	/** After this time the brokers abort a transaction that a dead sink left open. */
	private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(15);

	/** For each call to the brokers, and for the delivery of a record. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** Longer than a transaction, whose end sends what is left. */
	private static final Duration LINGER = Duration.ofSeconds(1);

	/** About the time that the brokers take to end the previous transaction. */
	private static final Duration RETRY_BACKOFF = Duration.ofMillis(5);

	/** The partition whose offset has the state. Its messages do not matter. */
	private static final TopicPartition STATE = new TopicPartition(Topics.SINK, 0);

	private final ClientSession session;

	private final Duration maxAge;

	private final Map<String, Object> config;

	/**
	 * @param common configuration of the producers, without transactional settings
	 * @param maxAge time for which a session is remembered after its last message
	 */
	SessionBrokers(Map<String, Object> common, ClientSession session, Duration maxAge) {
		this.session = session;
		this.maxAge = maxAge;
		this.config = new HashMap<>(common);
		this.config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, name(session));
		this.config.put(ProducerConfig.CLIENT_ID_CONFIG, name(session));
		this.config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) TRANSACTION_TIMEOUT.toMillis());
		this.config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
		this.config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int) TIMEOUT.toMillis());
		this.config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, (int) RETRY_BACKOFF.toMillis());
		// A batch is sent when it is full or the transaction ends: small ones cost more.
		this.config.put(ProducerConfig.LINGER_MS_CONFIG, (int) LINGER.toMillis());
	}

	/** The transactional id and the consumer group of a session. */
	static String name(ClientSession session) {
		return "sink-session-" + HexFormat.of().formatHex(session.id().toByteArray());
	}

	/** The state as an offset to commit. */
	static Map<TopicPartition, OffsetAndMetadata> encode(SessionState state) {
		return Map.of(STATE, new OffsetAndMetadata(state.end(), Base64.getEncoder().encodeToString(state.encode())));
	}

	/** Creates the session's producer, which no one has initialized. */
	Producer<byte[], byte[]> producer() {
		return new KafkaProducer<>(this.config, new ByteArraySerializer(), new ByteArraySerializer());
	}

	/**
	 * Reads the session's state. By then no other writer can commit for the session.
	 * @throws io.grpc.StatusRuntimeException if there is no state, but the session may be
	 * an old one
	 * @throws KafkaException if the brokers do not answer
	 */
	SessionState state() throws InterruptedException {
		Map<String, Object> admins = new HashMap<>(this.config);
		admins.keySet().retainAll(AdminClientConfig.configNames());
		try (Admin admin = Admin.create(admins)) {
			OffsetAndMetadata committed = admin
				.listConsumerGroupOffsets(name(this.session), new ListConsumerGroupOffsetsOptions().requireStable(true))
				.partitionsToOffsetAndMetadata()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.get(STATE);
			if (committed != null) {
				return SessionState.decode(Base64.getDecoder().decode(committed.metadata()));
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new KafkaException("The session's state could not be read from the brokers: " + ex, ex);
		}
		// A younger message cannot belong to a session that was forgotten.
		if (this.session.ageMillis() > this.maxAge.toMillis()) {
			throw Status.FAILED_PRECONDITION
				.withDescription("The session is unknown, and its oldest message is older than sessions are remembered "
						+ "(%s, sink.sessions.age); send the message in a new session".formatted(this.maxAge))
				.asRuntimeException();
		}
		return new SessionState();
	}

}
