package dev.sluice.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.DrainResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page of each experiment says. */
class PageTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private static final String NO_CELL = "No cell was measured";

	private static final RunResult UNLIKE = rates(
			Map.of("servlet-platform", (_) -> 1_000, "reactive", (i) -> 850 + 50 * i));

	@ParameterizedTest
	@MethodSource
	void says(RunResult run, String... words) {
		assertThat(page(run)).contains(words);
	}

	static Stream<Arguments> says() {
		return Stream.of(
				row(Runs.full(), "21 November 2026, 09:00:00 UTC", "AMD EPYC 7B13", "2 cores", "24 GiB", "3c74db3a9f0e",
						"./lab compare --repetitions 3", "delivery.concurrency", "41 min"),
				row(Runs.partial(), "Partial: interrupted by the user",
						"1 of 24 are unreliable, marked † and hollow in charts: ", "6.87 †",
						"gave up after 60 s: 412 of 1,000 orders were saved",
						"other processes used 27 % of the machine&#39;s CPU", "HTTP 503: 288, HTTP 504: 1,500"),
				row(rates(Map.of("reactive", (_) -> 10_000)),
						"Every one of the 8,000 orders that were accepted was saved.",
						"No load was measured in both modes."),
				row(rates(Map.of("servlet-platform", (i) -> 1_000 + i % 2, "servlet-virtual", (i) -> 1_000 + i % 2,
						"reactive", (i) -> 2_000 + i % 2)),
						"reactive to servlet-platform</td><td class=\"words\">faster</td>",
						"servlet-virtual to servlet-platform</td><td class=\"words\">the same within 10 %</td>"),
				row(UNLIKE, "inconclusive: a difference of up to 25 % may hide"),
				row(run(new Bottleneck.Limit("consumer", "orders in delivery", 50, 0.96)),
						"The consumer was at its limit of 50 orders in delivery for 96 % of the time."),
				row(run(null), "Too little is known."),
				row(run(null, 0.16), "1 of 1 cells are unreliable", "their compilers used 16 % of the CPU"),
				row(Runs.causes(), "the reference&#39;s claim is refuted",
						"was lost by backend 3 threads, stopped for"),
				row(Runs.run("compare --causes", null, List.of()), NO_CELL),
				row(Runs.chaos(0),
						"Yes: 11,900 orders were accepted during 4 faults, 11,899 saved, 1 failed and reported as failed; 0 lost, 0 doubled.",
						"{\"lane\":\"broker\",\"name\":\"kill\",\"style\":0,\"from\":30.5,\"to\":37.2}"),
				row(Runs.chaos(2), "No: of 11,900 orders accepted during 4 faults, 2 were lost",
						"019a,lost,&lt;17&gt;"),
				row("chaos", new ChaosResult(null, List.of(), List.of(), List.of(), 0), "could be audited",
						"No order was placed"),
				row(Runs.client(), "async, 100/s: kept up, as in the reference: reproduced",
						"sync-over-async, 100/s: did not keep up, as in the reference: reproduced", "15,800",
						"sync-over-async, 100/s †"),
				row("client", failed(), "async, 100/s: did not keep up, as in the reference: NOT reproduced",
						"1,700 failed {no connection=1700}."),
				row("drain", new DrainResult(20_000, 100, 50, 12_000, 6.2, 1_950), "lab drain",
						"1,950 orders/s while 12,000 were delivered", "97.5 % of the 2,000/s"),
				row(Runs.grid(), "500 ms: 7.14 times as much as 14 blocked threads, 1 times as much as 200.",
						"<td class=\"figure\">7.14</td>", "A closed model", "[14.0,86.0]", "[100.0,0.0]"),
				row(Runs.run("grid", null, List.of()), NO_CELL),
				row(Runs.knee(), "reactive sync: 1,550 orders per second.", "p99 412 ms", "p99 of the answers",
						"reactive queued †: never met the goal.", "3 requests failed: HTTP 503"),
				row("knee", knees(12_800.0, 6_400.0), "6,400 orders per second.", ">12,800<"),
				row("knee", knees(null, 400.0), "no greater rate was missed twice"),
				row("knee", knees(1_500.0, 1_000.0, 1_400.0, 1_100.0),
						"reactive queued: 1,100 orders per second (1,000 to 1,400 in 3 searches)."),
				row(Runs.pool(),
						"New connections: 200 of 400 messages written, 100 given up, 100 still in flight; 300 connections opened.",
						"Kept connections: 400 of 400 messages written, 0 given up", "true percentile",
						"mean of these"),
				row("pool", new PoolResult(8, 100, 5, List.of()), "Nothing was sent."),
				row(Runs.scenario(), "Is it &lt;b&gt;fast&lt;/b&gt;?",
						"Limits: p99 at most 250 ms. Kept in 1 of 2 cells.", "p99 900 ms", "Backend mine, sync",
						"This run fails a check", "GC pauses agree: 7 and 8 pauses"),
				row("sink",
						new SinkResult(100, 154,
								List.of(transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 1, 20),
										transfer(Setting.STORAGE, Mode.STREAM, 1, 2),
										transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 2, 30),
										transfer(Setting.STORAGE, Mode.STREAM, 2, 2),
										transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 3, 20),
										transfer(Setting.STORAGE, Mode.STREAM, 3, 1))),
						"When the storage&#39;s latency binds, against stop and wait over 54 connections: stream 10 times."),
				row("sink",
						new SinkResult(100, 154,
								List.of(transfer(Setting.LOOPBACK, Mode.KAFKA, 1, 1),
										transfer(Setting.LOOPBACK, Mode.STREAM, 1, 4),
										transfer(Setting.LOOPBACK, Mode.STREAM_ZSTD, 1, 2),
										transfer(Setting.LOOPBACK, Mode.STREAM_SPOOL, 1, 5))),
						"When nothing but the machine binds, against Kafka&#39;s own producer: stream 25 %; stream, zstd 50 %; stream from the spool 20 %."));
	}

	@ParameterizedTest
	@MethodSource
	void leavesOutWhatIsNotItsOwn(RunResult run, String... words) {
		assertThat(page(run)).doesNotContain(words);
	}

	static Stream<Arguments> leavesOutWhatIsNotItsOwn() {
		return Stream.of(row(UNLIKE, "no difference<"), row(run(null, 0.04), "not warm"), row(Runs.chaos(0), NO_CELL),
				row(Runs.client(), NO_CELL, "closed model", ">async, 100/s †"), row(Runs.grid(), NO_CELL),
				row(Runs.sink(), "a thin link binds"));
	}

	@Test
	void chaosBeginsWithTheBalance() {
		String page = page(Runs.chaos(0));

		assertThat(page.indexOf("id=\"balance\"")).isLessThan(page.indexOf("id=\"timeline\""));
	}

	private static String page(RunResult run) {
		return Report.page(run).replaceAll("\\s*\\n\\s*", "");
	}

	private static Arguments row(RunResult run, String... words) {
		return Arguments.of(run, words);
	}

	private static Arguments row(String experiment, Finding finding, String... words) {
		return row(Runs.found(experiment, finding), words);
	}

	/** Eight repetitions of a load, with the rates of these variants. */
	private static RunResult rates(Map<String, IntToDoubleFunction> variants) {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= 8; repetition++) {
			for (Map.Entry<String, IntToDoubleFunction> each : variants.entrySet()) {
				cells.add(Runs.rate(new Cell(each.getKey(), "sync", "unlimited", Load.inFlight(1_000), repetition),
						each.getValue().applyAsDouble(repetition)));
			}
		}
		return Runs.run("compare", null, cells);
	}

	/** Nothing is outstanding, and few requests were answered: the target ended early. */
	private static ClientResult failed() {
		ClientResult.Run run = ((ClientResult) Runs.client().finding()).runs().getFirst();
		return new ClientResult(List.of(new ClientResult.Run(run.name(), run.mode(), null, run.target(), 100, 18_000,
				new ClientResult.Tally(1_800, 1_800, 0, 100, 0, Map.of("no connection", 1_700L)), run.latency(),
				run.lag(), 0.2, 0.01, run.seconds(), run.reference())));
	}

	/** A search for each rate that held. */
	private static KneeResult knees(@Nullable Double failed, double... held) {
		return new KneeResult("goal", "backend",
				Arrays.stream(held)
					.mapToObj((rate) -> new Knee("reactive", "queued", rate, failed, List.of(), 95_000))
					.toList());
	}

	private static Transfer transfer(Setting setting, Mode mode, int repetition, double seconds) {
		return new Transfer(setting, mode, repetition, 1, 6_000, 100_000_000, 101_000_000, seconds, 1, 1);
	}

	@Test
	void theBottleneckOfMostCellsComesFirstAndLimitsOfOtherSizesAreOthers() {
		String text = Report.text(Runs.run("compare", null,
				List.of(cell(1, new Bottleneck.Generator(80), null, 0), cell(2, limit(7), null, 0),
						cell(3, limit(8), null, 0), cell(4, limit(7), null, 0), cell(5, null, null, 0))));

		assertThat(text).containsSubsequence(
				"Bottleneck of 2 of 5 cells, first in reactive queued, backend unlimited, 1,000 in flight, repetition 2: The gateway was at its limit of 7 calls",
				"Bottleneck of 1 of 5 cells: ", "Bottleneck of 1 of 5 cells: ");
	}

	/** What others left of the machine is not the system's bottleneck. */
	@Test
	void anUnreliableCellHasNone() {
		assertThat(Report.text(Runs.run("compare", null,
				List.of(cell(1, limit(7), null, 0.5), cell(2, null, null, 0), cell(3, null, null, 0)))))
			.doesNotContain("Bottleneck of");
	}

	private static Bottleneck limit(double size) {
		return new Bottleneck.Limit("gateway", "calls", size, 0.5);
	}

	@Test
	void isTheSameFromTheFile(@TempDir Path directory) throws Exception {
		for (Bottleneck bottleneck : List.of(new Bottleneck.Cpu(0.97, "kafka", 0.3),
				new Bottleneck.Limit("gateway", "calls", 7, 0.5), new Bottleneck.BackendLatency(100, 50),
				new Bottleneck.Generator(300), new Bottleneck.InFlight(10, 3, 0.4))) {
			RunResult run = run(bottleneck);

			assertThat(RunFile.read(RunFile.write(run, directory))).isEqualTo(run);
		}
	}

	@Test
	void readsTheMemberByItsFormerName(@TempDir Path directory) throws Exception {
		RunResult run = run(new Bottleneck.Generator(300));
		Path file = RunFile.write(run, directory);
		String former = Files.readString(file).replace("\"bottleneck\"", "\"bound\"");
		Files.writeString(file, former);

		assertThat(former).contains("\"bound\"");
		assertThat(RunFile.read(file)).isEqualTo(run);
	}

	private static RunResult run(@Nullable Bottleneck bottleneck) {
		return run(bottleneck, null);
	}

	private static RunResult run(@Nullable Bottleneck bottleneck, @Nullable Double jitShare) {
		return Runs.run("compare", null, List.of(cell(1, bottleneck, jitShare, 0)));
	}

	private static CellResult cell(int repetition, @Nullable Bottleneck bottleneck, @Nullable Double jitShare,
			double foreign) {
		Utilisation utilisation = new Utilisation(0.6, Map.of("consumer", new ProcessUse(0.4, jitShare)),
				List.of(new LimitUse("consumer", "orders in delivery", 50, 48, 0.96)), 50.2, 48.0, 996.0, bottleneck);
		return new CellResult(new Cell("reactive", "queued", "unlimited", Load.inFlight(1_000), repetition), START,
				START.plusSeconds(1), 1_000, 0, Map.of(), 1_000, 1_000, 1_000, 1_000, null, null, null, Map.of(), 0L,
				50, foreign, 0, null, utilisation);
	}

}
