package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.TimeUnit;

/** The signals that Java cannot send: by the shell's own {@code kill}. */
enum Signal {

	/** Cannot be caught: the process runs no further. */
	STOP,

	/** The process runs on. */
	CONT;

	private static final int TIMEOUT_SECONDS = 10;

	/** Sends it; a process that has ended is left alone. */
	void send(ProcessHandle process) {
		if (!process.isAlive()) {
			return;
		}
		try {
			Process shell = new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(this, process.pid()))
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
			if (!awaitEnd(shell)) {
				shell.destroyForcibly();
				throw new IllegalStateException("no shell sent SIG%s to process %d within %d s".formatted(this,
						process.pid(), TIMEOUT_SECONDS));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to send SIG%s".formatted(this), ex);
		}
	}

	/** Also of a thread that is interrupted: what is frozen must be thawed at the end. */
	private static boolean awaitEnd(Process shell) {
		boolean interrupted = false;
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
		try {
			while (true) {
				try {
					return shell.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException _) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
