package dev.sluice.sink.client;

import java.time.Duration;

/**
 * The maximum number of messages in flight, which adapts to the capacity of the sink. Not
 * thread-safe. The window is twice the product of the highest rate of acknowledgements
 * and the shortest round-trip time, so that the sink never starves and its queue is
 * bounded. The algorithm is BBR's (N. Cardwell et al., "BBR: Congestion-Based Congestion
 * Control", ACM Queue 14(5), 2016) in messages instead of bytes, without its pacing,
 * which flow control does:
 * <ul>
 * <li>At the start the window doubles each round trip, until the rate has grown by less
 * than a quarter in three of them.</li>
 * <li>The rate is the highest of the last ten round trips, each measured from one
 * acknowledgement to another, so that bursts of acknowledgements do not raise it. A round
 * trip in which the application always had little to send says nothing about the sink and
 * does not count, unless its rate is higher.</li>
 * <li>Acknowledgements come in batches. The largest recent batch is added: otherwise the
 * window would be used up while the sink gathers a batch.</li>
 * <li>The shortest round-trip time expires after ten seconds. Then nothing is sent until
 * at most half of the product is in flight, and a message sent after that gives the new
 * time.</li>
 * </ul>
 * Additions to BBR:
 * <ul>
 * <li>A sink that stores in batches is faster with more messages in flight, although each
 * takes longer, so twice the product may be too little for it. So one and a half times
 * the factor is tried for some round trips. It is kept if at least a tenth more was
 * acknowledged than before and after the trial; otherwise the factor shrinks by a tenth,
 * but not below two.</li>
 * <li>A round trip ends after a second at the latest: otherwise a sink that became slow
 * would be considered fast for ten long round trips.</li>
 * <li>A message that is not acknowledged in time halves the measured rate.</li>
 * </ul>
 */
final class AdaptiveWindow {

	static final int LEAST = 16;

	private static final int ROUNDS = 10;

	private static final double LEAST_GAIN = 2;

	private static final double GREATEST_GAIN = 64;

	private static final double MORE = 1.5;

	private static final double BACK = 0.9;

	private static final double WORTH_MORE = 1.1;

	/**
	 * Minimum length of a stage of a trial: a shorter one says little on a busy machine.
	 */
	private static final int STAGE_ROUNDS = 4;

	private static final long STAGE_NANOS = Duration.ofMillis(200).toNanos();

	private static final double STILL_GROWS = 1.25;

	private static final int ROUNDS_WITHOUT_GROWTH = 3;

	private static final long MIN_RTT_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long LONGEST_ROUND_NANOS = Duration.ofSeconds(1).toNanos();

	private final int greatest;

	/** The highest rate of each of the last rounds, in messages per nanosecond. */
	private final double[] rates = new double[ROUNDS];

	/** The largest batch of acknowledgements of each of the last rounds. */
	private final int[] batches = new int[ROUNDS];

	private double size = LEAST;

	private long delivered;

	private long deliveredAt;

	private long firstSentAt;

	/** Number of rounds with a rate that counts. */
	private int round;

	private long roundEnds;

	private boolean starting = true;

	private double rateBefore;

	private int roundsWithoutGrowth;

	/** Whether the application had little to send, for some message of the round. */
	private boolean roundWasScarce;

	/** Whether the round had a rate that counts. */
	private boolean roundWasMeasured = true;

	private long minRtt = Long.MAX_VALUE;

	private long minRttAt;

	/** Whether the window is small to measure the shortest round-trip time. */
	private boolean probing;

	/** When the first message was sent with a small window. Valid while probing. */
	private long drainedAt = Long.MAX_VALUE;

	/** The factor of the product. */
	private double gain = LEAST_GAIN;

	private Stage stage = Stage.BEFORE;

	private long stageBeganAt;

	private long stageDelivered;

	private int stageRounds;

	/** Rates in the earlier stages of a trial, in messages per nanosecond. */
	private double rateBeforeMore;

	private double rateWithMore;

	private long roundBeganAt;

	/**
	 * The stages of a trial of a larger window. If the sink became faster for another
	 * reason, it is still as fast in the last one.
	 */
	private enum Stage {

		BEFORE, MORE, AFTER

	}

	/**
	 * Creates a small window.
	 * @param greatest maximum size
	 */
	AdaptiveWindow(int greatest) {
		this.greatest = greatest;
	}

	/** The current maximum, at least 1. */
	int size() {
		return (int) Math.min(this.greatest, Math.max(Math.min(LEAST, this.greatest), this.size));
	}

	/** The state of the window when a message was sent. */
	record Flight(long sentAt, long delivered, long deliveredAt, long firstSentAt, boolean scarce) {
	}

	/**
	 * Notes that a message is about to be sent.
	 * @param nanos current time
	 * @param inFlight messages in flight before it
	 * @param scarce whether no other message waits, so that the sender and not the window
	 * limits the rate
	 */
	Flight sent(long nanos, int inFlight, boolean scarce) {
		if (inFlight == 0) {
			this.firstSentAt = nanos;
			this.deliveredAt = nanos;
		}
		if (this.probing && this.drainedAt == Long.MAX_VALUE) {
			this.drainedAt = nanos;
		}
		return new Flight(nanos, this.delivered, this.deliveredAt, this.firstSentAt, scarce);
	}

