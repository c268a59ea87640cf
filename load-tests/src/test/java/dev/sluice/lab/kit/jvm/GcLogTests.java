package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import dev.sluice.lab.kit.jvm.GcLog.LoggedPause;
import dev.sluice.lab.kit.jvm.JfrRecording.Pause;
import dev.sluice.lab.kit.statistics.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.entry;

/**
 * Reads the logs and recordings of JVMs that were made to collect under each collector.
 */
class GcLogTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "Serial", "Parallel", "G1", "Z" })
	void agreesWithTheRecordingOfTheSameJvm(String collector) throws Exception {
		GcCheck check = GcCheck.of(JfrRecording.read(known(collector + ".jfr")),
				GcLog.read(known(collector + "-gc.log")));

		assertThat(check.recorded()).isEqualTo(check.logged()).isPositive();
		assertThat(check.holds()).as(check.toString()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "Serial, true", "Parallel, true", "G1, false", "Z, false" })
	void tellsPromotionsOfCollectorsThatLogTheirOldGeneration(String collector, boolean expected) throws Exception {
		GcLog log = GcLog.read(known(collector + "-gc.log"));

		assertThat(log.logsPromotions()).isEqualTo(expected);
		assertThat(log.promotions().values().stream().mapToLong(Long::longValue).sum() > 0).isEqualTo(expected);
	}

	@Test
	void completesARecordingThatDoesNotTellPromotions() throws Exception {
		GcLog log = GcLog.read(known("Serial-gc.log"));
		JfrRecording recording = JfrRecording.read(known("Serial.jfr"));
		Window whole = new Window(recording.start(), recording.end());

		assertThat(recording.promotedIn(whole)).isNull();
		assertThat(recording.completedBy(log).promotedIn(whole)).isPositive();
	}

	@Test
	void doesNotHoldAgainstALogThatLacksAPause() throws Exception {
		List<String> lines = Files.readAllLines(known("Serial-gc.log"));
		List<String> without = new ArrayList<>(lines);
		without.remove(lastPause(lines));

		GcCheck check = GcCheck.of(JfrRecording.read(known("Serial.jfr")),
				GcLog.read(Files.write(this.directory.resolve("gc.log"), without)));

		assertThat(check.logged()).isEqualTo(check.recorded() - 1);
		assertThat(check.holds()).isFalse();
	}

	@Test
	void doesNotHoldAgainstALogWithALongerPause() throws Exception {
		List<String> lines = new ArrayList<>(Files.readAllLines(known("Serial-gc.log")));
		int last = lastPause(lines);
		lines.set(last, lines.get(last).replaceFirst("[0-9.]+ms$", "99.000ms"));

		GcCheck check = GcCheck.of(JfrRecording.read(known("Serial.jfr")),
				GcLog.read(Files.write(this.directory.resolve("gc.log"), lines)));

		assertThat(check.logged()).isEqualTo(check.recorded());
		assertThat(check.holds()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "no line of a log", "[yesterday][gc] GC(0) Pause Young (Normal) 1M->1M(2M) 1.000ms",
			"[2020-01-01T00:00:00.000+0000][gc] GC(0) Pause Young (Normal) 1M->1M(2M) 1.000ms" })
	void refusesADamagedLog(String line) throws Exception {
		List<String> lines = new ArrayList<>(Files.readAllLines(known("G1-gc.log")));
		lines.set(7, line);
		Path file = Files.write(this.directory.resolve("gc.log"), lines);

		assertThatIOException().isThrownBy(() -> GcLog.read(file)).withMessageContaining("line 8 ");
	}

	@Test
	void leavesOutWhatTheRecorderCouldNotSee() {
		Instant start = Instant.parse("2026-01-01T00:00:00Z");
		Duration millisecond = Duration.ofMillis(1);
		Pause seen = new Pause(start.plusSeconds(1), millisecond);
		JfrRecording recording = new JfrRecording(start, start.plusSeconds(2), List.of(seen), new TreeMap<>(),
				new TreeMap<>(), false, new TreeMap<>());
		List<LoggedPause> logged = Stream
			.of(new Pause(start.minusMillis(500), millisecond), seen, new Pause(start.plusMillis(2_500), millisecond))
			.map((pause) -> new LoggedPause(pause, pause.start()))
			.toList();
		GcLog log = new GcLog(logged, new TreeMap<>(), false);

		assertThat(GcCheck.of(recording, log)).isEqualTo(new GcCheck(1, 1, 1, 1));
	}

	@Test
	void leavesOutACollectionBesideTheThreadsThatEndedAfterTheRecorder() throws Exception {
		List<String> lines = List.of("[2026-01-01T00:00:00.000+0000][gc] Using The Z Garbage Collector",
				"[2026-01-01T00:00:01.000+0000][gc,phases] GC(0) y: Pause Mark Start 1.000ms",
				"[2026-01-01T00:00:01.500+0000][gc] GC(0) Minor Collection (Allocation Rate) 9M(9%)->8M(8%) 0.500s",
				"[2026-01-01T00:00:01.700+0000][gc,phases] GC(1) Y: Pause Mark Start (Major) 1.000ms",
				"[2026-01-01T00:00:02.500+0000][gc] GC(1) Major Collection (Allocation Rate) 9M(9%)->8M(8%) 0.800s",
				"[2026-01-01T00:00:02.700+0000][gc,phases] GC(2) y: Pause Mark Start 1.000ms",
				"[2026-01-01T00:00:02.900+0000][gc] GC(2) Minor Collection (Allocation Rate) Aborted");
		GcLog log = GcLog.read(Files.write(this.directory.resolve("gc.log"), lines));
		Instant start = Instant.parse("2026-01-01T00:00:00Z");
		Pause reported = new Pause(start.plusSeconds(1), Duration.ofMillis(1));
		JfrRecording recording = new JfrRecording(start, start.plusSeconds(2), List.of(reported), new TreeMap<>(),
				new TreeMap<>(), false, new TreeMap<>());

		assertThat(log.pauses()).hasSize(2);
		assertThat(GcCheck.of(recording, log)).isEqualTo(new GcCheck(1, 1, 1, 1));
	}

	@Test
	void aPromotionIsTheGrowthOfTheOldGenerationInBytes() throws Exception {
		List<String> lines = List.of("[2026-01-01T00:00:01.000+0000][gc,heap] GC(0) Tenured: 100K(1000K)->150K(1000K)",
				"[2026-01-01T00:00:02.000+0000][gc,heap] GC(1) ParOldGen: 150K(1000K)->120K(1000K)");

		GcLog log = GcLog.read(Files.write(this.directory.resolve("gc.log"), lines));

		assertThat(log.promotions()).containsExactly(entry(Instant.parse("2026-01-01T00:00:01Z"), 50 * 1024L),
				entry(Instant.parse("2026-01-01T00:00:02Z"), 0L));
	}

	@Test
	void tellsTheJvmWhereToLog() {
		assertThat(GcLog.jvmArg(Path.of("logs", "gc.log"))).startsWith("-Xlog:gc,gc+heap,gc+phases:file=")
			.contains("\"logs/gc.log\"");
	}

	private static int lastPause(List<String> lines) {
		int last = -1;
		for (int i = 0; i < lines.size(); i++) {
			last = lines.get(i).matches(".*\\[gc *] .*Pause .*ms") ? i : last;
		}
		return last;
	}

	private Path known(String name) throws IOException {
		Path file = this.directory.resolve(name);
		try (InputStream in = new GZIPInputStream(
				Objects.requireNonNull(GcLogTests.class.getResourceAsStream(name + ".gz"), name))) {
			Files.copy(in, file);
		}
		return file;
	}

}
