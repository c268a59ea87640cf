package dev.sluice.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
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

import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.Taken;
import dev.sluice.contract.Topics;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.http.MediaType;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * The way into Kafka. An order is accepted when the broker has acknowledged it with
 * acks=all, and not before. At most {@code queue.max-in-flight} await that, each for at
 * most {@code queue.timeout}; while Kafka fails, a circuit breaker refuses at once. For
 * any number of threads.
 */
@Component
final class OrderQueue implements DisposableBean {

	/** Of its bulkhead and circuit breaker. */
	static final String NAME = "queue";

	private static final Logger logger = LoggerFactory.getLogger(OrderQueue.class);

	/** A failure is news for so long, if nothing is heard of Kafka since. */
	private static final Duration NEWS = Duration.ofSeconds(10);

	private final QueueProperties properties;

	private final KafkaTemplate<String, byte[]> kafka;

	private final OrderTopics topics;

	private final byte[] source;

	private final Bulkhead bulkhead;

	private final CircuitBreaker circuit;

	private final Executor sender;

	/** The last failure; null if an order was acknowledged since. */
	private volatile @Nullable Instant failedAt;

	OrderQueue(QueueProperties properties, GatewayProperties gateway, KafkaTemplate<String, byte[]> kafka,
			OrderTopics topics, BulkheadRegistry bulkheads, CircuitBreakerRegistry circuits, Environment environment) {
		this.properties = properties;
		this.kafka = kafka;
		this.topics = topics;
		this.source = utf8("/" + environment.getRequiredProperty("spring.application.name"));
		this.bulkhead = bulkheads.bulkhead(NAME,
				BulkheadConfig.custom()
					.maxConcurrentCalls(properties.maxInFlight())
					.maxWaitDuration(Duration.ZERO)
					.writableStackTraceEnabled(false)
					.build());
		this.circuit = circuits.circuitBreaker(NAME, properties.circuit().toConfig().build());
		this.sender = switch (gateway.threads()) {
			case PLATFORM, VIRTUAL -> Runnable::run;
			case ASYNC -> oneThread(properties.maxInFlight());
		};
	}

	/** Sending may block, for {@code max.block.ms} at most. */
	private static ExecutorService oneThread(int maxInFlight) {
		return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(maxInFlight),
				Thread.ofPlatform().daemon().name("queue-sender").factory());
	}

	/**
	 * Whether orders get into Kafka: it has been reached, is not left alone, and the last
	 * that was heard of it is no failure. The circuit alone would not tell: it waits for
	 * many calls, and few orders never make many.
	 */
	boolean accepts() {
		Instant failed = this.failedAt;
		return this.topics.ready() && this.circuit.getState() != CircuitBreaker.State.OPEN
				&& (failed == null || failed.plus(NEWS).isBefore(Instant.now()));
	}

	/**
	 * Makes an order durable.
	 * @param id the order's id
	 * @param order the order
	 * @param json its canonical bytes
	 * @param traceparent the client's trace context, or null
	 * @return when it was accepted; fails with {@link ProblemException} if Kafka does not
	 * acknowledge it in time
	 */
	CompletionStage<Instant> enqueue(UUID id, Order order, byte[] json, @Nullable String traceparent) {
		if (!this.topics.ready()) {
			return CompletableFuture.failedFuture(unavailable("Kafka has not been reached yet.", Taken.NO));
		}
		Instant acceptedAt = Instant.now();
		ProducerRecord<String, byte[]> message = message(id, order, json, traceparent, acceptedAt);
		return Bulkhead
			.decorateCompletionStage(this.bulkhead,
					CircuitBreaker.decorateCompletionStage(this.circuit, () -> acknowledged(message)))
			.get()
			.handle((_, failure) -> {
				if (failure != null) {
					throw problem(id, failure);
				}
				return acceptedAt;
			});
	}

	private CompletionStage<?> acknowledged(ProducerRecord<String, byte[]> message) {
		CompletableFuture<Object> acknowledgement = new CompletableFuture<>()
			.orTimeout(this.properties.timeout().toNanos(), TimeUnit.NANOSECONDS);
		this.sender.execute(() -> send(message, acknowledgement));
		return acknowledgement;
	}

	private void send(ProducerRecord<String, byte[]> message, CompletableFuture<Object> acknowledgement) {
		if (acknowledgement.isDone()) {
			// Its time is over: the client has been told that it was not accepted.
			return;
		}
		try {
			this.kafka.send(message).whenComplete((result, failure) -> {
				if (failure != null) {
					acknowledgement.completeExceptionally(failure);
				}
				else {
					this.failedAt = null;
					acknowledgement.complete(result);
				}
			});
		}
		catch (RuntimeException ex) {
			// The template throws what the producer could not even buffer.
			acknowledgement.completeExceptionally(ex);
		}
	}

	private ProducerRecord<String, byte[]> message(UUID id, Order order, byte[] json, @Nullable String traceparent,
			Instant acceptedAt) {
		ProducerRecord<String, byte[]> message = new ProducerRecord<>(Topics.ORDERS, order.customerId(), json);
		Headers headers = message.headers()
			.add(OrderHeaders.ID, utf8(id.toString()))
			.add(OrderHeaders.SOURCE, this.source)
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(acceptedAt.toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8(MediaType.APPLICATION_JSON_VALUE));
		if (traceparent != null) {
			headers.add(OrderHeaders.TRACEPARENT, utf8(traceparent));
		}
		return message;
	}

	private ProblemException problem(UUID id, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return switch (cause) {
			case BulkheadFullException _ -> new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed await Kafka's acknowledgement.", Taken.NO);
			case RejectedExecutionException _ -> new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed wait to be sent to Kafka.", Taken.NO);
			case CallNotPermittedException _ ->
				unavailable("Kafka has failed too often lately and is left alone for a moment.", Taken.NO);
			default -> {
				this.failedAt = Instant.now();
				logger.debug("Order {} was not acknowledged", id, cause);
				yield unavailable(("Kafka did not acknowledge the order within %d ms. "
						+ "Whether it has it is unknown: repeat it with the same Idempotency-Key.")
					.formatted(this.properties.timeout().toMillis()), Taken.UNKNOWN);
			}
		};
	}

	private ProblemException unavailable(String detail, Taken taken) {
		return new ProblemException(ProblemType.QUEUE_UNAVAILABLE, detail, taken, this.properties.circuit().openFor());
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
