package dev.sluice.lab.measure;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class ThreadStatesTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	@TempDir
	private Path directory;

	@Test
	void takesTheMeanOfTheSamplesInTheWindow() throws IOException {
		Path file = this.directory.resolve("gateway.prom.gz");
		try (Writer out = new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(file)),
				StandardCharsets.UTF_8)) {
			out.write(scrape(START, 200, 4, 10));
			out.write(scrape(START.plusSeconds(1), 200, 6, 30));
			out.write("# at %s no answer: java.net.http.HttpTimeoutException%n".formatted(START.plusSeconds(2)));
			out.write(scrape(START.plusSeconds(3), 200, 800, 800));
		}

		ThreadStates states = ThreadStates.read(file);

		assertThat(states.in(new Window(START, START.plusSeconds(3)))).containsOnly(entry("runnable", 5.0),
				entry("timed-waiting", 20.0));
		assertThat(states.in(new Window(START.plusMillis(100), START.plusMillis(900)))).isEmpty();
	}

	private static String scrape(Instant time, int status, int runnable, int waiting) {
		return """
				# at %s status %d
				# HELP jvm_threads_states_threads The current number of threads
				# TYPE jvm_threads_states_threads gauge
				jvm_threads_states_threads{state="runnable"} %d.0
				jvm_threads_states_threads{application="gateway",state="timed-waiting"} %d.0
				jvm_threads_live_threads 99.0
				""".formatted(time, status, runnable, waiting);
	}

}
