package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * No other test may start a process at the same time, because it would inherit the cores.
 */
class PinTests {

	@Test
	void readsTheKernelsList() {
		assertThat(Pin.cores("0-2,5,8-9")).containsExactly(0, 1, 2, 5, 8, 9);
		assertThat(Pin.cores("3")).containsExactly(3);
	}

	@Test
	void theGeneratorHasAQuarterAndAtLeastOne() {
		assertThat(Pin.of(List.of(0, 1))).isEqualTo(new Pin(List.of(1), List.of(0)));
		assertThat(Pin.of(IntStream.range(0, 9).boxed().toList()))
			.isEqualTo(new Pin(List.of(7, 8), List.of(0, 1, 2, 3, 4, 5, 6)));
	}

	@Test
	void refusesASingleCore() {
		assertThatIllegalArgumentException().isThrownBy(() -> Pin.of(List.of(0)))
			.withMessage("--pin needs two cores, one of them for the load generator; this process may use one");
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void whatIsStartedMeanwhileHasTheOthersCores() throws Exception {
		List<Integer> before = allowed();
		Pin pin = new Pin(before.subList(1, before.size()), before.subList(0, 1));

		try (Pin.Confinement _ = pin.confine()) {
			assertThat(allowed()).isEqualTo(pin.others());
			assertThat(allowed(pin.command().toArray(String[]::new))).isEqualTo(pin.generator());
		}

		assertThat(allowed()).isEqualTo(before);
	}

	/** The cores of a process that is started now. */
	private static List<Integer> allowed(String... before) throws IOException {
		List<String> command = new ArrayList<>(List.of(before));
		command.addAll(List.of("sed", "-n", "s/^Cpus_allowed_list:\\s*//p", "/proc/self/status"));
		Process process = new ProcessBuilder(command).start();
		return Pin.cores(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
	}

}
