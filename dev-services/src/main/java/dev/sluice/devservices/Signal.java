package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;

/** Signals that Java cannot send. The shell's {@code kill} sends them. */
enum Signal {

	/**
	 * Suspends the process and cannot be caught. The process is suspended when
	 * {@link #send} returns or, if there is no {@code /proc}, a moment later.
	 */
	STOP,

	/** Resumes the process. */
	CONT;

	/**
	 * On a busy machine, a process runs on until one of its threads next gets the CPU.
	 * One that takes longer than two seconds waits for its disk and cannot be suspended.
	 */
	private static final String SCRIPT = """
			kill -$1 $2
			[ $1 = STOP ] || exit 0
			tries=0
			while grep -q '^State:.[^TZ]' /proc/$2/status && [ $tries -lt 200 ]; do
			  sleep 0.01
			  tries=$((tries + 1))
			done
			""";

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	/** Sends it, unless the process has ended. */
	void send(ProcessHandle process) {
		if (!process.isAlive()) {
			return;
		}
		try {
			Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sh", name(), Long.toString(process.pid()))
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
			// A frozen process must be unfrozen even if this thread is interrupted.
			if (!JavaProcess.awaitEnd(shell.onExit(), Patience.of(TIMEOUT))) {
				shell.destroyForcibly();
				throw new IllegalStateException("no shell sent SIG%s to process %s within %s s".formatted(this,
						process.pid(), Patience.of(TIMEOUT).toSeconds()));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to send SIG%s".formatted(this), ex);
		}
	}

}
