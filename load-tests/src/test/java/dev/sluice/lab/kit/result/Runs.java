package dev.sluice.lab.kit.result;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import org.jspecify.annotations.Nullable;

/** Runs for tests: invented figures of a plausible size, the same each time. */
public final class Runs {

	public static final List<Integer> LOADS = List.of(10, 50, 100, 200, 500, 1000, 2000, 3000);

	private static final List<String> VARIANTS = List.of("servlet-platform", "servlet-virtual", "servlet-async",
			"reactive");

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private Runs() {
	}

	/**
	 * A run of each kind of finding, and a partial one. {@code ResultTests} fails if a
	 * kind is missing.
	 */
	public static List<RunResult> ofEveryKind() {
		return List.of(brief(), partial(), client(), grid(), knee(), pool(), chaos(1), causes(), sink(), drain(),
				surge());
	}

	/** A whole run: every load three times, sync before the starved backend collapses. */
	public static RunResult full() {
		List<CellResult> cells = new ArrayList<>();
		Random random = new Random(42);
		for (int repetition = 1; repetition <= 3; repetition++) {
			for (String capacity : List.of("unlimited", "starved")) {
				for (String mode : List.of("sync", "queued")) {
					for (String variant : VARIANTS) {
						for (int orders : LOADS) {
							cells.add(
									cell(new Cell(variant, mode, capacity, Load.inFlight(orders), repetition), random));
						}
					}
				}
			}
		}
		return run("compare", null, cells);
	}

	/** A part of that: three loads, once each. */
	public static RunResult brief() {
		List<Integer> loads = List.of(10, 1000, 3000);
		return run("compare", null,
				full().cells()
					.stream()
					.filter((each) -> each.cell().repetition() == 1 && loads.contains(each.cell().load().size()))
					.toList());
	}

	/** A run of chaos whose balance holds, or in which orders were lost. */
	public static RunResult chaos(int lost) {
		List<ChaosResult.Second> seconds = new ArrayList<>();
		Random random = new Random(3);
		for (int second = 0; second < 120; second++) {
			boolean down = second > 30 && second < 38;
			seconds.add(new ChaosResult.Second(second, 18 + random.nextInt(4), down ? 0 : 78 + random.nextInt(5),
					down ? 3 : 0, down ? 150 : 0, (second % 50 == 7) ? null : 100));
		}
		List<ChaosResult.Fault> faults = List.of(new ChaosResult.Fault("broker", "kill", 30_500, 37_200),
				new ChaosResult.Fault("gateway reactive", "freeze", 50_000, 53_000),
				new ChaosResult.Fault("backend", "hang", 52_000, 56_000),
				new ChaosResult.Fault("consumer", "restart", 90_000, 97_000));
		ChaosResult.Balance balance = new ChaosResult.Balance(12_000, 13_100, 2_400, 9_500, 11_899 - lost, 1, lost, 5,
				0, 95, 90, 0L, 0, 210L, 11_989L - lost);
		return found("chaos",
				new ChaosResult(balance, faults, seconds, (lost > 0) ? List.of("019a,lost,<17>") : List.of(), 35));
	}

	/** A client that keeps up, and one with more and more waiting requests. */
	public static RunResult client() {
		ClientResult.Run healthy = client("async, 100/s", 5, 100, 500, 52, Map.of(),
				new ClientResult.Reference(18, 1709, 1208, 501, 5008, 52, true));
		ClientResult.Run unhealthy = client("sync-over-async, 100/s", 60, 2, 1674, 74, Map.of("HTTP 503", 3L),
				new ClientResult.Reference(16, 1707, 33, 1674, 15774, 74, false));
		return found("client", new ClientResult(List.of(healthy, unhealthy)));
	}

	private static ClientResult.Run client(String name, double lag, long answered, long outstanding, int threads,
			Map<String, Long> failures, ClientResult.Reference reference) {
		List<ClientResult.Second> seconds = IntStream.rangeClosed(1, 18)
			.mapToObj((second) -> new ClientResult.Second(second, second * 100L, second * answered,
					Math.min(outstanding, second * 100L), 100, answered, (second < 5) ? null : 5_010.0, threads))
			.toList();
		return new ClientResult.Run(name, name.split(",", 2)[0], null, "http://127.0.0.1:8090/5000", 100, 18_000,
				new ClientResult.Tally(1_800, 1_800, 0, 18 * answered, outstanding, failures),
				new Timing(5_001.0, 5_007, 5_005.0, 5_010.0, 5_020.0, 5_300),
				new Timing(0.0, 0.1, 0.1, 0.3, lag, lag + 1), 0.4, 0.02, seconds, reference);
	}

