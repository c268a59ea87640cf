package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import dev.sluice.devservices.Breakable;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.result.ProofResult.Series;
import dev.sluice.lab.kit.result.ProofResult.Span;
import dev.sluice.lab.kit.result.ProofResult.Timeline;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import dev.sluice.lab.proof.delivery.SteadyOrders.Beat;
import org.jspecify.annotations.Nullable;

/**
 * Freezes broker, PostgreSQL and backend one after another (SIGSTOP: connections stay
 * open and get no answer), while both gateways get orders in both modes.
 */
public final class OutageProof implements Proof {

	/** Orders per second to each gateway in each mode. */
	private static final double PER_SECOND = 10;

	private static final long STEADY_MILLIS = 5_000;

	/** Longer than any deadline, so that all deadlines pass during the freeze. */
	private static final int FROZEN_MILLIS = 25_000;

	private static final int QUICK_FROZEN_MILLIS = 13_000;

	/** Time observed after each freeze. */
	private static final long RECOVERY_MILLIS = 12_000;

	private static final double QUEUED_MILLIS = 2_000;

	/** {@code backend.response-timeout} plus half a second for the client. */
	private static final double SYNC_MILLIS = 10_500;

	private static final double MAX_RECOVERY_MILLIS = 5_000;

	/**
	 * A gateway considers Kafka lost after 3 s; until then it cannot look up a key.
	 */
	private static final long LOST_MILLIS = 4_000;

	private static final int UNAVAILABLE = 503;

	private static final int TIMEOUT = 504;

	@Override
	public String name() {
		return "outage";
	}

	@Override
	public String question() {
		return "What do clients get while broker, PostgreSQL or backend is frozen, and how soon do the gateways recover?";
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		testBed.startAll();
		long frozenMillis = testBed.size(FROZEN_MILLIS, QUICK_FROZEN_MILLIS, QUICK_FROZEN_MILLIS);
		List<SteadyOrders> pulses = new ArrayList<>();
		List<HealthWatch> watches = new ArrayList<>();
		long start = System.nanoTime();
		try {
			for (Service gateway : testBed.gateways()) {
				for (Mode mode : Mode.values()) {
					pulses.add(new SteadyOrders(testBed.client(), gateway, mode, PER_SECOND, start));
				}
				watches.add(new HealthWatch(testBed.client(), gateway.management().resolve("/actuator/health"), start));
			}
			Thread.sleep(STEADY_MILLIS);
			Frozen broker = freeze(testBed, "broker", testBed.stack().infrastructure().kafka(), frozenMillis, start);
			Frozen postgres = freeze(testBed, "PostgreSQL", testBed.stack().infrastructure().postgres(), frozenMillis,
					start);
			Frozen backend = freeze(testBed, "backend", testBed.stack().breakable(testBed.backendService()),
					frozenMillis, start);
			pulses.forEach(SteadyOrders::close);
			List<Beat> beats = pulses.stream().flatMap((pulse) -> pulse.beats().stream()).toList();
			write(testBed, beats);
			List<Check> checks = new ArrayList<>();
			for (int i = 0; i < testBed.gateways().size(); i++) {
				String gateway = testBed.gateways().get(i).name();
				checks.addAll(brokerFrozen(gateway, beats, broker, watches.get(i)));
				checks.addAll(postgresFrozen(gateway, beats, postgres));
				checks.addAll(backendFrozen(gateway, beats, backend));
			}
			return new Evidence(
					Map.of("load",
							"%.0f orders per second to each gateway in each mode, every other with a key"
								.formatted(PER_SECOND),
							"frozen for", "%d s each".formatted(frozenMillis / 1_000)),
					checks, timeline(testBed, beats, List.of(broker, postgres, backend)));
		}
		finally {
			watches.forEach(HealthWatch::close);
			pulses.forEach(SteadyOrders::close);
		}
	}

	private static Frozen freeze(TestBed testBed, String what, Breakable victim, long frozenMillis, long start)
			throws InterruptedException {
		testBed.step("Freezing the %s for %d s".formatted(what, frozenMillis / 1_000));
		victim.freeze();
		long began = millisSince(start);
		long unfrozen;
		try {
			Thread.sleep(frozenMillis);
		}
		finally {
			unfrozen = millisSince(start);
			victim.unfreeze();
		}
		Thread.sleep(RECOVERY_MILLIS);
		return new Frozen(what, began, unfrozen, millisSince(start));
	}

