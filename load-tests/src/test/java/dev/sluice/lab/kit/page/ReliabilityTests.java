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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
	void aMarkedFigureHasASign() {
		assertThat(Reliability.sign("12 ms", true)).isEqualTo("12 ms †");
		assertThat(Reliability.sign("12 ms", false)).isEqualTo("12 ms");
	}

	/** Others' share of the CPU; milliseconds late; problem; load; compilers' share. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-",
			textBlock = """
					0.1  | 50   | -    | IN_FLIGHT | -    | -
					0.0  | 300  | -    | IN_FLIGHT | -    | -
					0.0  | -    | -    | IN_FLIGHT | -    | -
					0.0  | 301  | -    | IN_FLIGHT | -    | the load generator began up to 301 ms late, which the latencies do not include
					0.11 | 5000 | lost | IN_FLIGHT | -    | lost; other processes used 11 % of the machine's CPU; the load generator began up to 5,000 ms late, which the latencies do not include
					-    | 50   | -    | IN_FLIGHT | -    | what other processes used of the machine's CPU is not known
					0.0  | -    | -    | IN_FLIGHT | 0.10 | -
					0.0  | -    | -    | IN_FLIGHT | 0.12 | the JVMs were not warm: their compilers used 12 % of the CPU
					# services that are new
					0.0  | -    | -    | BURST     | 0.50 | -
					""")
	void whatDisturbedACellIsItsMark(@Nullable Double foreign, @Nullable Integer lag, @Nullable String problem,
			Load.Kind kind, @Nullable Double compiling, @Nullable String marks) {
		CellResult cell = new CellResult(new Cell("reactive", "sync", "unlimited", new Load(kind, 10), 1), START,
				START.plusSeconds(1), 10, 0, Map.of(), 10, 10, 10, 10, new Timing(null, 310, 300.0, 390.0, 400.0, 400),
				null, null, Map.of(), 0L, 0, foreign, lag, problem, compiling(compiling));

		assertThat(String.join("; ", Reliability.of(cell))).isEqualTo((marks != null) ? marks : "");
		assertThat(Reliability.marked(cell)).isEqualTo(marks != null);
	}

	/** The gateway has twice the CPU of the consumer, and PostgreSQL no compiler. */
	private static Utilisation compiling(@Nullable Double share) {
		ProcessUse none = new ProcessUse(0.5, (share != null) ? 0.0 : null);
		return new Utilisation(0.9, Map.of("gateway", new ProcessUse(1.0, (share != null) ? share * 2 : null),
				"consumer", none, "postgresql", none, "kafka", new ProcessUse(null, null)), List.of(), null, null, null,
				null);
	}

}
