package dev.sluice.backend;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.ProblemType;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * Decides whether and when work may begin.
 * <p>
 * A busy worker is a counter, not a blocked thread. From outside, both look the same, and
 * thousands of counters leave the CPU to the system under measurement. The model does not
 * have the memory and the context switches of real threads.
 * <p>
 * Three of the models are one queue in front of a number of places:
 * <ul>
 * <li>unlimited: no limit on places;
 * <li>workers: a fixed number of places;
 * <li>starved: like workers, but {@code growthPerSecond} places are added each second
 * while work waits. The growth clock starts when work begins to wait. Each tick adds a
 * place, until no work waits or {@code maxWorkers} is reached. Added places stay until
 * the next {@code PUT /behaviour}.
 * </ul>
 * The fourth, rate, has no limit on places and a {@link TokenBucket} in front of them.
 * <p>
 * Work is served first come, first served. The model is confined to the event loop,
 * except for {@link #places()}. The queue is bounded.
 */
final class CapacityModel {

	private final Scheduler loop;

	private final int maxPlaces;

	private final int queueLimit;

	private final double growthPerSecond;

	private final @Nullable TokenBucket tokens;

	private final Queue<Runnable> queue = new ArrayDeque<>();

	private volatile int places;

	private int inService;

	private boolean growing;

	private boolean starting;

	private CapacityModel(Scheduler loop, int places, int maxPlaces, double growthPerSecond, int queueLimit,
			@Nullable TokenBucket tokens) {
		this.loop = loop;
		this.places = places;
		this.maxPlaces = maxPlaces;
		this.growthPerSecond = growthPerSecond;
		this.queueLimit = queueLimit;
		this.tokens = tokens;
	}

	static CapacityModel of(Capacity capacity, Scheduler loop, LongSupplier micros) {
		return switch (capacity) {
			case Capacity.Unlimited() -> unlimited(loop, null);
			case Capacity.Workers(int workers, int queue) -> new CapacityModel(loop, workers, workers, 0, queue, null);
			case Capacity.Starved(int initial, double growthPerSecond, int max, int queue) ->
				new CapacityModel(loop, initial, max, growthPerSecond, queue, null);
			case Capacity.Rate(double perSecond, int burst) ->
				unlimited(loop, new TokenBucket(perSecond, burst, micros));
		};
	}

	private static CapacityModel unlimited(Scheduler loop, @Nullable TokenBucket tokens) {
		return new CapacityModel(loop, Integer.MAX_VALUE, Integer.MAX_VALUE, 0, 0, tokens);
	}

	/**
	 * Why no work may enter: every place is in use and the queue is full, or the rate is
	 * used up. Null if the work may enter, which it must then do.
	 */
	@Nullable Answer refusal() {
		if (this.tokens != null) {
			return this.tokens.take() ? null
					: new Answer(429, Answer.detail(ProblemType.TOO_MANY_REQUESTS, "The rate is used up"),
							this.tokens.secondsUntilToken());
		}
		return (this.inService < this.places || this.queue.size() < this.queueLimit) ? null
				: Answer.problem(503, "Every worker is busy and the queue is full");
	}

	/**
	 * Begins the work now, or when a place is free. When it ends, {@link #leave} is
	 * called once.
	 */
	void enter(Runnable work) {
		this.queue.add(work);
		startWaiting();
	}

	/** Gives back the place of work that has begun. */
	void leave() {
		this.inService--;
		startWaiting();
	}

	/** Amount of work that can be in service at once. Any thread may call it. */
	int places() {
		return this.places;
	}

	/** Amount of work in service now. */
	int inService() {
		return this.inService;
	}

	private void startWaiting() {
		// Work without a delay leaves before run returns. A recursion instead of this
		// loop would overflow the stack for a long queue of such work.
		if (this.starting) {
			return;
		}
		this.starting = true;
		try {
			while (this.inService < this.places) {
				Runnable next = this.queue.poll();
				if (next == null) {
					break;
				}
				this.inService++;
				next.run();
			}
		}
		finally {
			this.starting = false;
		}
		growIfStarved();
	}

	private void growIfStarved() {
		if (!this.growing && !this.queue.isEmpty() && this.places < this.maxPlaces) {
			this.growing = true;
			this.loop.schedule(this::grow, (long) (TimeUnit.SECONDS.toNanos(1) / this.growthPerSecond),
					TimeUnit.NANOSECONDS);
		}
	}

	private void grow() {
		this.growing = false;
		if (!this.queue.isEmpty()) {
			this.places = this.places + 1;
			startWaiting();
		}
	}

}
