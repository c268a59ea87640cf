package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends child processes that outlive this JVM, whatever ended it, even {@code kill -9}.
 * The reaper is a shell process of a few kilobytes. It reads the ids of the children from
 * its standard input, which ends with this JVM. It then sends SIGTERM to the children
 * left, unfreezes frozen ones, and sends SIGKILL 40 s later. There is one per JVM,
 * started with the first child.
 * <p>
 * It does not help if the reaper itself is killed, or this JVM between a child's start
 * and its registration.
 */
final class Reaper {

	private static final Logger logger = LoggerFactory.getLogger(Reaper.class);

	/**
	 * A terminal sends signals to the whole process group: the reaper must survive them.
	 */
	private static final String SCRIPT = """
			trap '' HUP INT QUIT TERM PIPE
			pids=' '
			while read -r change pid; do
			  case $change in
			    +) pids="$pids$pid " ;;
			    -) pids="${pids%% $pid *} ${pids#* $pid }" ;;
			  esac
			done
			for pid in $pids; do kill -TERM $pid; kill -CONT $pid; done
			second=0
			while [ $second -lt 40 ]; do
			  left=''
			  for pid in $pids; do kill -0 $pid && left="$left $pid"; done
			  [ -n "$left" ] || exit 0
			  sleep 1
			  second=$((second + 1))
			done
			for pid in $left; do kill -KILL $pid; done
			""";

	private static final Reaper instance = new Reaper();

	private final Writer changes;

	private Reaper() {
		try {
			Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sluice-reaper").redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start();
			this.changes = shell.outputWriter(StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("no shell 'sh' to watch over child processes", ex);
		}
	}

	/** Ends the process after this JVM has ended, unless it ends before. */
	static void watch(Process process) {
		instance.report('+', process.pid());
		process.onExit().thenRun(() -> instance.report('-', process.pid()));
	}

	private synchronized void report(char change, long pid) {
		try {
			this.changes.write("%c %s\n".formatted(change, pid));
			this.changes.flush();
		}
		catch (IOException ex) {
			logger.warn("The reaper is gone: process {} is left behind if this JVM is killed", pid, ex);
		}
	}

}