	/** A grid in which 14 blocked threads are the limit, and nothing else is. */
	public static RunResult grid() {
		List<CellResult> cells = new ArrayList<>();
		for (String variant : List.of("servlet-platform-14", "servlet-platform", "servlet-async")) {
			for (int delay : List.of(100, 500)) {
				for (int load : List.of(10, 100)) {
					int executing = variant.endsWith("14") ? Math.min(14, load) : load;
					double response = (double) delay * load / executing;
					long saved = Math.round(2 * executing * 1_000.0 / delay);
					long refused = (load == 100 && delay == 100) ? 2 : 0;
					cells.add(new CellResult(new Cell(variant, "sync", delay + " ms", Load.inFlight(load), 1), START,
							START.plusSeconds(2), saved + refused, refused,
							(refused > 0) ? Map.of("HTTP 503", refused) : Map.of(), saved, saved, saved / 2.0,
							saved / 2.0,
							new Timing(null, response, response, response + 3, response + 5, response + 30), null, null,
							Map.of("gateway", new ServiceCost(0.7, 1, 4.0, 4.0, 60, 200L << 20)), 100L, executing,
							(load == 10) ? 0.2 : 0.01, 0, null, null));
				}
			}
		}
		return run("grid", null, cells);
	}

	/** One knee that was found and one mode that never met the goal. */
	public static RunResult knee() {
		KneeResult.Step held = new KneeResult.Step(1_550, new Timing(51.0, 60, 55.0, 90.0, 160.0, 300), null,
				new ClientResult.Tally(7_750, 7_750, 0, 7_750, 0, Map.of()), 0.4, 0.2, 0.02, null);
		KneeResult.Step failed = new KneeResult.Step(1_620, new Timing(51.0, 160, 120.0, 300.0, 412.0, 500), null,
				new ClientResult.Tally(8_100, 8_100, 0, 8_100, 0, Map.of()), 0.4, 0.2, 0.02, "p99 412 ms");
		KneeResult.Step refused = new KneeResult.Step(2, null, null,
				new ClientResult.Tally(10, 10, 0, 10, 0, Map.of("HTTP 503", 3L)), 0.4, 0.2, null,
				"3 requests failed: HTTP 503");
		return found("knee", new KneeResult("p99 of the answers at most 200 ms", "any number of orders at once",
				List.of(new KneeResult.Knee("reactive", "sync", 1_550.0, 1_620.0, List.of(held, failed), 90_000),
						new KneeResult.Knee("reactive", "queued", null, 2.0, List.of(refused), 30_000))));
	}

	/**
	 * A backend of three threads that costs nearly all, a small heap that costs little.
	 */
	public static RunResult causes() {
		List<CellResult> cells = new ArrayList<>();
		for (int orders : List.of(100, 1_000)) {
			cells.add(cause("base", orders, 1_800, 0.004));
			cells.add(cause("Serial", orders, 1_700, 0.004));
			cells.add(cause("backend 3 threads", orders, 60, 0.0005));
			cells.add(cause("192 MiB", orders, 1_500, 0.05));
			cells.add(cause("all together", orders, 40, 0.0009));
		}
		return run("compare --causes", null, cells);
	}

	/** A burst of orders that were all answered, some after a failed call. */
	public static CellResult cause(String setting, int orders, double perSecond, @Nullable Double pauseShare) {
		return cause(setting, orders, 1, perSecond, pauseShare);
	}

	public static CellResult cause(String setting, int orders, int repetition, double perSecond,
			@Nullable Double pauseShare) {
		double millis = orders / perSecond * 1_000;
		Double pause = (pauseShare != null) ? pauseShare * millis : null;
		return new CellResult(new Cell(setting, "sync", "unlimited", new Load(Load.Kind.BURST, orders), repetition),
				START, START.plusMillis(Math.round(millis)), orders + 3, 3, Map.of("HTTP 504", 3L), orders, orders,
				perSecond, perSecond, new Timing(null, millis / 2, millis / 2, millis, millis, millis), null, null,
				Map.of("gateway", new ServiceCost(0.8, 3, pause, pause, 1_040, 400L << 20)), 2_000L, 1_000, 0.02, 0,
				null, null);
	}

	/** A scenario of which one cell keeps the limits and one does not. */
	public static RunResult scenario() {
		Cell kept = new Cell("reactive", "queued", "mine", Load.inFlight(100), 1);
		Cell missed = new Cell("reactive", "sync", "mine", Load.inFlight(100), 1);
		ScenarioResult scenario = new ScenarioResult("mine", "Is it <b>fast</b>?", List.of("p99 at most 250 ms"),
				List.of(new ScenarioResult.Judgement(kept, List.of()),
						new ScenarioResult.Judgement(missed, List.of("p99 900 ms"))));
		return run("compare", null,
				new CompareResult(List.of(rate(kept, 6_000), rate(missed, 600)), scenario, null, null),
				List.of(new RunResult.Check("GC pauses agree", false, "7 and 8 pauses")));
	}