	/** Notes an acknowledgement, which came with those of {@code together - 1} others. */
	void acked(Flight flight, long nanos, int together) {
		this.delivered++;
		this.deliveredAt = nanos;
		this.firstSentAt = Math.max(this.firstSentAt, flight.sentAt());
		shortest(flight, nanos);
		if (flight.delivered() >= this.roundEnds || nanos - this.roundBeganAt > LONGEST_ROUND_NANOS) {
			nextRound(nanos);
		}
		int slot = this.round % ROUNDS;
		this.batches[slot] = Math.max(this.batches[slot], together);
		this.roundWasScarce |= flight.scarce();
		long interval = Math.max(nanos - flight.deliveredAt(), flight.sentAt() - flight.firstSentAt());
		if (interval > 0) {
			double rate = (double) (this.delivered - flight.delivered()) / interval;
			if (!flight.scarce() || rate > greatestRate()) {
				this.rates[slot] = Math.max(this.rates[slot], rate);
				this.roundWasMeasured = true;
			}
		}
		resize();
	}

	/** Notes that a stream ended because an acknowledgement did not come in time. */
	void lost() {
		this.starting = false;
		for (int i = 0; i < ROUNDS; i++) {
			this.rates[i] /= 2;
		}
		resize();
	}

	private void shortest(Flight flight, long nanos) {
		long rtt = Math.max(1, nanos - flight.sentAt());
		boolean probed = this.probing && flight.sentAt() >= this.drainedAt;
		if (rtt <= this.minRtt || probed) {
			this.minRtt = rtt;
			this.minRttAt = nanos;
			this.probing = false;
			this.drainedAt = Long.MAX_VALUE;
		}
	}

	private void nextRound(long nanos) {
		this.roundEnds = this.delivered;
		this.roundBeganAt = nanos;
		if (this.roundWasMeasured) {
			this.round++;
			this.rates[this.round % ROUNDS] = 0;
			this.batches[this.round % ROUNDS] = 0;
			this.roundWasMeasured = false;
		}
		if (this.starting && !this.roundWasScarce) {
			checkGrowth();
		}
		this.probing |= !this.starting && nanos - this.minRttAt > MIN_RTT_NANOS;
		if (this.starting || this.roundWasScarce) {
			begin(Stage.BEFORE);
		}
		else if (this.probing) {
			// Repeats this stage and not the whole trial, which may be longer than the
			// time between two probes.
			begin(this.stage);
		}
		else if (++this.stageRounds == ROUNDS) {
			// Until now the rates of the previous stage affected the window.
			this.stageBeganAt = nanos;
			this.stageDelivered = this.delivered;
		}
		else if (this.stageRounds >= ROUNDS + STAGE_ROUNDS && nanos - this.stageBeganAt >= STAGE_NANOS) {
			endStage(nanos);
		}
		this.roundWasScarce = false;
	}

	private void checkGrowth() {
		double rate = greatestRate();
		if (rate >= this.rateBefore * STILL_GROWS) {
			this.rateBefore = rate;
			this.roundsWithoutGrowth = 0;
		}
		else if (++this.roundsWithoutGrowth >= ROUNDS_WITHOUT_GROWTH) {
			this.starting = false;
		}
	}

	private void begin(Stage stage) {
		this.stage = stage;
		this.stageRounds = 0;
	}

	private void endStage(long nanos) {
		double rate = (double) (this.delivered - this.stageDelivered) / (nanos - this.stageBeganAt);
		switch (this.stage) {
			case BEFORE -> {
				this.rateBeforeMore = rate;
				begin(Stage.MORE);
			}
			case MORE -> {
				this.rateWithMore = rate;
				begin(Stage.AFTER);
			}
			case AFTER -> {
				boolean worth = this.rateWithMore >= WORTH_MORE * Math.max(this.rateBeforeMore, rate);
				this.gain = worth ? more() : Math.max(LEAST_GAIN, this.gain * BACK);
				begin(Stage.BEFORE);
			}
		}
	}

	private double more() {
		return Math.min(GREATEST_GAIN, this.gain * MORE);
	}

	private void resize() {
		double fits = greatestRate() * this.minRtt;
		if (this.starting) {
			this.size = Math.min(this.greatest, this.size + 1);
		}
		else if (this.probing) {
			this.size = fits / 2;
		}
		else {
			this.size = ((this.stage == Stage.MORE) ? more() : this.gain) * fits + greatestBatch();
		}
	}

	private double greatestRate() {
		double greatest = 0;
		for (double rate : this.rates) {
			greatest = Math.max(greatest, rate);
		}
		return greatest;
	}

	private int greatestBatch() {
		int greatest = 0;
		for (int batch : this.batches) {
			greatest = Math.max(greatest, batch);
		}
		return greatest;
	}

}
