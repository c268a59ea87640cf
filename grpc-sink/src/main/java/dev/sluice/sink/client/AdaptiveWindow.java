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
 * message takes longer then, so that twice the product may be too little for it. Now and
 * then more is tried for some round trips, and kept if the rate has grown by a tenth;
 * else a little is given back. And a round trip counts as one after a second at the
 * latest, or a sink that got slow would be believed fast for ten long ones; and a message
 * that is not acknowledged in time halves what is believed of the rate, once a round
 * trip.
 */
final class AdaptiveWindow implements Window {

	static final int LEAST = 16;

	private static final int ROUNDS = 10;

	private static final double LEAST_GAIN = 2;

	private static final double GREATEST_GAIN = 64;

	private static final double MORE = 1.5;

	private static final double BACK = 0.9;

	private static final double WORTH_MORE = 1.1;

	private static final int TRIAL_ROUNDS = 4;

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

	/** How many more round trips until a trial of more begins or ends. */
	private int roundsLeft = ROUNDS;

	/** Whether more is tried. */
	private boolean trying;

	private double gainBefore;

	private double rateBeforeTrial;

	private long roundBeganAt;

	private boolean lostInRound;

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
		else if (!this.starting && !this.probing && --this.roundsLeft <= 0) {
			tryMore();
		}
		this.roundWasScarce = false;
		this.probing |= !this.starting && nanos - this.minRttAt > MIN_RTT_NANOS;
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

	private void tryMore() {
		if (this.trying) {
			this.trying = false;
			this.roundsLeft = ROUNDS;
			if (this.roundWasScarce || greatestRate() < this.rateBeforeTrial * WORTH_MORE) {
				this.gain = Math.max(LEAST_GAIN, this.gainBefore * BACK);
			}
		}
		else if (!this.roundWasScarce) {
			this.trying = true;
			this.roundsLeft = TRIAL_ROUNDS;
			this.gainBefore = this.gain;
			this.rateBeforeTrial = greatestRate();
			this.gain = Math.min(GREATEST_GAIN, this.gain * MORE);
		}
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
			this.size = this.gain * fits + greatestBatch();
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
