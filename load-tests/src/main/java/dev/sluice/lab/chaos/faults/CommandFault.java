package dev.sluice.lab.chaos.faults;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.lab.chaos.faults.FaultInjector.Breakage;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.stack.LabException;

/**
 * Breaks a deployed system by the user's own commands. Once {@code begin} has been
 * started, {@code end} is run, whatever happens. A command is not interrupted, as it
 * could leave the system in an unknown state halfway. Instead it has a deadline, after
 * which it is killed with its children. Its output goes to a file.
 */
public final class CommandFault implements Breakage {

	/** Short enough that two commands end before a lab that was asked to stop. */
	public static final Duration DEADLINE = Duration.ofSeconds(60);

	/** Ctrl-C goes to all processes of the terminal; only the lab obeys it. */
	private static final String IGNORE_SIGNALS = "trap '' INT HUP\n";

	private static final int TAIL_BYTES = 2_000;

	private static final int TAIL_LINES = 5;

	private final Target.Fault fault;

	private final Path logs;

	private final int number;

	private final Duration deadline;

	/**
	 * @param logs directory for the output of the commands
	 * @param number number of the fault
	 * @param deadline time limit of each command
	 */
	public CommandFault(Target.Fault fault, Path logs, int number, Duration deadline) {
		this.fault = fault;
		this.logs = logs;
		this.number = number;
		this.deadline = deadline;
	}

	@Override
	public void run() throws InterruptedException {
		List<String> failures = new ArrayList<>();
		boolean interrupted = false;
		try {
			run("begin", this.fault.begin(), failures);
			if (failures.isEmpty()) {
				Thread.sleep(this.fault.lasts());
			}
		}
		catch (InterruptedException _) {
			interrupted = true;
		}
		finally {
			if (this.fault.end() != null) {
				run("end", this.fault.end(), failures);
			}
		}
		if (!failures.isEmpty()) {
			throw new LabException(String.join("; ", failures));
		}
		if (interrupted) {
			throw new InterruptedException();
		}
	}

	/** Runs a command, and adds the reason if it fails. */
	private void run(String step, String command, List<String> failures) {
		Path log = this.logs.resolve("fault-%d-%s.log".formatted(this.number, step));
		try {
			Process process = new ProcessBuilder("sh", "-c", IGNORE_SIGNALS + command)
				.redirectInput(Redirect.from(new File("/dev/null")))
				.redirectErrorStream(true)
				.redirectOutput(Redirect.to(log.toFile()))
				.start();
			// Not waitFor, which an interrupt would end.
			process.onExit().completeOnTimeout(process, this.deadline.toMillis(), TimeUnit.MILLISECONDS).join();
			if (process.isAlive()) {
				Stream.concat(process.descendants(), Stream.of(process.toHandle()))
					.toList()
					.forEach(ProcessHandle::destroyForcibly);
				failures.add("%s was killed, as it had not ended after %s s: %s%s".formatted(step,
						this.deadline.toMillis() / 1_000.0, command, tail(log)));
			}
			else if (process.exitValue() != 0) {
				failures
					.add("%s ended with exit code %d: %s%s".formatted(step, process.exitValue(), command, tail(log)));
			}
		}
		catch (IOException ex) {
			failures.add("%s could not be run: %s: %s".formatted(step, command, ex.getMessage()));
		}
	}

	private static String tail(Path file) throws IOException {
		try (var log = Files.newByteChannel(file)) {
			log.position(Math.max(0, log.size() - TAIL_BYTES));
			List<String> lines = new String(Channels.newInputStream(log).readNBytes(TAIL_BYTES), StandardCharsets.UTF_8)
				.lines()
				.toList();
			return lines.isEmpty() ? ", and printed nothing" : "; its last lines: "
					+ String.join(" | ", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
		}
	}

}
