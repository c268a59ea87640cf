package dev.sluice.lab.kit.page;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReliabilityTests {

	private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

	@Test
	void aLoadThatWasSentLateOrDisturbedIsMarked() {
		assertThat(Reliability.marked(20, 0.1)).isFalse();
		assertThat(Reliability.marked(20.1, 0.1)).isTrue();
		assertThat(Reliability.marked(20, 0.11)).isTrue();
		assertThat(Reliability.marked(20, null)).isTrue();
	}

	@Test
	void aCellThatNothingDisturbedIsNotMarked() {
		assertThat(Reliability.of(cell(0.1, 50, null))).isEmpty();
		assertThat(Reliability.of(cell(0.0, 300, null))).isEmpty();
		assertThat(Reliability.of(cell(0.0, null, null))).isEmpty();
	}

	@Test
	void othersWorkALateGeneratorAndProblemsAreMarked() {
		assertThat(Reliability.of(cell(0.11, 5_000, "not all were saved"))).containsExactly("not all were saved",
				"other processes used 11 % of the machine's CPU",
				"the load generator began up to 5,000 ms late, which the latencies do not include");
		assertThat(Reliability.marked(cell(0.0, 301, null))).isTrue();
	}

	@Test
	void aCellOfWhichTheWorkOfOthersIsNotKnownIsMarked() {
		assertThat(Reliability.of(cell(null, 50, null))).singleElement().asString().contains("is not known");
		assertThat(Reliability.marked(cell(0.1, 50, null))).isFalse();
	}

	@Test
	void aMarkedFigureHasASign() {
		assertThat(Reliability.sign("12 ms", true)).isEqualTo("12 ms †");
		assertThat(Reliability.sign("12 ms", false)).isEqualTo("12 ms");
	}

	@Test
	void aCellOfJvmsThatStillCompileIsMarked() {
		assertThat(Reliability.of(compiling(0.10, Load.inFlight(10)))).isEmpty();
		assertThat(Reliability.of(compiling(0.12, Load.inFlight(10))))
			.containsExactly("the JVMs were not warm: their compilers used 12 % of the CPU");
		assertThat(Reliability.of(compiling(null, Load.inFlight(10)))).as("not known").isEmpty();
	}

	@Test
	void aBurstIsForServicesThatAreNew() {
		assertThat(Reliability.of(compiling(0.50, new Load(Load.Kind.BURST, 10)))).isEmpty();
	}

	/** The gateway has twice the CPU of the consumer, and PostgreSQL no compiler. */
	private static CellResult compiling(@Nullable Double share, Load load) {
		Double gateway = (share != null) ? share * 2 : null;
		return cell(load, 0.0, null, null,
				new Utilisation(0.9,
						Map.of("gateway", new ProcessUse(1.0, gateway), "consumer",
								new ProcessUse(0.5, (share != null) ? 0.0 : null), "postgresql",
								new ProcessUse(0.5, (share != null) ? 0.0 : null), "kafka", new ProcessUse(null, null)),
						List.of(), null, null, null, null));
	}

	private static CellResult cell(@Nullable Double foreign, @Nullable Integer lag, @Nullable String problem) {
		return cell(Load.inFlight(10), foreign, lag, problem, null);
	}

	private static CellResult cell(Load load, @Nullable Double foreign, @Nullable Integer lag, @Nullable String problem,
			@Nullable Utilisation utilisation) {
		return new CellResult(new Cell("reactive", "sync", "unlimited", load, 1), START, START.plusSeconds(1), 10, 0,
				Map.of(), 10, 10, 10, 10, new Timing(null, 310, 300.0, 390.0, 400.0, 400), null, null, Map.of(), 0L, 0,
				foreign, lag, problem, utilisation);
	}

}
