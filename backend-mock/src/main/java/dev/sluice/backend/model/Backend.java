package dev.sluice.backend.model;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.model.Sampler.Fault;
import dev.sluice.backend.store.Answer;
import dev.sluice.backend.store.Micros;
import dev.sluice.backend.store.OrderStore;
import dev.sluice.backend.store.StoreUnavailableException;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Special;
import org.jspecify.annotations.Nullable;

/**
 * The backend without HTTP: passes requests through the {@link CapacityModel}, makes them
 * wait, fail or hang as the {@link BackendBehaviour} prescribes, and saves their orders
 * into the {@link Audit} at the end of the delay.
 * <p>
 * A request is in flight from its admission (it is read, valid and not refused) to its
 * answer, including the time in the queue and in the store. In the audit, at any time,
 * received = saved + duplicates + refused + failed + in flight; a request without an
 * order ({@link #delay(long, Consumer)}) is in none of them.
 * <p>
 * A request goes on, in service or in the queue, when its client disconnects: a real
 * server seldom notices, and an order that is saved after its client gave up is the case
 * to test. Only a hanging request ends when its client disconnects.
 * <p>
 * A new behaviour applies to requests received from then on. Earlier requests keep their
 * behaviour and their capacity model, except that none hangs any longer.
 * <p>
 * Confined to the {@link Loop}, except the constructor, {@link #inFlight()} and
 * {@link #workers()}. Bound: requests in flight, by {@link BackendProperties}.
 */
public final class Backend {

	private final Loop loop;

	private final Sampler sampler;

	private final BackendProperties properties;

	private final Set<Request> hanging = new LinkedHashSet<>();

	private volatile Regime regime;

	private Audit audit;

	private final AtomicInteger inFlight = new AtomicInteger();

	private boolean stopping;

	public Backend(Loop loop, RandomGenerator random, BackendProperties properties, OrderStore store,
			BackendMetrics metrics) {
		this.loop = loop;
		this.sampler = new Sampler(random);
		this.properties = properties;
		this.regime = Regime.of(BackendBehaviour.DEFAULT, loop);
		this.audit = new Audit(store, metrics);
		metrics.observe(this);
	}

	/**
	 * Saves an order after the delay, unless a fault occurs.
	 * @param customerId the order's customer: some have a special behaviour
	 * @param fingerprint the fingerprint of the order's body, the same for a repeat of
	 * the id
	 * @param reply takes the answer, on the loop
	 * @return run it if the client disconnects before the answer
	 */
	public Runnable save(UUID id, String customerId, long fingerprint, Consumer<Answer> reply) {
		Regime regime = this.regime;
		return receive(new Request(regime, this.audit, id, fingerprint, 0, regime.special(customerId), reply));
	}

	/**
	 * Answers after the delay, which starts when the capacity model lets the request
	 * begin.
	 * @param reply takes the answer, on the loop
	 * @return run it if the client disconnects before the answer
	 */
	public Runnable delay(long delayMillis, Consumer<Answer> reply) {
		return receive(new Request(this.regime, null, null, 0, delayMillis, null, reply));
	}

	private Runnable receive(Request request) {
		CapacityModel capacity = request.regime.capacity();
		if (this.inFlight.get() >= this.properties.maxInFlight()) {
			request.refuse(new Answer.TooManyInFlight(this.properties.maxInFlight()));
		}
		else if (capacity.isFull()) {
			request.refuse(capacity.refusal());
		}
		else {
			request.admit();
			capacity.enter(request::begin);
		}
		return request::release;
	}

	public BackendBehaviour behaviour() {
		return this.regime.behaviour();
	}

	/**
	 * Replaces the behaviour, with a new capacity model even if it is the same, and ends
	 * hanging requests.
	 */
	public void behave(BackendBehaviour behaviour) {
		this.regime = Regime.of(behaviour, this.loop);
		releaseHanging();
	}

	/** The orders of the current audit. */
	public OrderStore orders() {
		return this.audit.orders();
	}

	/** Fails with {@link StoreUnavailableException}, like {@link #reset}. */
	public CompletableFuture<BackendAudit> audit() {
		return this.audit.audit();
	}

	/** Forgets the counts and the orders. Requests in flight are no longer counted. */
	public CompletableFuture<Void> reset() {
		return this.audit.next().thenAccept((next) -> this.audit = next);
	}

