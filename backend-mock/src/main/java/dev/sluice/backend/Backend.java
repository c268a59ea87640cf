package dev.sluice.backend;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import dev.sluice.backend.BackendMetrics.Outcome;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Special;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;

/**
 * The backend without HTTP: passes requests through the {@link CapacityModel}, makes them
 * wait, fail or hang as the {@link BackendBehaviour} prescribes, and saves their orders
 * into the {@link OrderStore} at the end of the delay.
 * <p>
 * A request is in flight from its admission (it is read, valid and not refused) to its
 * answer, including the time in the queue and in the store. In the audit, at any time,
 * received = saved + duplicates + refused + failed + in flight; a request without an
 * order ({@link #delay}) is in none of them.
 * <p>
 * A request goes on, in service or in the queue, when its client disconnects: a real
 * server seldom notices, and an order that is saved after its client gave up is the case
 * to test. Only a hanging request ends when its client disconnects.
 * <p>
 * A new behaviour applies to requests received from then on. Earlier requests keep their
 * behaviour and their capacity model, except that none hangs any longer.
 * <p>
 * Confined to the event loop, except the constructor, {@link #inFlight()} and
 * {@link #workers()}. Bound: requests in flight, by {@link BackendProperties}.
 */
final class Backend {

	private static final Special NOT_SPECIAL = new Special("", 0, 0);

	private final Scheduler loop;

	private final LongSupplier micros;

	private final Sampler sampler;

	private final int maxInFlight;

	private final Set<Request> hanging = new LinkedHashSet<>();

	private volatile Regime regime;

	private OrderStore store;

	private final BackendMetrics metrics;

	private final AtomicInteger inFlight = new AtomicInteger();

	private boolean stopping;

	/**
	 * @param micros the clock, in microseconds since 1970
	 * @param maxInFlight maximum number of requests in flight
	 */
	Backend(Scheduler loop, LongSupplier micros, RandomGenerator random, int maxInFlight, OrderStore store,
			MeterRegistry registry) {
		this.loop = loop;
		this.micros = micros;
		this.sampler = new Sampler(random);
		this.maxInFlight = maxInFlight;
		this.regime = regime(BackendBehaviour.DEFAULT);
		this.store = store;
		this.metrics = new BackendMetrics(registry, this);
	}

	/**
	 * Saves an order after the delay, unless a fault occurs.
	 * @param customerId the order's customer: some have a special behaviour
	 * @param fingerprint the fingerprint of the order's body, the same for a repeat of
	 * the id
	 * @return the answer, on the loop; to be cancelled if the client disconnects before
	 */
	Mono<Answer> save(UUID id, String customerId, long fingerprint) {
		return Mono.create((reply) -> save(id, customerId, fingerprint, reply));
	}

	private void save(UUID id, String customerId, long fingerprint, MonoSink<Answer> reply) {
		BackendBehaviour behaviour = behaviour();
		Special special = behaviour.specials()
			.stream()
			.filter((candidate) -> customerId.startsWith(candidate.customerPrefix()))
			.findFirst()
			.orElse(NOT_SPECIAL);
		OrderStore store = this.store;
		receive(new Request(store,
				() -> (special.delayMillis() > 0) ? special.delayMillis() : this.sampler.delayMillis(behaviour.delay()),
				(special.status() > 0) ? Mono.just(fault(special.status()))
						: Mono.defer(() -> store.save(id, fingerprint, this.micros.getAsLong())),
				reply));
	}

	/**
	 * Answers after the delay, which starts when the capacity model lets the request
	 * begin.
	 * @return as for {@link #save}
	 */
	Mono<Answer> delay(long delayMillis) {
		return Mono.create((reply) -> receive(
				new Request(null, () -> delayMillis, Mono.just(Answer.delayed(delayMillis)), reply)));
	}

	private void receive(Request request) {
		CapacityModel capacity = request.regime.capacity();
		Answer refusal = (this.inFlight.get() < this.maxInFlight) ? capacity.refusal() : Answer.problem(503,
				this.maxInFlight + " requests are in flight, as many as backend.max-in-flight allows");
		if (refusal != null) {
			if (request.store != null) {
				request.store.refused();
				this.metrics.ended(Outcome.REFUSED);
			}
			request.reply.success(refusal);
		}
		else {
			this.inFlight.incrementAndGet();
			if (request.store != null) {
				request.store.received();
			}
			request.reply.onCancel(request::release);
			capacity.enter(request::begin);
		}
	}

