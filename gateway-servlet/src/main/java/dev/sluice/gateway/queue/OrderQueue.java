package dev.sluice.gateway.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OrderTopics;
import dev.sluice.gateway.core.queue.PendingSend;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.web.ServletProperties;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * The way into Kafka. An order is accepted when the broker has acknowledged it with
 * acks=all, and not before. At most {@code queue.max-in-flight} await that, each for at
 * most {@code queue.timeout}; while Kafka fails, a circuit breaker refuses at once. For
 * any number of threads.
 */
@Component
public final class OrderQueue implements DisposableBean {

	/** Of its bulkhead and circuit breaker. */
	static final String NAME = "queue";

	private static final Logger logger = LoggerFactory.getLogger(OrderQueue.class);

	/** A failure is news for so long, if nothing is heard of Kafka since. */
	private static final Duration NEWS = Duration.ofSeconds(10);

	private final QueueProperties properties;

	private final KafkaTemplate<String, byte[]> kafka;

	private final OrderTopics topics;

	private final RecentOrders accepted;

	private final byte[] source;

	private final Bulkhead bulkhead;

	private final CircuitBreaker circuit;

	private final Executor sender;

	/** The last failure; null if an order was acknowledged since. */
	private volatile @Nullable Instant failedAt;

	public OrderQueue(QueueProperties properties, ServletProperties servlet, KafkaTemplate<String, byte[]> kafka,
			OrderTopics topics, RecentOrders accepted, BulkheadRegistry bulkheads, CircuitBreakerRegistry circuits,
			Environment environment) {
		this.properties = properties;
		this.kafka = kafka;
		this.topics = topics;
		this.accepted = accepted;
		this.source = utf8("/" + environment.getRequiredProperty("spring.application.name"));
		this.bulkhead = bulkheads.bulkhead(NAME,
				BulkheadConfig.custom()
					.maxConcurrentCalls(properties.maxInFlight())
					.maxWaitDuration(Duration.ZERO)
					.writableStackTraceEnabled(false)
					.build());
		this.circuit = circuits.circuitBreaker(NAME, properties.circuit().toConfig().build());
		this.sender = switch (servlet.threads()) {
			case PLATFORM, VIRTUAL -> Runnable::run;
			case ASYNC -> oneThread(properties.maxInFlight());
		};
	}

	/** PendingSend may block, for {@code max.block.ms} at most. */
	private static ExecutorService oneThread(int maxInFlight) {
		return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(maxInFlight),
				Thread.ofPlatform().daemon().name("queue-sender").factory());
	}

	/**
	 * Whether orders get into Kafka: it has been reached, is not left alone, and the last
	 * that was heard of it is no failure. The circuit alone would not tell: it waits for
	 * many calls, and few orders never make many.
	 */
	public boolean accepts() {
		Instant failed = this.failedAt;
		return this.topics.ready() && this.circuit.getState() != CircuitBreaker.State.OPEN
				&& (failed == null || failed.plus(NEWS).isBefore(Instant.now()));
	}

	/**
	 * Makes an order durable.
	 * @param id the order's id
	 * @param order the order
	 * @param json its canonical bytes
	 * @param fingerprint its payload's if its id comes from an idempotency key; else null
	 * @param traceparent the client's trace context, or null
	 * @return when it was accepted; fails with {@link ProblemException} if Kafka does not
	 * acknowledge it in time
	 */
	public CompletionStage<Instant> enqueue(UUID id, Order order, byte[] json, @Nullable Fingerprint fingerprint,
			@Nullable String traceparent) {
		if (!this.topics.ready()) {
			return CompletableFuture.failedFuture(
					unavailable("Kafka has not been reached yet, or its topics are being created.", Placed.NO));
		}
		// As PostgreSQL keeps it.
		Instant acceptedAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
		PendingSend sending = PendingSend.of(id, order, json, traceparent, acceptedAt, this.source);
		return Bulkhead
			.decorateCompletionStage(this.bulkhead,
					CircuitBreaker.decorateCompletionStage(this.circuit, () -> acknowledged(sending)))
			.get()
			.handle((record, failure) -> {
				if (failure != null) {
					throw problem(id, sending, failure);
				}
				this.accepted.accepted(id, fingerprint, acceptedAt, record.partition(), record.offset());
				return acceptedAt;
			});
	}

	private CompletionStage<RecordMetadata> acknowledged(PendingSend sending) {
		CompletableFuture<RecordMetadata> acknowledgement = sending.acknowledgement()
			.orTimeout(this.properties.timeout().toNanos(), TimeUnit.NANOSECONDS);
		this.sender.execute(() -> sending.send(this.kafka));
		return acknowledgement.whenComplete((record, _) -> {
			if (record != null) {
				this.failedAt = null;
			}
		});
	}

	private ProblemException problem(UUID id, PendingSend sending, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return switch (cause) {
			case BulkheadFullException _ -> new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed await Kafka's acknowledgement.", Placed.NO);
			case RejectedExecutionException _ -> new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed wait to be sent to Kafka.", Placed.NO);
			case CallNotPermittedException _ ->
				unavailable("Kafka has failed too often lately and is left alone for a moment.", Placed.NO);
			default -> {
				this.failedAt = Instant.now();
				logger.debug("Order {} was not acknowledged", id, cause);
				yield switch (sending.giveUp()) {
					case NO -> unavailable("The order could not be sent to Kafka.", Placed.NO);
					case UNKNOWN -> unavailable(("Kafka did not acknowledge the order within %d ms. "
							+ "Whether it has it is unknown: repeat it with the same Idempotency-Key.")
						.formatted(this.properties.timeout().toMillis()), Placed.UNKNOWN);
				};
			}
		};
	}

	private ProblemException unavailable(String detail, Placed placed) {
		return new ProblemException(ProblemType.QUEUE_UNAVAILABLE, detail, placed, this.properties.circuit().openFor());
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void destroy() {
		if (this.sender instanceof ExecutorService service) {
			service.shutdown();
		}
	}

}
