package dev.sluice.lab.proof.claim;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.result.ProofResult.Timeline;
import dev.sluice.lab.kit.stack.Module;
import org.jspecify.annotations.Nullable;

/** One claim, and how it is put to the test. */
public interface Proof {

	/** In commands and results: one word. */
	String name();

	String question();

	/** What it starts, to be made ready before. Default: the whole way of an order. */
	default Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
	}

	/**
	 * Puts it to the test.
	 * @param testBed nothing runs on it yet
	 * @throws dev.sluice.lab.kit.stack.LabException if it breaks off, which proves
	 * nothing
	 */
	Evidence run(TestBed testBed) throws IOException, InterruptedException;

	/**
	 * What was found.
	 *
	 * @param setting what was done, how much of it and with which seed: name to value
	 * @param checks what it must reach and what was measured
	 * @param timeline null if it tells nothing
	 */
	record Evidence(Map<String, String> setting, List<Check> checks, @Nullable Timeline timeline) {

		/** As a setting says it: {@code 201: 5, 409: 95}. */
		public static String told(Map<?, ? extends Number> counts) {
			return counts.entrySet()
				.stream()
				.map((count) -> "%s: %,d".formatted(count.getKey(), count.getValue().longValue()))
				.collect(Collectors.joining(", "));
		}

	}

}