	private static long millisSince(long startNanos) {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
	}

	private static List<Check> brokerFrozen(String gateway, List<Beat> beats, Frozen frozen, HealthWatch health) {
		List<Beat> queued = frozen.sent(beats, gateway, Mode.QUEUED);
		List<Beat> sync = frozen.sent(beats, gateway, Mode.SYNC);
		Long turned = health.first(false, frozen.began(), frozen.unfrozen());
		Long turnedBack = health.first(true, Math.max(frozen.unfrozen(), (turned != null) ? turned : 0), frozen.end());
		return List.of(answered(gateway, frozen, queued),
				Check.none(describe(gateway, frozen, "queued orders answered, and not with 503"),
						queued.stream().filter((b) -> frozen.covers(b) && b.status() != UNAVAILABLE).count()),
				Check.atMost(describe(gateway, frozen, "slowest answer to a queued order"), QUEUED_MILLIS,
						slowest(queued), "ms"),
				Check.none(describe(gateway, frozen, "sync orders not saved, without a key"), failed(without(sync))),
				Check.none(describe(gateway, frozen, "sync orders not saved, with a key and after 4 s"), failed(
						with(sync).stream().filter((b) -> b.sentMillis() > frozen.began() + LOST_MILLIS).toList())),
				Check.none(describe(gateway, frozen, "sync orders answered neither 201 nor 503, with a key"),
						unsure(with(sync))),
				Check.atMost(describe(gateway, frozen, "health reports it after"), MAX_RECOVERY_MILLIS,
						since(frozen.began(), turned), "ms"),
				Check.atMost("%s, broker unfrozen: every queued order accepted again after".formatted(gateway),
						MAX_RECOVERY_MILLIS, frozen.recoveredAfter(beats, gateway, Mode.QUEUED), "ms"),
				Check.atMost("%s, broker unfrozen: health up again after".formatted(gateway), MAX_RECOVERY_MILLIS,
						since(frozen.unfrozen(), turnedBack), "ms"));
	}

	private static List<Check> postgresFrozen(String gateway, List<Beat> beats, Frozen frozen) {
		List<Beat> queued = frozen.sent(beats, gateway, Mode.QUEUED);
		List<Beat> sync = frozen.sent(beats, gateway, Mode.SYNC);
		return List.of(answered(gateway, frozen, queued),
				Check.none(describe(gateway, frozen, "queued orders not accepted"), failed(queued)),
				Check.atMost(describe(gateway, frozen, "slowest answer to a queued order"), QUEUED_MILLIS,
						slowest(queued), "ms"),
				Check.none(describe(gateway, frozen, "sync orders not saved, without a key"), failed(without(sync))),
				Check.none(describe(gateway, frozen, "sync orders answered neither 201 nor 503, with a key"),
						unsure(with(sync))));
	}

	private static List<Check> backendFrozen(String gateway, List<Beat> beats, Frozen frozen) {
		List<Beat> queued = frozen.sent(beats, gateway, Mode.QUEUED);
		List<Beat> sync = frozen.sent(beats, gateway, Mode.SYNC);
		Predicate<Beat> unavailable = (beat) -> beat.status() == UNAVAILABLE || beat.status() == TIMEOUT;
		return List.of(answered(gateway, frozen, sync),
				Check.none(describe(gateway, frozen, "sync orders answered, and not with 503 or 504"),
						sync.stream().filter((b) -> frozen.covers(b) && !unavailable.test(b)).count()),
				Check.atMost(
						describe(gateway, frozen, "slowest answer to a sync order"), SYNC_MILLIS, slowest(sync), "ms"),
				Check.none(describe(gateway, frozen, "queued orders not accepted"), failed(queued)),
				Check.atMost(describe(gateway, frozen, "slowest answer to a queued order"), QUEUED_MILLIS,
						slowest(queued), "ms"),
				Check.atMost("%s, backend unfrozen: every sync order saved again after".formatted(gateway),
						MAX_RECOVERY_MILLIS, frozen.recoveredAfter(beats, gateway, Mode.SYNC), "ms"));
	}

