package dev.sluice.lab;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fails if a new JVM is left after a test. For tests that do not run in parallel.
 * Docker's own processes are not JVMs.
 */
public final class NoProcessLeft implements BeforeEachCallback, AfterEachCallback {

	private Set<Long> before = Set.of();

	@Override
	public void beforeEach(ExtensionContext context) {
		this.before = children().keySet();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Map<Long, String> left = children();
		left.keySet().removeAll(this.before);
		assertThat(left).as("JVMs left running").isEmpty();
	}

	/** Command lines by process id. */
	private static Map<Long, String> children() {
		return ProcessHandle.current()
			.descendants()
			.filter((process) -> commandLine(process).contains(".jar"))
			.collect(Collectors.toMap(ProcessHandle::pid, NoProcessLeft::commandLine));
	}

	private static String commandLine(ProcessHandle process) {
		return process.info().commandLine().orElse("");
	}

}
