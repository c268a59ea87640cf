package dev.sluice.lab.causes;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.lab.kit.plan.LoadPlan.Client;
import dev.sluice.lab.kit.result.CausesResult;

/**
 * A level of each factor: a setting, or treatment, of the experiment. Some levels can
 * change from cell to cell; others need a restart of the gateway, see {@link #gateway()}.
 *
 * @param backend threads of the backend
 * @param threads of the gateway's container
 * @param heap of the gateway, in MiB
 * @param collector of the gateway
 * @param retries of the gateway
 * @param patience of the client
 * @param connections from client to gateway, and from gateway to backend
 */
record FactorLevels(Backend backend, int threads, int heap, Collector collector, Retries retries, Patience patience,
		Connections connections) {

	/**
	 * As many as the reference's client had orders in flight, so that no order waits for
	 * a thread.
	 */
	static final int ENOUGH_THREADS = 1_000;

	/** Nothing limits the rate. */
	static final FactorLevels BASE = new FactorLevels(Backend.UNLIMITED, ENOUGH_THREADS, 1_024, Collector.G1,
			Retries.PATIENT, Patience.PATIENT, Connections.KEPT);

	/**
	 * The backend's queue; longer than the number of requests that can be in flight,
	 * retries included.
	 */
	private static final int QUEUE = 10_000;

	enum Backend {

		UNLIMITED("no limit", "backend without limit", new Capacity.Unlimited()),

		SIXTEEN("16 blocked threads", "backend 16 threads", new Capacity.Workers(16, QUEUE)),

		STARVED_12("12 blocked threads, 1 more per second", "backend 12 threads +1/s",
				new Capacity.Starved(12, 1, 1_000, QUEUE)),

		STARVED_2("2 blocked threads, 1 more per second", "backend 2 threads +1/s",
				new Capacity.Starved(2, 1, 1_000, QUEUE)),

		/** As many as the reference's 51 orders per second keep busy, at 50 ms each. */
		THREE("3 blocked threads", "backend 3 threads", new Capacity.Workers(3, QUEUE));

		private final String label;

		private final String shortly;

		private final Capacity capacity;

		Backend(String label, String shortly, Capacity capacity) {
			this.label = label;
			this.shortly = shortly;
			this.capacity = capacity;
		}

		Capacity capacity() {
			return this.capacity;
		}

		@Override
		public String toString() {
			return this.label;
		}

	}

	enum Collector {

		G1("G1", "-XX:+UseG1GC"), SERIAL("Serial", "-XX:+UseSerialGC"), PARALLEL("Parallel", "-XX:+UseParallelGC"),
		ZGC("ZGC", "-XX:+UseZGC");

		private final String label;

		private final String option;

		Collector(String label, String option) {
			this.label = label;
			this.option = option;
		}

		/** First switches off the stack's default collector: a JVM refuses two. */
		String[] jvmArgs() {
			return new String[] { "-XX:-UseG1GC", this.option };
		}

		@Override
		public String toString() {
			return this.label;
		}

	}

	enum Retries {

		PATIENT("waits 60 s, once", "gateway patient", "60s", 1),

		/** The gateway's own default. */
		ONCE("gives up after 10 s", "gateway gives up after 10 s", "10s", 1),

		/** The default of the reference's resilience handler. */
		THREE("10 s, three times", "gateway retries 3 × 10 s", "10s", 3);

		private final String label;

		private final String shortly;

		private final String timeout;

		private final int attempts;

		Retries(String label, String shortly, String timeout, int attempts) {
			this.label = label;
			this.shortly = shortly;
			this.timeout = timeout;
			this.attempts = attempts;
		}

		Map<String, Object> properties() {
			return Map.of("backend.response-timeout", this.timeout, "backend.max-attempts", this.attempts);
		}

		@Override
		public String toString() {
			return this.label;
		}

	}

	enum Patience {

		PATIENT("waits 60 s", "client patient", 60_000, true),

		AGAIN("gives up after 10 s, asks again by the same key", "client asks again after 10 s", 10_000, true),

		ANEW("gives up after 10 s, places a new order", "client orders anew after 10 s", 10_000, false);

		private final String label;

		private final String shortly;

		private final long timeoutMillis;

		private final boolean keepsKey;

		Patience(String label, String shortly, long timeoutMillis, boolean keepsKey) {
			this.label = label;
			this.shortly = shortly;
			this.timeoutMillis = timeoutMillis;
			this.keepsKey = keepsKey;
		}

		@Override
		public String toString() {
			return this.label;
		}

	}

	enum Connections {

		KEPT("kept", "connections kept", true, false), NEW("new for each order", "new connections", false, false),
		KEPT_TLS("kept, TLS", "TLS", true, true),
		NEW_TLS("new for each order, TLS", "new TLS connections", false, true);

		private final String label;

		private final String shortly;

		private final boolean kept;

		private final boolean tls;

		Connections(String label, String shortly, boolean kept, boolean tls) {
			this.label = label;
			this.shortly = shortly;
			this.kept = kept;
			this.tls = tls;
		}

		boolean areKept() {
			return this.kept;
		}

		boolean haveTls() {
			return this.tls;
		}

		@Override
		public String toString() {
			return this.label;
		}

	}

	FactorLevels with(Backend other) {
		return new FactorLevels(other, this.threads, this.heap, this.collector, this.retries, this.patience,
				this.connections);
	}

	FactorLevels withThreads(int other) {
		return new FactorLevels(this.backend, other, this.heap, this.collector, this.retries, this.patience,
				this.connections);
	}

	FactorLevels withHeap(int other) {
		return new FactorLevels(this.backend, this.threads, other, this.collector, this.retries, this.patience,
				this.connections);
	}

	FactorLevels with(Collector other) {
		return new FactorLevels(this.backend, this.threads, this.heap, other, this.retries, this.patience,
				this.connections);
	}

	FactorLevels with(Retries other) {
		return new FactorLevels(this.backend, this.threads, this.heap, this.collector, other, this.patience,
				this.connections);
	}

	FactorLevels with(Patience other) {
		return new FactorLevels(this.backend, this.threads, this.heap, this.collector, this.retries, other,
				this.connections);
	}

	FactorLevels with(Connections other) {
		return new FactorLevels(this.backend, this.threads, this.heap, this.collector, this.retries, this.patience,
				other);
	}

	/**
	 * The levels that need a restart of the gateway; the other factors as in the base.
	 */
	FactorLevels gateway() {
		return with(BASE.backend()).with(BASE.patience());
	}

	Client client() {
		return new Client(this.patience.timeoutMillis, this.patience.keepsKey, this.connections.areKept(),
				Client.USUAL.perSecond(), Client.USUAL.items());
	}

	/** Whether it differs from the base only in heap or collector. */
	boolean concernsMemoryAlone() {
		return withHeap(BASE.heap()).with(BASE.collector()).equals(BASE);
	}

	/** The factors that differ from the base, with their levels. */
	Map<String, String> changes() {
		return byFactor().entrySet()
			.stream()
			.filter((level) -> !level.getValue().equals(BASE.byFactor().get(level.getKey())))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, LinkedHashMap::new));
	}

	/** The levels by factor. */
	Map<String, String> byFactor() {
		Map<String, String> levels = new LinkedHashMap<>();
		levels.put("backend's threads", this.backend.toString());
		levels.put("gateway's threads", "%,d".formatted(this.threads));
		levels.put("gateway's heap", "%,d MiB".formatted(this.heap));
		levels.put("gateway's collector", this.collector.toString());
		levels.put("gateway's retries", this.retries.toString());
		levels.put("client's patience", this.patience.toString());
		levels.put("connections", this.connections.toString());
		return levels;
	}

	/** Names the changes to the base in a few words; unique. */
	String name() {
		List<String> words = Stream
			.of(word(this.backend != BASE.backend, this.backend.shortly),
					word(this.threads != BASE.threads, "gateway %,d threads".formatted(this.threads)),
					word(this.heap != BASE.heap, "%,d MiB".formatted(this.heap)),
					word(this.collector != BASE.collector, this.collector.label),
					word(this.retries != BASE.retries, this.retries.shortly),
					word(this.patience != BASE.patience, this.patience.shortly),
					word(this.connections != BASE.connections, this.connections.shortly))
			.flatMap(Optional::stream)
			.toList();
		return words.isEmpty() ? CausesResult.BASE : String.join(" + ", words);
	}

	private static Optional<String> word(boolean changed, String word) {
		return changed ? Optional.of(word) : Optional.empty();
	}

}
