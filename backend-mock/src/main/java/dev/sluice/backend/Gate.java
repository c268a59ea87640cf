package dev.sluice.backend;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendBehaviour.Capacity;
import org.jspecify.annotations.Nullable;

/**
 * A capacity model: says whether and when a piece of work may begin.
 * <p>
 * No thread is blocked to play a blocked worker. A worker that sleeps through the delay
 * and a place that is taken for the time of the delay cannot be told apart from outside,
 * and a place costs nothing: thousands of them leave the cores to what is being measured.
 * What this leaves out is the memory and the context switches of the real threads.
 * <p>
 * Four of the models are one queue before a number of places:
 * <ul>
 * <li>unlimited: places without end;
 * <li>workers: a fixed number of places;
 * <li>starved: as workers, but {@code growthPerSecond} places are added while work waits:
 * the growth clock starts when work begins to wait, and at each of its ticks on which
 * work still waits places are added, until none waits or {@code maxWorkers} is reached.
 * Places that were added stay for the life of the gate, which is until the next
 * {@code PUT /behaviour};
 * <li>contended: places without end, but the more are taken, the longer work lasts.
 * </ul>
 * The fifth, rate, has places without end and a {@link TokenBucket} before them.
 * <p>
 * Work waits in the order of its coming. Confined to the {@link Loop}, except
 * {@link #waiting()} and {@link #places()}. Bounds: the model's queue.
 */
final class Gate {

	/** Growth faster than a tick adds several places at a tick. */
	private static final long LEAST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long GREATEST_TICK_NANOS = TimeUnit.DAYS.toNanos(1);

	private final Loop loop;

	private final int maxPlaces;

	private final int queueLimit;

	private final double growthPerSecond;

	private final double contention;

	private final double coherency;

	private final @Nullable TokenBucket tokens;

	private final Queue<Work> queue = new ArrayDeque<>();

	private volatile int places;

	private volatile int waiting;

	private int taken;

	private boolean growing;

	private double growthCredit;

	private boolean starting;

	private Gate(Loop loop, int places, int maxPlaces, double growthPerSecond, int queueLimit, double contention,
			double coherency, @Nullable TokenBucket tokens) {
		this.loop = loop;
		this.places = places;
		this.maxPlaces = maxPlaces;
		this.growthPerSecond = growthPerSecond;
		this.queueLimit = queueLimit;
		this.contention = contention;
		this.coherency = coherency;
		this.tokens = tokens;
	}

	static Gate of(Capacity capacity, Loop loop) {
		return switch (capacity) {
			case Capacity.Unlimited() -> unlimited(loop, null);
			case Capacity.Workers(int workers, int queue) -> new Gate(loop, workers, workers, 0, queue, 0, 0, null);
			case Capacity.Starved(int initial, double growthPerSecond, int max, int queue) ->
				new Gate(loop, initial, max, growthPerSecond, queue, 0, 0, null);
			case Capacity.Contended(double contention, double coherency) ->
				new Gate(loop, Integer.MAX_VALUE, Integer.MAX_VALUE, 0, 0, contention, coherency, null);
			case Capacity.Rate(double perSecond, int burst) ->
				unlimited(loop, new TokenBucket(perSecond, burst, loop.nanoTime()));
		};
	}

	private static Gate unlimited(Loop loop, @Nullable TokenBucket tokens) {
		return new Gate(loop, Integer.MAX_VALUE, Integer.MAX_VALUE, 0, 0, 0, 0, tokens);
	}

	/**
	 * Every place is taken and the queue is full, or the rate is used up: nothing may
	 * enter.
	 */
	boolean isFull() {
		if (this.tokens != null) {
			return this.tokens.nanosUntilToken(this.loop.nanoTime()) > 0;
		}
		return this.taken >= this.places && this.queue.size() >= this.queueLimit;
	}

	/** What a request is answered that comes while it is full. */
	Answer refusal() {
		if (this.tokens == null) {
			return new Answer.NoCapacity();
		}
		long nanos = this.tokens.nanosUntilToken(this.loop.nanoTime());
		return new Answer.Throttled(Math.max(1, Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1))));
	}

	/** Begins the work now or when a place is free. Not to be called when full. */
	void enter(Work work) {
		if (isFull()) {
			throw new IllegalStateException("The gate is full: ask first");
		}
		if (this.tokens != null) {
			this.tokens.take(this.loop.nanoTime());
		}
		this.queue.add(work);
		startWhatMay();
	}

	/** Gives back the place of one piece of work that has begun. */
	void leave() {
		this.taken--;
		startWhatMay();
	}

	/** How many wait. May be read by any thread. */
	int waiting() {
		return this.waiting;
	}

	/** How many may be in service. May be read by any thread. */
	int places() {
		return this.places;
	}

	/** How many are in service. */
	int inService() {
		return this.taken;
	}

	private void startWhatMay() {
		// Work without delay leaves before begin returns: a loop, not a recursion, or a
		// long queue of such work would overflow the stack.
		if (this.starting) {
			return;
		}
		this.starting = true;
		try {
			while (this.taken < this.places) {
				Work next = this.queue.poll();
				if (next == null) {
					break;
				}
				this.taken++;
				next.begin(stretch());
			}
		}
		finally {
			this.starting = false;
			this.waiting = this.queue.size();
		}
		growIfStarved();
	}

	private double stretch() {
		double n = this.taken;
		return 1 + this.contention * (n - 1) + this.coherency * n * (n - 1);
	}

	private void growIfStarved() {
		if (this.growing || this.queue.isEmpty() || this.places >= this.maxPlaces) {
			return;
		}
		this.growing = true;
		long tickNanos = Math.clamp((long) (TimeUnit.SECONDS.toNanos(1) / this.growthPerSecond), LEAST_TICK_NANOS,
				GREATEST_TICK_NANOS);
		this.loop.schedule(() -> grow(tickNanos), tickNanos);
	}

	private void grow(long tickNanos) {
		this.growing = false;
		if (this.queue.isEmpty()) {
			this.growthCredit = 0;
			return;
		}
		this.growthCredit += this.growthPerSecond * tickNanos / TimeUnit.SECONDS.toNanos(1);
		// A tick is cut to whole nanoseconds: without the rounding a worker would come a
		// tick late.
		int added = (int) Math.min(Math.floor(this.growthCredit + 1e-6), this.maxPlaces - this.places);
		this.growthCredit -= added;
		this.places = this.places + added;
		startWhatMay();
	}

	/** What goes through the gate. */
	interface Work {

		/**
		 * The work has a place now, which it gives back by {@link Gate#leave()}, once.
		 * @param stretch how many times longer than alone it lasts, at least 1
		 */
		void begin(double stretch);

	}

}
