package dev.sluice.lab.kit.deployed;

import java.util.Map;

import dev.sluice.lab.kit.metrics.Exposition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SpentTests {

	@Test
	void addsUpTheProcessesOfAService() {
		Spent spent = spent("""
				process_start_time_seconds{pod="a"} 10
				process_start_time_seconds{pod="b"} 20
				process_cpu_time_ns_total{pod="a"} 1.0E9
				process_cpu_time_ns_total{pod="b"} 2.0E9
				""", """
				process_start_time_seconds{pod="a"} 10
				process_start_time_seconds{pod="b"} 20
				process_cpu_time_ns_total{pod="a"} 1.5E9
				process_cpu_time_ns_total{pod="b"} 3.0E9
				""");

		assertThat(spent.cpuSeconds("consumer")).isEqualTo(1.5);
		assertThat(spent.perOrder(1_000).get("consumer").cpuMillisPerOrder()).isEqualTo(1.5);
	}

	@Test
	void doesNotKnowWhatAProcessSpentThatWasStartedAnew() {
		Spent spent = spent("process_start_time_seconds 10\nprocess_cpu_time_ns_total 1.0E9\n",
				"process_start_time_seconds 20\nprocess_cpu_time_ns_total 5.0E9\n");

		assertThat(spent.cpuSeconds("consumer")).isNull();
		assertThat(spent.perOrder(1)).isEmpty();
	}

	@Test
	void doesNotKnowWhatNobodyTells() {
		Spent spent = spent("process_start_time_seconds 10\n", "process_start_time_seconds 10\n");

		assertThat(spent.cpuSeconds("consumer")).isNull();
		assertThat(spent.cpuSeconds("gateway")).isNull();
	}

	private static Spent spent(String before, String after) {
		return new Spent(Map.of("consumer", Exposition.parse(before, (_) -> true)),
				Map.of("consumer", Exposition.parse(after, (_) -> true)));
	}

}
