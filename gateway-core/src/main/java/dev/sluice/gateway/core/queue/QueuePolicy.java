package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.OrderView;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.Circuits;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderReply;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Limits sends to Kafka and interprets their failures. At most
 * {@code queue.max-in-flight} orders await Kafka's acknowledgement; while Kafka fails, a
 * circuit breaker refuses orders at once.
 */
@Component
public final class QueuePolicy implements DisposableBean {

	/** Name of the bulkhead and of the circuit breaker. */
	public static final String NAME = "queue";

	private static final Logger logger = LoggerFactory.getLogger(QueuePolicy.class);

	/** Time for which a failure counts if Kafka acknowledges nothing after it. */
	private static final Duration FAILURE_COUNTS = Duration.ofSeconds(10);

	private final QueueProperties properties;

	private final OrderTopics topics;

	private final RecentOrders recent;

	private final byte[] source;

	private final Bulkhead bulkhead;

	private final CircuitBreaker circuit;

	private final ExecutorService sender;

	/** When Kafka last failed; null if it acknowledged an order afterwards. */
	private volatile @Nullable Long failedNanos;

	public QueuePolicy(QueueProperties properties, OrderTopics topics, RecentOrders recent, BulkheadRegistry bulkheads,
			CircuitBreakerRegistry circuits, Environment environment) {
		this.properties = properties;
		this.topics = topics;
		this.recent = recent;
		this.source = ("/" + environment.getRequiredProperty("spring.application.name"))
			.getBytes(StandardCharsets.UTF_8);
		this.bulkhead = bulkheads.bulkhead(NAME,
				BulkheadConfig.custom()
					.maxConcurrentCalls(properties.maxInFlight())
					.maxWaitDuration(Duration.ZERO)
					.writableStackTraceEnabled(false)
					.build());
		this.circuit = circuits.circuitBreaker(NAME,
				Circuits.config(properties.timeout()).ignoreException((failure) -> !isUnavailable(failure)).build());
		this.sender = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(properties.maxInFlight()),
				Thread.ofPlatform().daemon().name("queue-sender").factory());
	}

	public QueueProperties properties() {
		return this.properties;
	}

	public Bulkhead bulkhead() {
		return this.bulkhead;
	}

	public CircuitBreaker circuit() {
		return this.circuit;
	}

	/**
	 * A thread for callers that must not be blocked: sending may block for
	 * {@code max.block.ms}. Refuses what does not fit into its queue.
	 */
	public Executor sender() {
		return this.sender;
	}

	/**
	 * Whether Kafka takes orders: its topics are there, the circuit is not open, and the
	 * last order did not fail. The circuit alone is not enough: it opens only after many
	 * calls.
	 */
	public boolean accepts() {
		Long failed = this.failedNanos;
		return this.topics.ready() && this.circuit.getState() != CircuitBreaker.State.OPEN
				&& (failed == null || System.nanoTime() - failed > FAILURE_COUNTS.toNanos());
	}

	/**
	 * Prepares the send of an order.
	 * @throws ProblemException if Kafka's topics are not there
	 */
	public PendingSend prepare(ValidOrder order) {
		if (!this.topics.ready()) {
			throw unavailable("Kafka has not been reached yet, or its topics are being created.", Placed.NO);
		}
		// The precision of PostgreSQL.
		return new PendingSend(order, Instant.now().truncatedTo(ChronoUnit.MICROS), this.source);
	}

	/**
	 * Kafka has acknowledged an order.
	 * @return the order, accepted
	 */
	public OrderView acknowledged(PendingSend send, RecordMetadata record) {
		this.failedNanos = null;
		this.recent.accepted(
				new RecentRecord(send.order().id(), send.order().fingerprint(), send.acceptedAt(), record.offset()),
				record.partition());
		return OrderReply.accepted(send.order().id());
	}

	/** The problem to answer with if an order was not acknowledged. */
	public ProblemException problem(PendingSend send, Throwable failure) {
		return switch (failure) {
			case BulkheadFullException _ -> new ProblemException(ProblemType.OVERLOADED,
					"Too many orders await Kafka's acknowledgement.", Placed.NO);
			case RejectedExecutionException _ ->
				new ProblemException(ProblemType.OVERLOADED, "Too many orders wait to be sent to Kafka.", Placed.NO);
			case CallNotPermittedException _ ->
				unavailable("Kafka has failed too often. Sends to it are suspended for a moment.", Placed.NO);
			case RuntimeException bug when !isUnavailable(bug) -> {
				logger.error("Order {} could not be sent to Kafka because of a bug", send.order().id(), bug);
				yield new ProblemException(ProblemType.INTERNAL, ProblemException.detailOf(ProblemType.INTERNAL),
						send.giveUp());
			}
			default -> {
				// While Kafka only does not answer, the circuit and the health show it.
				if (this.failedNanos == null && failure instanceof ApiException
						&& !(failure instanceof RetriableException)) {
					logger.warn("Kafka refuses orders: {}", failure.toString());
				}
				this.failedNanos = System.nanoTime();
				logger.debug("Kafka did not acknowledge order {}", send.order().id(), failure);
				Placed placed = send.giveUp();
				yield unavailable((placed == Placed.NO) ? "The order could not be sent to Kafka, or Kafka refused it."
						: "Kafka has not acknowledged the order. Whether Kafka has it is unknown: "
								+ "repeat the request with the same Idempotency-Key.",
						placed);
			}
		};
	}

	/** Whether a failed send shows that Kafka is not available. Otherwise it is a bug. */
	private static boolean isUnavailable(Throwable failure) {
		return switch (failure) {
			case KafkaException _, RejectedExecutionException _, CancellationException _ -> true;
			case RuntimeException _ -> false;
			default -> true;
		};
	}

	private static ProblemException unavailable(String detail, Placed placed) {
		return new ProblemException(ProblemType.QUEUE_UNAVAILABLE, detail, placed);
	}

	@Override
	public void destroy() {
		this.sender.shutdown();
	}

}