	/** New connections that are not let in, and kept ones that are. */
	public static RunResult pool() {
		return found("pool",
				new PoolResult(8, 100, 5, List.of(
						new PoolResult.Case("new", "a new connection for each message",
								List.of(new PoolResult.Status(1, 8, 5, 3, 0, 8),
										new PoolResult.Status(2, 400, 200, 100, 100, 300)),
								shares(200)),
						new PoolResult.Case("kept", "40 at most", List.of(new PoolResult.Status(2, 400, 400, 0, 0, 8)),
								shares(400)))));
	}

	private static List<PoolResult.Share> shares(long written) {
		return List.of(new PoolResult.Share(100, written, 140, 101, 900, null),
				new PoolResult.Share(95, written * 95 / 100, 110, 101, 160, 160.0));
	}

	/** A backlog delivered at 96 % of what the limit allows. */
	public static RunResult drain() {
		return found("drain", new DrainResult(60_000, 100, 50, 48_000, 25, 1_920));
	}

	/**
	 * A gateway that accepts little in its first seconds, and nothing in its last ones.
	 */
	public static RunResult surge() {
		Timing timing = new Timing(1.0, 8, 5.0, 40.0, 210.0, 900);
		List<SurgeResult.Part> seconds = IntStream.rangeClosed(1, 20).mapToObj((second) -> {
			int due = (second <= 10) ? 300 : 3_000;
			int accepted = (second <= 2 || second > 18) ? 0 : due;
			return new SurgeResult.Part(second, second, new SurgeResult.Outcomes(due, accepted, due - accepted, 0, 0),
					(accepted > 0) ? timing : null, 1.4, 500L << 20);
		}).toList();
		List<SurgeResult.Part> parts = List.of(
				new SurgeResult.Part(1, 10, new SurgeResult.Outcomes(3_000, 2_400, 600, 0, 0), timing, 1.2, 500L << 20),
				new SurgeResult.Part(11, 20, new SurgeResult.Outcomes(30_000, 24_000, 6_000, 0, 0), timing, 1.4,
						500L << 20));
		return found("surge", new SurgeResult(List
			.of(new SurgeResult.Run("reactive", Mode.QUEUED, 1, 6_100, "it ended", timing, 0.02, parts, seconds))));
	}

	/** A stream and calls that wait, on a slow store. */
	public static RunResult sink() {
		List<SinkResult.Transfer> transfers = new ArrayList<>();
		for (SinkResult.Mode mode : List.of(SinkResult.Mode.STOP_AND_WAIT, SinkResult.Mode.STREAM)) {
			double seconds = (mode == SinkResult.Mode.STREAM) ? 2 : 20;
			transfers.add(new SinkResult.Transfer(SinkResult.Setting.STORAGE, mode, 1, 1, 6_000, 100_000_000,
					101_000_000, seconds, 1, 1));
		}
		return found("sink", new SinkResult(100, 154, transfers));
	}

	/** A run with nothing but that finding. */
	public static RunResult found(String experiment, Finding finding) {
		return run(experiment, null, finding, List.of());
	}

	/** An interrupted quick run: marks, cells and figures missing. */
	public static RunResult partial() {
		List<CellResult> cells = new ArrayList<>();
		Random random = new Random(7);
		for (String mode : List.of("sync", "queued")) {
			for (String variant : VARIANTS) {
				for (int orders : List.of(10, 100, 1000, 3000)) {
					Cell cell = new Cell(variant, mode, "starved", Load.inFlight(orders), 1);
					if (mode.equals("sync") ? orders < 3_000 : !variant.equals("reactive")) {
						cells.add(cell(cell, random));
					}
				}
			}
		}
		cells.set(2, bare(cells.get(2).cell(), "gave up after 60 s: 412 of 1,000 orders were saved"));
		return run("compare", "interrupted by the user", cells);
	}

	/** A run of the given cells. */
	public static RunResult run(String experiment, @Nullable String partial, List<CellResult> cells) {
		return run(experiment, partial, new CompareResult(cells, null, null, null), List.of());
	}

	/** A run of a finding and its checks. */
	public static RunResult run(String experiment, @Nullable String partial, Finding finding,
			List<RunResult.Check> checks) {
		return new RunResult(RunResult.SCHEMA, experiment, "./lab " + experiment + " --repetitions 3", START,
				START.plusSeconds(2460), partial,
				new Environment(2, 24L << 30, "AMD EPYC 7B13", "Linux 6.1", "25.0.1+8-LTS", "embedded",
						"3c74db3a9f0e4c1d8b7a6f5e4d3c2b1a0f9e8d7c", false),
				Map.of("compare.in-flight", "1000", "backend.delay", "50 ms", "delivery.concurrency", "100",
						"gateway heap", "512 MiB", "gateway collector", "G1"),
				finding, checks);
	}