	BackendBehaviour behaviour() {
		return this.regime.behaviour();
	}

	/**
	 * Replaces the behaviour, with a new capacity model even if it is the same, and ends
	 * hanging requests.
	 */
	void behave(BackendBehaviour behaviour) {
		this.regime = regime(behaviour);
		releaseHanging();
	}

	/** The orders and the counts of the current audit. */
	OrderStore orders() {
		return this.store;
	}

	/** Forgets the counts and the orders. Requests in flight are no longer counted. */
	Mono<Void> reset() {
		return this.store.next().doOnNext((next) -> this.store = next).then();
	}

	/**
	 * Counts a new connection. The cap on them is a token bucket with the tokens of one
	 * second: a client may open a full pool at once, and then the rate applies. Every
	 * connection to the port counts, including those that scrape metrics or change the
	 * behaviour.
	 * @return whether it may stay open. Others are closed at once, like by an exhausted
	 * network address translation
	 */
	boolean connect() {
		TokenBucket cap = this.regime.connections();
		boolean admitted = cap == null || cap.take();
		this.store.connection(admitted);
		return admitted;
	}

	/** Ends hanging requests; from now on no request hangs. */
	void stop() {
		this.stopping = true;
		releaseHanging();
	}

	/** Requests in flight. Any thread may call it. */
	int inFlight() {
		return this.inFlight.get();
	}

	/** Places of the capacity model. Any thread may call it. */
	int workers() {
		return this.regime.capacity().places();
	}

	private void releaseHanging() {
		Set.copyOf(this.hanging).forEach(Request::release);
	}

	private Regime regime(BackendBehaviour behaviour) {
		int cap = behaviour.maxNewConnectionsPerSecond();
		return new Regime(behaviour, CapacityModel.of(behaviour.capacity(), this.loop, this.micros),
				(cap != 0) ? new TokenBucket(cap, cap, this.micros) : null);
	}

	private static Answer fault(int status) {
		return Answer.problem(status, "A fault that PUT /behaviour asked for");
	}

	/**
	 * A behaviour and what limits requests and connections.
	 *
	 * @param connections null if there is no cap
	 */
	private record Regime(BackendBehaviour behaviour, CapacityModel capacity, @Nullable TokenBucket connections) {
	}

	private final class Request {

		private final Regime regime = Backend.this.regime;

		private final long receivedAt = Backend.this.micros.getAsLong();

		private final @Nullable OrderStore store;

		private final DoubleSupplier delayMillis;

		private final Mono<Answer> end;

		private final MonoSink<Answer> reply;

		/**
		 * @param store null for a request without an order
		 * @param end how it ends after the delay, unless a fault occurs
		 */
		Request(@Nullable OrderStore store, DoubleSupplier delayMillis, Mono<Answer> end, MonoSink<Answer> reply) {
			this.store = store;
			this.delayMillis = delayMillis;
			this.end = end;
			this.reply = reply;
		}

		private void begin() {
			BackendBehaviour behaviour = this.regime.behaviour();
			switch (Backend.this.sampler.fault(behaviour)) {
				case RESET -> leave(Answer.RESET);
				case HANG -> hang();
				case NONE -> after(this.end);
				case ERROR -> after(Mono.just(fault(behaviour.errorStatus())));
			}
		}

		private void after(Mono<Answer> answer) {
			long nanos = (long) (this.delayMillis.getAsDouble() * TimeUnit.MILLISECONDS.toNanos(1));
			if (nanos == 0) {
				answer.subscribe(this::leave);
			}
			else {
				Backend.this.loop.schedule(() -> answer.subscribe(this::leave), nanos, TimeUnit.NANOSECONDS);
			}
		}

		private void leave(Answer answer) {
			Backend.this.inFlight.decrementAndGet();
			if (this.store != null) {
				Backend.this.metrics.ended(this.store.ended(answer), Backend.this.micros.getAsLong() - this.receivedAt);
			}
			this.reply.success(answer);
			this.regime.capacity().leave();
		}

		private void hang() {
			if (Backend.this.stopping || this.regime != Backend.this.regime) {
				leave(Answer.ABANDONED);
			}
			else {
				Backend.this.hanging.add(this);
			}
		}

		void release() {
			if (Backend.this.hanging.remove(this)) {
				leave(Answer.ABANDONED);
			}
		}

	}

}
