package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;

/** Signals that Java cannot send, and when it cannot. A POSIX shell sends them. */
final class Signals {

	/**
	 * On a busy machine, a process runs on until one of its threads next gets the CPU.
	 * One that takes longer than two seconds waits for its disk and cannot be suspended.
	 */
	private static final String FREEZE = """
			kill -STOP $1
			tries=0
			while grep -q '^State:.[^TZ]' /proc/$1/status && [ $tries -lt 200 ]; do
			  sleep 0.01
			  tries=$((tries + 1))
			done
			""";

	private static final String UNFREEZE = "kill -CONT $1";

	/**
	 * A terminal sends signals to the whole process group: the reaper must survive them.
	 */
	private static final String REAP = """
			trap '' HUP INT QUIT TERM PIPE
			read -r _
			kill -TERM $1
			kill -CONT $1
			second=0
			while kill -0 $1; do
			  [ $second -lt 40 ] || kill -KILL $1
			  sleep 1
			  second=$((second + 1))
			done
			""";

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private Signals() {
	}

	/**
	 * Suspends a process that runs, which cannot catch it. The process is suspended when
	 * this method returns or, if there is no {@code /proc}, a moment later.
	 */
	static void freeze(ProcessHandle process) {
		send(FREEZE, process);
	}

	/** Resumes a process that runs. */
	static void unfreeze(ProcessHandle process) {
		send(UNFREEZE, process);
	}

	private static void send(String script, ProcessHandle process) {
		if (!process.isAlive()) {
			return;
		}
		Process shell = shell(script, process);
		// A frozen process must be unfrozen even if this thread is interrupted.
		if (!JavaProcess.awaitEnd(shell.onExit(), Patience.of(TIMEOUT))) {
			shell.destroyForcibly();
			throw new IllegalStateException("no shell sent a signal to process %s within %s s".formatted(process.pid(),
					Patience.of(TIMEOUT).toSeconds()));
		}
	}

	/**
	 * Ends a child process that outlives this JVM, whatever ended it, even
	 * {@code kill -9}. The reaper of a child is a shell of a few kilobytes. It waits
	 * until its standard input ends, with this JVM. It then sends SIGTERM to the child,
	 * unfreezes it, and sends SIGKILL 40 s later.
	 * <p>
	 * It does not help if the reaper itself is killed, or this JVM between the child's
	 * start and the reaper's.
	 */
	static void endWithThisJvm(Process process) {
		Process reaper = shell(REAP, process.toHandle());
		// Also keeps the shell's standard input open, as long as the process runs.
		process.onExit().thenRun(reaper::destroyForcibly);
	}

	private static Process shell(String script, ProcessHandle process) {
		try {
			return new ProcessBuilder("sh", "-c", script, "sluice-signal", Long.toString(process.pid()))
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to send signals to child processes", ex);
		}
	}

}