	/** A cell with the figures that a rate needs, and no others. */
	public static CellResult rate(Cell cell, double perSecond) {
		return rate(cell, perSecond, 0.0);
	}

	/**
	 * Such a cell, during which other processes used a share of the machine's CPU; null
	 * if that is not known.
	 */
	public static CellResult rate(Cell cell, double perSecond, @Nullable Double foreign) {
		return new CellResult(cell, START,
				START.plusMillis((long) (1_000 * cell.load().size() / Math.max(perSecond, 0.01))), cell.load().size(),
				0, Map.of(), cell.load().size(), cell.load().size(), perSecond, perSecond, null, null, null, Map.of(),
				0L, 0, foreign, 0, null, null);
	}

	/** The same cell with the waits of its clients. */
	public static CellResult waiting(CellResult cell, @Nullable Wait accepted, @Nullable Wait saved) {
		return new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls(), cell.failedCalls(), cell.failures(),
				cell.accepted(), cell.saved(), cell.savedPerSecond(), cell.acceptedPerSecond(), cell.latency(),
				accepted, saved, cell.services(), cell.connectionsOpened(), cell.backendMaxInFlight(),
				cell.foreignCpuShare(), cell.startLagP99Millis(), cell.problem(), cell.utilisation());
	}

	/** A cell without figures. */
	public static CellResult bare(Cell cell, String problem) {
		return new CellResult(cell, START, START.plusSeconds(60), 2200, 1788,
				Map.of("HTTP 504", 1500L, "HTTP 503", 288L), 412, 412, 412 / 60.0, 412 / 60.0, null, null, null,
				Map.of("gateway", new ServiceCost(null, null, null, null, null, null)), 0L, 12, 0.27, null, problem,
				null);
	}

	private static CellResult cell(Cell cell, Random random) {
		boolean queued = cell.mode().equals("queued");
		boolean starved = cell.capacity().equals("starved");
		int index = VARIANTS.indexOf(cell.variant());
		double saturated = starved ? 283 - 8 * index : 1_033 + 67 * index;
		double perSecond = saturated * cell.load().size() / (cell.load().size() + (starved ? 12.0 : 45.0));
		if (!queued && starved && cell.load().size() > 50) {
			perSecond = perSecond * Math.pow(50.0 / cell.load().size(), 0.42 + 0.06 * index);
		}
		perSecond *= 0.93 + 0.14 * random.nextDouble();
		double p50 = queued ? 6 + index + cell.load().size() / 80.0
				: 52 + (starved ? cell.load().size() * 5.0 : cell.load().size() / 3.0) * (1 - 0.1 * index);
		Timing latency = new Timing(null, p50 * 1.2, p50, p50 * 1.8, p50 * (queued ? 4 : 2.3),
				p50 * (queued ? 11 : 2.9));
		long failed = (!queued && starved && cell.load().size() >= 1000) ? cell.load().size() / 5 : 0;
		Map<String, ServiceCost> services = (cell.load().size() < 50) ? Map.of()
				: Map.of("gateway",
						new ServiceCost((queued ? 0.9 : 1.3) - 0.12 * index, 3 + index, 21.0 + index, 9.4,
								cell.variant().equals("servlet-platform") ? 230 : 38 + index, 310L << 20),
						"consumer", new ServiceCost(queued ? 0.62 : 0.02, 1, 4.0, 4.0, 29, 280L << 20), "backend",
						new ServiceCost(0.31, 0, 0.0, 0.0, 44, 190L << 20));
		Instant start = START.plusSeconds(random.nextInt(2000));
		return new CellResult(cell, start, start.plusMillis((long) (cell.load().size() * 1_000 / perSecond)),
				cell.load().size() + failed, failed, (failed > 0) ? Map.of("HTTP 503", failed) : Map.of(),
				cell.load().size(), cell.load().size(), perSecond, perSecond * 1.1, latency,
				wait(cell, p50 * (queued ? 0.5 : 1)), wait(cell, p50 * 2), services,
				(long) Math.min(cell.load().size(), queued ? 100 : 1000),
				Math.min(cell.load().size(), starved ? 40 : 1000), (random.nextInt(60) == 0) ? 0.16 : 0.02, 3, null,
				null);
	}

	private static CellResult.Wait wait(Cell cell, double p50) {
		return new CellResult.Wait(cell.load().size(), 0, p50, (cell.load().size() > 200) ? p50 * 3 : null,
				(cell.load().size() >= 1_000) ? p50 * 5 : null);
	}

}
