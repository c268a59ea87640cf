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

/** A claim and its test. */
public interface Proof {

	/** Name in commands and results: one word. */
	String name();

	String question();

	/**
	 * The modules that it starts, prepared in advance. Default: all that an order passes
	 * through.
	 */
	default Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
	}

	/**
	 * Tests the claim.
	 * @param testBed test bed on which nothing runs yet
	 * @throws dev.sluice.lab.kit.stack.LabException if it breaks off, which proves
	 * nothing
	 */
	Evidence run(TestBed testBed) throws IOException, InterruptedException;

	/**
	 * The findings.
	 *
	 * @param setting the test's parameters and seed: name to value
	 * @param checks limits and measured values
	 * @param timeline the course of the test; null if it shows nothing
	 */
	record Evidence(Map<String, String> setting, List<Check> checks, @Nullable Timeline timeline) {

		/** Formats counts for a setting: {@code 201: 5, 409: 95}. */
		public static String describe(Map<?, ? extends Number> counts) {
			return counts.entrySet()
				.stream()
				.map((count) -> "%s: %,d".formatted(count.getKey(), count.getValue().longValue()))
				.collect(Collectors.joining(", "));
		}

	}

}