	/** Without answers, all later checks would hold vacuously. */
	private static Check answered(String gateway, Frozen frozen, List<Beat> beats) {
		return Check.atLeast(describe(gateway, frozen, "orders sent"),
				Math.floor(PER_SECOND * (frozen.unfrozen() - frozen.began()) / 1_000 * 0.9), (double) beats.size(), "");
	}

	private static String describe(String gateway, Frozen frozen, String what) {
		return "%s, %s frozen: %s".formatted(gateway, frozen.what(), what);
	}

	private static long failed(List<Beat> beats) {
		return beats.stream().filter((beat) -> !beat.isPlaced()).count();
	}

	private static List<Beat> with(List<Beat> beats) {
		return beats.stream().filter(Beat::keyed).toList();
	}

	private static List<Beat> without(List<Beat> beats) {
		return beats.stream().filter((beat) -> !beat.keyed()).toList();
	}

	private static long unsure(List<Beat> beats) {
		return beats.stream().filter((beat) -> !beat.isPlaced() && beat.status() != UNAVAILABLE).count();
	}

	private static @Nullable Double slowest(List<Beat> beats) {
		return beats.isEmpty() ? null : (double) beats.stream().mapToLong(Beat::tookMillis).max().orElseThrow();
	}

	private static @Nullable Double since(long fromMillis, @Nullable Long atMillis) {
		return (atMillis != null) ? (double) (atMillis - fromMillis) : null;
	}

	private static Timeline timeline(TestBed testBed, List<Beat> beats, List<Frozen> frozen) {
		int seconds = (int) (frozen.getLast().end() / 1_000) + 1;
		List<Series> series = new ArrayList<>();
		for (Service gateway : testBed.gateways()) {
			for (Mode mode : Mode.values()) {
				double[] placed = new double[seconds];
				beats.stream()
					.filter((b) -> b.gateway().equals(gateway.name()) && b.mode() == mode && b.isPlaced())
					.filter((b) -> b.endedMillis() < seconds * 1_000L)
					.forEach((b) -> placed[(int) (b.endedMillis() / 1_000)]++);
				series.add(Series.of("%s, %s orders accepted per second".formatted(gateway.name(), mode), placed));
			}
		}
		return new Timeline(seconds, series,
				frozen.stream()
					.map((f) -> new Span(f.what(), "freeze", f.began() / 1_000.0, f.unfrozen() / 1_000.0))
					.toList());
	}

	private static void write(TestBed testBed, List<Beat> beats) throws IOException {
		List<String> lines = new ArrayList<>(List.of("gateway,mode,keyed,sent_ms,took_ms,status"));
		beats.forEach((b) -> lines.add("%s,%s,%s,%d,%d,%d".formatted(b.gateway(), b.mode(), b.keyed(), b.sentMillis(),
				b.tookMillis(), b.status())));
		Files.write(testBed.file("requests.csv"), lines);
	}

	/**
	 * A freeze; times in milliseconds since the beginning.
	 *
	 * @param end when observation of the recovery ended
	 */
	private record Frozen(String what, long began, long unfrozen, long end) {

		List<Beat> sent(List<Beat> beats, String gateway, Mode mode) {
			return beats.stream()
				.filter((b) -> b.gateway().equals(gateway) && b.mode() == mode)
				.filter((b) -> b.sentMillis() >= this.began && b.sentMillis() < this.unfrozen)
				.toList();
		}

		boolean covers(Beat beat) {
			return beat.sentMillis() >= this.began && beat.endedMillis() <= this.unfrozen;
		}

		/**
		 * The time from which on every order sent was placed; null if not before the end.
		 */
		@Nullable Double recoveredAfter(List<Beat> beats, String gateway, Mode mode) {
			List<Beat> after = beats.stream()
				.filter((b) -> b.gateway().equals(gateway) && b.mode() == mode)
				.filter((b) -> b.sentMillis() >= this.unfrozen && b.sentMillis() < this.end)
				.toList();
			Double recovered = null;
			for (Beat beat : after) {
				if (!beat.isPlaced()) {
					recovered = null;
				}
				else if (recovered == null) {
					recovered = (double) (beat.endedMillis() - this.unfrozen);
				}
			}
			return recovered;
		}

	}

}
