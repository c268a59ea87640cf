package dev.sluice.lab.kit.result;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RunsTests {

	@Test
	void hasARunOfEveryKind() {
		assertThat(Runs.ofEveryKind()).extracting((run) -> (Object) run.finding().getClass())
			.as("kinds of Finding: add an invented run of a missing one to Runs.ofEveryKind(), in load-tests/src/test/java/dev/sluice/lab/kit/result/Runs.java")
			.containsAll(kinds(Finding.class).toList());
	}

	/** The records that a finding can be. */
	private static Stream<Class<?>> kinds(Class<?> type) {
		return type.isSealed() ? Stream.of(type.getPermittedSubclasses()).flatMap(RunsTests::kinds) : Stream.of(type);
	}

}
