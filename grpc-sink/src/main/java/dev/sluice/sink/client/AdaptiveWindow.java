package dev.sluice.sink.client;

import java.time.Duration;

/**
 * Follows what the sink can take: twice the product of the greatest rate of
 * acknowledgements and the shortest time of one, so that the sink never starves and what
 * queues up is bounded. The algorithm is BBR's (N. Cardwell et al., "BBR:
 * Congestion-Based Congestion Control", ACM Queue 14(5), 2016) in messages instead of
 * bytes, without its pacing, which flow control does:
 * <ul>
 * <li>at the start the window doubles each round trip, until the rate has grown by less
 * than a quarter in three of them;</li>
 * <li>the rate is the greatest of the last ten round trips, each measured from one
 * acknowledgement to another, so that bursts of acknowledgements do not raise it;</li>
 * <li>acknowledgements come in batches; the largest seen lately is added, or the window
 * would be empty while a batch is gathered;</li>
 * <li>the shortest time is forgotten after ten seconds: nothing is sent until no more
 * than half of what fits is in flight, and then the time of one message shows.</li>
 * </ul>
 * Beside BBR: a sink that stores in batches is faster the more it is given, though each
 * message takes longer then, so that twice the product may be too little for it. So half
 * as much again is tried for some round trips, and kept if a tenth more was acknowledged
 * than before and than after it; else a tenth is given back. And a round trip counts as
 * one after a second at the latest, or a sink that got slow would be believed fast for
 * ten long ones; and a message that is not acknowledged in time halves what is believed
 * of the rate, once a round trip.
 */
final class AdaptiveWindow implements Window {

	static final int LEAST = 16;

	private static final int ROUNDS = 10;

	private static final double LEAST_GAIN = 2;

	private static final double GREATEST_GAIN = 64;

	private static final double MORE = 1.5;

	private static final double BACK = 0.9;

	private static final double WORTH_MORE = 1.1;

	/** Of each stage of a trial, and its time: less says little on a busy machine. */
	private static final int STAGE_ROUNDS = 4;

	private static final long STAGE_NANOS = Duration.ofMillis(200).toNanos();

	private static final double STILL_GROWS = 1.25;

	private static final int ROUNDS_WITHOUT_GROWTH = 3;

	private static final long MIN_RTT_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long LONGEST_ROUND_NANOS = Duration.ofSeconds(1).toNanos();

	private final int greatest;

	/** Messages a nanosecond, the greatest of each of the last rounds. */
	private final double[] rates = new double[ROUNDS];

	/** The largest batch of acknowledgements of each of the last rounds. */
	private final int[] batches = new int[ROUNDS];

	private double size = LEAST;

	private long delivered;

	private long deliveredAt;

	private long firstSentAt;

	private int round;

	private long roundEnds;

	private boolean starting = true;

	private double rateBefore;

	private int roundsWithoutGrowth;

	private boolean roundWasScarce;

	private long minRtt = Long.MAX_VALUE;

	private long minRttAt;

	/** Whether the queue is to drain for the shortest time to show. */
	private boolean probing;

	/** When the first was sent into the drained queue; meaningful while probing. */
	private long drainedAt = Long.MAX_VALUE;

	/** What the product is multiplied by. */
	private double gain = LEAST_GAIN;

	private Stage stage = Stage.BEFORE;

	private long stageBeganAt;

	private long stageDelivered;

	private int stageRounds;

	/** Messages a nanosecond, in the earlier stages of a trial. */
	private double rateBeforeMore;

	private double rateWithMore;

	private long roundBeganAt;

	private boolean lostInRound;

	/** Of a trial of more. A machine that gets faster by itself is so after it too. */
	private enum Stage {

		BEFORE, MORE, AFTER

	}

	/**
	 * Starts small.
	 * @param greatest it may become
	 */
	AdaptiveWindow(int greatest) {
		this.greatest = Math.max(1, greatest);
	}

	@Override
	public int size() {
		return (int) Math.min(this.greatest, Math.max(Math.min(LEAST, this.greatest), this.size));
	}

	@Override
	public Flight sent(long nanos, int inFlight, boolean scarce) {
		if (inFlight == 0) {
			this.firstSentAt = nanos;
			this.deliveredAt = nanos;
		}
		if (this.probing && this.drainedAt == Long.MAX_VALUE) {
			this.drainedAt = nanos;
		}
		return new Flight(nanos, this.delivered, this.deliveredAt, this.firstSentAt, scarce);
	}

	@Override
	public void acked(Flight flight, long nanos, int together) {
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
		if (interval >= this.minRtt && interval > 0) {
			double rate = (double) (this.delivered - flight.delivered()) / interval;
			if (!flight.scarce() || rate > greatestRate()) {
				this.rates[slot] = Math.max(this.rates[slot], rate);
			}
		}
		resize();
	}

	@Override
	public void lost(Flight flight, long nanos) {
		if (!this.lostInRound) {
			this.lostInRound = true;
			this.starting = false;
			for (int i = 0; i < ROUNDS; i++) {
				this.rates[i] /= 2;
			}
			resize();
		}
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
		this.round++;
		this.rates[this.round % ROUNDS] = 0;
		this.batches[this.round % ROUNDS] = 0;
		this.lostInRound = false;
		if (this.starting && !this.roundWasScarce) {
			checkGrowth();
		}
		this.probing |= !this.starting && nanos - this.minRttAt > MIN_RTT_NANOS;
		if (this.starting || this.roundWasScarce) {
			begin(Stage.BEFORE);
		}
		else if (this.probing) {
			// This stage again; not the whole trial, which may be longer than from one
			// shortest time to the next.
			begin(this.stage);
		}
		else if (++this.stageRounds == ROUNDS) {
			// Until now the rates of the stage before had a part in the window.
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
