package dev.sluice.lab;

import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fails a test after which a JVM runs that did not run before it. What earlier tests
 * share, an embedded PostgreSQL say, is theirs; Docker's own processes are no JVMs.
 */
public final class NoProcessLeft implements BeforeEachCallback, AfterEachCallback {

	private static final Namespace NAMESPACE = Namespace.create(NoProcessLeft.class);

	@Override
	public void beforeEach(ExtensionContext context) {
		context.getStore(NAMESPACE).put("before", children());
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Map<?, ?> before = context.getStore(NAMESPACE).get("before", Map.class);
		Map<Long, String> left = children();
		left.keySet().removeAll(before.keySet());
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
