package dev.sluice.lab.chaos.faults;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Tag("full")
class CommandFaultTests {

	private static final Duration NEVER = Duration.ofMinutes(10);

	@TempDir
	private Path directory;

	@Test
	void runsBeginAndThenEnd() throws Exception {
		fault(command("echo began >> %s", "what"), Duration.ZERO, command("echo ended >> %s", "what")).run();

		assertThat(path("what")).hasContent("began\nended");
	}

	@Test
	void healsByItselfWithoutEnd() throws Exception {
		fault(command("touch %s", "began"), Duration.ZERO, null).run();

		assertThat(path("began")).exists();
	}

	@Test
	void tellsTheExitCodeAndTheLastLinesOfACommandThatFails() {
		CommandFault fault = fault("for i in 1 2 3 4 5 6; do echo $i; done; echo no such pod >&2; exit 7", NEVER,
				command("touch %s", "ended"));

		assertThatExceptionOfType(LabException.class).isThrownBy(fault::run)
			.withMessageStartingWith("begin ended with exit code 7: for i in")
			.withMessageEndingWith("; its last lines: 3 | 4 | 5 | 6 | no such pod");
		assertThat(path("ended")).exists();
		assertThat(path("fault-1-begin.log")).content().endsWith("6\nno such pod\n");
	}

	@Test
	void tellsAnEndThatFailsTooAndOneThatFailsAlone() {
		assertThatExceptionOfType(LabException.class).isThrownBy(fault("exit 1", NEVER, "exit 2")::run)
			.withMessage("begin ended with exit code 1: exit 1, and printed nothing;"
					+ " end ended with exit code 2: exit 2, and printed nothing");
		assertThatExceptionOfType(LabException.class).isThrownBy(fault("exit 0", Duration.ZERO, "exit 2")::run)
			.withMessageStartingWith("end ended with exit code 2");
	}

	@Test
	void killsACommandThatHangsWithItsChildrenAndRunsEnd() throws Exception {
		CommandFault fault = new CommandFault(new Target.Fault(command("sleep 600 & echo $$ $! > %s; wait", "pids"),
				NEVER, command("touch %s", "ended")), this.directory, 1, Duration.ofSeconds(3));

		assertThatExceptionOfType(LabException.class).isThrownBy(fault::run)
			.withMessageStartingWith("begin was killed, as it had not ended after 3.0 s: sleep 600");
		assertThat(path("ended")).exists();
		String[] pids = Files.readString(path("pids")).strip().split(" ");
		assertThat(pids).hasSize(2);
		for (String pid : pids) {
			await().until(() -> ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isEmpty());
		}
	}

	@Test
	void runsEndWhenTheRunIsStopped() {
		CommandFault fault = fault(command("touch %s", "began"), NEVER, command("sleep 0.2; touch %s", "ended"));

		try (FaultInjector injector = inject(fault)) {
			await().until(() -> Files.exists(path("began")));
			assertThat(injector.isWell()).isTrue();
		}

		assertThat(path("ended")).exists();
	}

	@Test
	void tellsAnEndThatFailsWhenTheRunIsStopped() {
		FaultInjector injector = inject(fault(command("touch %s", "began"), NEVER, "echo still down; exit 3"));
		try (injector) {
			await().until(() -> Files.exists(path("began")));
		}

		assertThat(injector.failure()).startsWith("consumer did not get over fault 1 (command): end ended with")
			.endsWith("its last lines: still down");
	}

	@Test
	void aCommandOutlivesTheTerminalsInterrupt() throws Exception {
		fault(command("kill -INT $$; touch %s", "began"), Duration.ZERO, null).run();

		assertThat(path("began")).exists();
	}

	private FaultInjector inject(CommandFault fault) {
		Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()), false, Instant.now());
		return new FaultInjector(List.of(new FaultInjector.Fault(1, "consumer", "command", "consumer", 0, fault)),
				System.nanoTime(), 0, progress);
	}

	private CommandFault fault(String begin, Duration lasts, @Nullable String end) {
		return new CommandFault(new Target.Fault(begin, lasts, end), this.directory, 1, Duration.ofMinutes(1));
	}

	private String command(String command, String file) {
		return command.formatted(path(file));
	}

	private Path path(String file) {
		return this.directory.resolve(file);
	}

}