	/**
	 * Counts a new connection. The cap on them is a token bucket with the tokens of one
	 * second: a client may open a full pool at once, and then the rate applies. Every
	 * connection to the port counts, including those that scrape metrics or change the
	 * behaviour.
	 * @return whether it may stay open. Others are closed at once, like by an exhausted
	 * network address translation
	 */
	public boolean connect() {
		boolean admitted = this.regime.admitsConnection(this.loop.nanoTime());
		this.audit.connection(admitted);
		return admitted;
	}

	/** Ends hanging requests; from now on no request hangs. */
	public void stop() {
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
		for (Request request : Set.copyOf(this.hanging)) {
			request.release();
		}
	}

	/**
	 * A behaviour and what limits requests and connections.
	 *
	 * @param connections null if there is no cap
	 */
	private record Regime(BackendBehaviour behaviour, CapacityModel capacity, @Nullable TokenBucket connections) {

		static Regime of(BackendBehaviour behaviour, Loop loop) {
			int cap = behaviour.maxNewConnectionsPerSecond();
			return new Regime(behaviour, CapacityModel.of(behaviour.capacity(), loop),
					(cap != 0) ? new TokenBucket(cap, cap, loop.nanoTime()) : null);
		}

		boolean admitsConnection(long nowNanos) {
			if (this.connections == null) {
				return true;
			}
			if (this.connections.nanosUntilToken(nowNanos) > 0) {
				return false;
			}
			this.connections.take(nowNanos);
			return true;
		}

		@Nullable Special special(String customerId) {
			for (Special special : this.behaviour.specials()) {
				if (customerId.startsWith(special.customerPrefix())) {
					return special;
				}
			}
			return null;
		}

	}

	private final class Request {

		private final Regime regime;

		private final @Nullable Audit audit;

		private final @Nullable UUID id;

		private final long fingerprint;

		private final long delayMillis;

		private final @Nullable Special special;

		private final Consumer<Answer> reply;

		private final long receivedAtNanos;

		Request(Regime regime, @Nullable Audit audit, @Nullable UUID id, long fingerprint, long delayMillis,
				@Nullable Special special, Consumer<Answer> reply) {
			this.regime = regime;
			this.audit = audit;
			this.id = id;
			this.fingerprint = fingerprint;
			this.delayMillis = delayMillis;
			this.special = special;
			this.reply = reply;
			this.receivedAtNanos = Backend.this.loop.nanoTime();
		}

		void refuse(Answer answer) {
			if (this.audit != null) {
				this.audit.refused();
			}
			this.reply.accept(answer);
		}

		void admit() {
			Backend.this.inFlight.incrementAndGet();
			if (this.audit != null) {
				this.audit.received();
			}
		}

		private void begin() {
			BackendBehaviour behaviour = this.regime.behaviour();
			Fault fault = Backend.this.sampler.fault(behaviour);
			switch (fault) {
				case RESET -> leave(new Answer.Reset());
				case HANG -> hang();
				case NONE, ERROR -> {
					long nanos = (long) (millis(behaviour) * TimeUnit.MILLISECONDS.toNanos(1));
					if (nanos == 0) {
						finish(fault);
					}
					else {
						Backend.this.loop.schedule(() -> finish(fault), nanos);
					}
				}
			}
		}

		private double millis(BackendBehaviour behaviour) {
			if (this.special != null && this.special.delayMillis() > 0) {
				return this.special.delayMillis();
			}
			return (this.id != null) ? Backend.this.sampler.delayMillis(behaviour.delay()) : this.delayMillis;
		}

		private void finish(Fault fault) {
			if (fault == Fault.ERROR) {
				leave(new Answer.Failed(this.regime.behaviour().errorStatus()));
				return;
			}
			if (this.special != null && this.special.status() > 0) {
				leave(new Answer.Failed(this.special.status()));
				return;
			}
			if (this.id != null && this.audit != null) {
				this.audit.orders().save(this.id, this.fingerprint, Micros.of(Backend.this.loop.now()), this::leave);
			}
			else {
				leave(new Answer.Delayed(this.delayMillis));
			}
		}

		private void leave(Answer answer) {
			Backend.this.inFlight.decrementAndGet();
			if (this.audit != null) {
				this.audit.ended(answer, Backend.this.loop.nanoTime() - this.receivedAtNanos);
			}
			this.reply.accept(answer);
			this.regime.capacity().leave();
		}

		private void hang() {
			if (Backend.this.stopping || this.regime != Backend.this.regime) {
				leave(new Answer.Abandoned());
			}
			else {
				Backend.this.hanging.add(this);
			}
		}

		void release() {
			if (Backend.this.hanging.remove(this)) {
				leave(new Answer.Abandoned());
			}
		}

	}

}
