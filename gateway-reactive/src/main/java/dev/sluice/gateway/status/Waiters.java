package dev.sluice.gateway.status;

import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.limit.WaiterLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OutcomeWait;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Waits for a queued order to be saved ({@code Prefer: wait=n}) by polling PostgreSQL. At
 * most {@code sluice.max-waiters} requests wait; further ones do not wait.
 */
@Component
public record Waiters(StatusProperties properties, StatusRepository repository, WaiterLimit waiters) {

	private static final Logger logger = LoggerFactory.getLogger(Waiters.class);

	/**
	 * Waits for an order to be saved.
	 * @param request the request that queued the order
	 * @return the reply, whether the order is saved or not; fails with
	 * {@link ProblemException} if another order is saved under its key
	 */
	public Mono<OrderReply> untilSaved(OrderRequest request) {
		return Mono.defer(() -> {
			OutcomeWait wait = new OutcomeWait(request, System.nanoTime());
			if (!this.waiters.tryAcquire()) {
				return Mono.just(wait.notWaited());
			}
			return check(wait)
				.repeatWhenEmpty((checks) -> checks.concatMap((_) -> Mono.delay(wait.nextPause(System.nanoTime()))))
				.doFinally((_) -> this.waiters.release());
		});
	}

	/** The reply, empty if the wait goes on. */
	private Mono<OrderReply> check(OutcomeWait wait) {
		return Mono.defer(() -> this.repository.find(wait.id(), this.properties.timeout()).singleOptional())
			.flatMap((row) -> Mono
				.justOrEmpty(wait.check(row.map((found) -> found.viewFor(wait.request())), System.nanoTime())))
			.onErrorResume(StatusUnavailableException.class, (_) -> Mono.just(wait.notWaited()))
			.onErrorResume((failure) -> !(failure instanceof ProblemException), (bug) -> {
				// The order has been accepted, and the answer says so.
				logger.error("Whether order {} is saved cannot be read because of a bug", wait.id(), bug);
				return Mono.just(wait.notWaited());
			});
	}

}
