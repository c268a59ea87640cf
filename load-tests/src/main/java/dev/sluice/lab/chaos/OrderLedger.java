package dev.sluice.lab.chaos;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import dev.sluice.contract.Placed;
import dev.sluice.lab.chaos.OrderLedger.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ChaosResult.Second;
import org.jspecify.annotations.Nullable;

/**
 * Records the answers that clients got. Each order is counted once, by the strongest
 * answer to any of its attempts: placed = accepted + refused + in doubt. Each attempt is
 * a line in a file.
 * <p>
 * Keeps a byte for each order and 20 for each second. Thread-safe.
 */
final class OrderLedger implements AutoCloseable {

	/** Of a second's counts, after those of accepted and failed attempts by mode. */
	private static final int SAVED = 4;

	/**
	 * The result of one attempt to place an order.
	 *
	 * @param text the HTTP status, or why there is none: {@code timeout},
	 * {@code unreachable}, {@code broken}
	 * @param meaning what the client may conclude
	 * @param again whether a client tries again
	 */
	record Answer(String text, Meaning meaning, boolean again) {

		/** No answer within the client's timeout. */
		static final Answer TIMEOUT = new Answer("timeout", Meaning.OPEN, true);

		/** No connection, so nothing was sent. */
		static final Answer UNREACHABLE = new Answer("unreachable", Meaning.REFUSED, true);

		/** The connection ended before the answer was complete. */
		static final Answer BROKEN = new Answer("broken", Meaning.OPEN, true);

		private static final int IN_PROGRESS = 409;

		private static final Set<Integer> OTHERS_4XX_TO_REPEAT = Set.of(408, 425, 429);

		/** The promise of {@link Placed#NO}. */
		private static final String NOT_PLACED = "no";

		/** What an answer says about the order, whose meaning is its greatest. */
		enum Meaning {

			/** Not sent yet. */
			NONE,

			/** A promise that this attempt has placed nothing. */
			REFUSED,

			/** The order may have been taken or not. */
			OPEN,

			/** A promise that the order is saved, or will be saved or failed. */
			ACCEPTED

		}

		/**
		 * The answer with an HTTP status.
		 * @param placed the problem's {@link Placed#MEMBER}, null if it has none
		 */
		static Answer of(int status, @Nullable String placed) {
			String text = Integer.toString(status);
			if (status / 100 == 2) {
				return new Answer(text, Meaning.ACCEPTED, false);
			}
			if (status == IN_PROGRESS) {
				// The outcome of an earlier attempt is not known yet.
				return new Answer(text, Meaning.OPEN, true);
			}
			if (status / 100 == 4) {
				return new Answer(text, Meaning.REFUSED, OTHERS_4XX_TO_REPEAT.contains(status));
			}
			return new Answer(text, NOT_PLACED.equals(placed) ? Meaning.REFUSED : Meaning.OPEN, true);
		}

	}

	private final byte[] meanings;

	private final double syncShare;

	private final BufferedWriter attempts;

	private final List<int[]> seconds = new ArrayList<>();

	private long attemptCount;

	private int misnamed;

	/**
	 * @param orders maximum number of orders
	 * @param syncShare share of the orders placed synchronously, 0 to 1, evenly spread
	 * @param file file to write the attempts to
	 * @throws IOException if it cannot be written
	 */
	public OrderLedger(int orders, double syncShare, Path file) throws IOException {
		this.meanings = new byte[orders];
		this.syncShare = syncShare;
		this.attempts = Files.newBufferedWriter(file);
		this.attempts.write("order,attempt,gateway,mode,sent_ms,took_ms,answer\n");
	}

	/** Number of orders that it has room for. */
	int orders() {
		return this.meanings.length;
	}

	/** The mode in which an order is placed. */
	Mode mode(int order) {
		return (Math.floor((order + 1) * this.syncShare) > Math.floor(order * this.syncShare)) ? Mode.SYNC
				: Mode.QUEUED;
	}

	/**
	 * Records an attempt that has ended.
	 * @param attempt from 1
	 * @param gateway name of the gateway
	 * @param sentMillis when it was sent, in milliseconds since the load began
	 * @param tookMillis time until its answer was known, in milliseconds
	 * @throws UncheckedIOException if the file cannot be written
	 */
	synchronized void enter(int order, int attempt, String gateway, long sentMillis, long tookMillis, Answer answer) {
		long endedMillis = sentMillis + tookMillis;
		boolean accepted = answer.meaning() == Meaning.ACCEPTED;
		this.attemptCount++;
		this.meanings[order] = (byte) Math.max(this.meanings[order], answer.meaning().ordinal());
		second(endedMillis)[(accepted ? 0 : 2) + mode(order).ordinal()]++;
		try {
			this.attempts.write("%s,%s,%s,%s,%s,%s,%s\n".formatted(order, attempt, gateway, mode(order), sentMillis,
					tookMillis, answer.text()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The attempts cannot be written", ex);
		}
	}

	private int[] second(long millis) {
		int second = Math.toIntExact(millis / 1_000);
		while (this.seconds.size() <= second) {
			this.seconds.add(new int[SAVED + 1]);
		}
		return this.seconds.get(second);
	}

	/** Counts an order that the backend saved so long after the load began. */
	synchronized void saved(long millis) {
		second(Math.max(millis, 0))[SAVED]++;
	}

	/** Counts an answer with another id than the order's. */
	synchronized void misnamed() {
		this.misnamed++;
	}

	/** Strongest answer to the order's attempts. */
	synchronized Meaning meaning(int order) {
		return Meaning.values()[this.meanings[order]];
	}

	/** Number of those orders with a meaning of which this holds. */
	synchronized int count(Meaning meaning, IntPredicate which) {
		return (int) IntStream.range(0, orders())
			.filter((order) -> meaning(order) == meaning && which.test(order))
			.count();
	}

	synchronized long attempts() {
		return this.attemptCount;
	}

	synchronized int misnamedOrders() {
		return this.misnamed;
	}

	/** The load second by second; what was saved is known only after an audit. */
	synchronized List<Second> seconds() {
		boolean known = this.seconds.stream().anyMatch((of) -> of[SAVED] > 0);
		return IntStream.range(0, this.seconds.size()).mapToObj((second) -> {
			int[] of = this.seconds.get(second);
			return new Second(second, of[Mode.SYNC.ordinal()], of[Mode.QUEUED.ordinal()], of[2 + Mode.SYNC.ordinal()],
					of[2 + Mode.QUEUED.ordinal()], known ? of[SAVED] : null);
		}).toList();
	}

	@Override
	public synchronized void close() throws IOException {
		this.attempts.close();
	}

}
