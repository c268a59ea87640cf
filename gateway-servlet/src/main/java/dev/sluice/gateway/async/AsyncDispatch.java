package dev.sluice.gateway.async;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.backend.BackendLimit;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.PendingSend;
import dev.sluice.gateway.core.queue.QueuePolicy;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Like {@link dev.sluice.gateway.backend.BackendClient} and
 * {@link dev.sluice.gateway.order.OrderQueue}, but does not hold the calling thread.
 */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
record AsyncDispatch(BackendPolicy backend, AsyncBackendTransport transport, QueuePolicy queue,
		KafkaTemplate<String, byte[]> kafka) {

	/**
	 * Delivers an order. The backend saves an id once, however often it is delivered.
	 * Retries a failure at once if {@code backend.max-attempts} allows it.
	 * @return the result of the last attempt that reached the backend
	 */
	CompletionStage<BackendResult> deliver(ValidOrder order) {
		return attempt(BackendRequest.save(this.backend.properties(), order), this.backend.properties().maxAttempts());
	}

	private CompletionStage<BackendResult> attempt(BackendRequest request, int left) {
		return call(request, this.backend.properties().responseTimeout())
			.thenCompose((result) -> (result.mayBeRepeated() && left > 1)
					? attempt(request, left - 1).thenApply((next) -> next.after(result))
					: CompletableFuture.completedStage(result));
	}

	private CompletionStage<BackendResult> call(BackendRequest request, Duration limit) {
		BackendLimit.Call call = this.backend.limit().begin();
		if (call == null) {
			return CompletableFuture.completedStage(BackendResult.FULL);
		}
		return CircuitBreaker.decorateCompletionStage(this.backend.circuit(), () -> exchange(request, limit))
			.get()
			.thenApply(call::ended)
			.exceptionally(AsyncDispatch::notPermitted)
			.whenComplete((_, _) -> call.close());
	}

	private CompletionStage<BackendResult> exchange(BackendRequest request, Duration limit) {
		return this.transport.sendAsync(request, limit)
			.handle((response, failure) -> (response != null) ? this.backend.received(request, response)
					: BackendPolicy.failed(request, cause(failure), limit));
	}

	private static BackendResult notPermitted(Throwable failure) {
		return switch (cause(failure)) {
			case CallNotPermittedException _ -> BackendResult.CIRCUIT_OPEN;
			case Throwable bug -> throw new CompletionException(bug);
		};
	}

	/** The failure itself, which a future may have wrapped. */
	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Makes an order durable. A thread of its own sends, because sending may block for
	 * {@code max.block.ms}.
	 * @param order the order
	 * @return the order, accepted; fails with {@link ProblemException} if Kafka does not
	 * acknowledge the order in time
	 * @throws ProblemException if Kafka's topics are not there
	 */
	CompletionStage<OrderView> enqueue(ValidOrder order) {
		PendingSend send = this.queue.prepare(order);
		return Bulkhead
			.decorateCompletionStage(this.queue.bulkhead(),
					CircuitBreaker.decorateCompletionStage(this.queue.circuit(), () -> acknowledged(send)))
			.get()
			.handle((record, failure) -> {
				if (failure != null) {
					throw this.queue.problem(send, cause(failure));
				}
				return this.queue.acknowledged(send, record);
			});
	}

	private CompletionStage<RecordMetadata> acknowledged(PendingSend send) {
		this.queue.sender().execute(() -> send.send(this.kafka));
		return send.acknowledgement().orTimeout(this.queue.properties().timeout().toNanos(), TimeUnit.NANOSECONDS);
	}

}
