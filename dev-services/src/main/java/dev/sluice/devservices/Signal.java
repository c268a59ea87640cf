package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Signals that Java cannot send. The shell's {@code kill} sends them. */
enum Signal {

	/**
	 * Suspends the process and cannot be caught. The process is suspended when
	 * {@link #send} returns or, if there is no {@code /proc}, a moment later.
	 */
	STOP,

	/** Resumes the process. */
	CONT;

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	/**
	 * How long to wait for SIGSTOP to take effect. A process that takes longer waits for
	 * its disk and cannot be suspended.
	 */
	private static final Duration STOPPED_TIMEOUT = Duration.ofSeconds(2);

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Sends it, unless the process has ended. */
	void send(ProcessHandle process) {
		if (!process.isAlive()) {
			return;
		}
		try {
			Process shell = new ProcessBuilder("sh", "-c", "kill -%s %s".formatted(this, process.pid()))
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
			// A frozen process must be unfrozen even if this thread is interrupted.
			if (!JavaProcess.awaitEnd(shell.onExit(), Patience.of(TIMEOUT))) {
				shell.destroyForcibly();
				throw new IllegalStateException("no shell sent SIG%s to process %s within %s s".formatted(this,
						process.pid(), Patience.of(TIMEOUT).toSeconds()));
			}
			if (this == STOP) {
				awaitStopped(process);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to send SIG%s".formatted(this), ex);
		}
	}

	/**
	 * On a busy machine, a process runs on until one of its threads next gets the CPU.
	 */
	private static void awaitStopped(ProcessHandle process) {
		long deadline = System.nanoTime() + Patience.of(STOPPED_TIMEOUT).toNanos();
		while (runs(process) && System.nanoTime() - deadline < 0) {
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	private static boolean runs(ProcessHandle process) {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"),
					StandardCharsets.ISO_8859_1);
			// The state comes after the name, which is in brackets and may contain
			// brackets.
			char state = stat.charAt(stat.lastIndexOf(')') + 2);
			return state != 'T' && state != 'Z';
		}
		catch (IOException _) {
			// It has ended, or there is no /proc.
			return false;
		}
	}

}
