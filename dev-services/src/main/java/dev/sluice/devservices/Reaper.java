package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;

/**
 * Ends a child process that outlives this JVM, whatever ended it, even {@code kill -9}.
 * The reaper of a child is a shell of a few kilobytes. It waits until its standard input
 * ends, with this JVM. It then sends SIGTERM to the child, unfreezes it, and sends
 * SIGKILL 40 s later.
 * <p>
 * It does not help if the reaper itself is killed, or this JVM between the child's start
 * and the reaper's.
 */
final class Reaper {

	/**
	 * A terminal sends signals to the whole process group: the reaper must survive them.
	 */
	private static final String SCRIPT = """
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

	private Reaper() {
	}

	/** Ends the process after this JVM has ended, unless it ends before. */
	static void watch(Process process) {
		try {
			Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sluice-reaper", Long.toString(process.pid()))
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
			// Also keeps the shell's standard input open, as long as the process runs.
			process.onExit().thenRun(shell::destroyForcibly);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to watch over child processes", ex);
		}
	}

}
