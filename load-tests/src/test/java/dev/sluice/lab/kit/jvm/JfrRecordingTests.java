package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

import dev.sluice.lab.kit.jvm.JfrRecording.Pause;
import dev.sluice.lab.kit.statistics.Window;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class JfrRecordingTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	@TempDir
	private Path directory;

	/** Recordings of JVMs that were made to collect. */
	@ParameterizedTest
	@ValueSource(strings = { "Serial", "Parallel", "G1", "Z" })
	void readsThePausesOfEachCollector(String collector) throws Exception {
		Path file = this.directory.resolve("known.jfr");
		try (InputStream in = new GZIPInputStream(
				Objects.requireNonNull(JfrRecordingTests.class.getResourceAsStream(collector + ".jfr.gz")))) {
			Files.copy(in, file);
		}

		JfrRecording recording = JfrRecording.read(file);

		assertThat(recording.pauses()).isNotEmpty();
		assertThat(recording.promotions() != null).as("promotions").isEqualTo(collector.equals("G1"));
	}

	@Test
	void readsWhatTheServicesSettingsRecord() throws Exception {
		Path file = this.directory.resolve("own.jfr");
		Instant before = Instant.now();
		List<byte[]> kept = new ArrayList<>();
		try (Reader settings = new InputStreamReader(
				Objects.requireNonNull(JfrRecording.class.getResourceAsStream("sluice.jfc")), StandardCharsets.UTF_8);
				Recording recording = new Recording(Configuration.create(settings))) {
			recording.start();
			Instant enough = Instant.now().plus(JfrRecording.ALLOCATION_INTERVAL.multipliedBy(4));
			while (Instant.now().isBefore(enough)) {
				kept.add(new byte[100_000]);
				if (kept.size() > 100) {
					kept.clear();
				}
			}
			System.gc();
			recording.dump(file);
		}
		Window whole = new Window(before, Instant.now());

		JfrRecording recording = JfrRecording.read(file);

		assertThat(recording.pausesIn(whole)).isNotEmpty()
			.allSatisfy((pause) -> assertThat(pause.millis()).isPositive());
		assertThat(recording.heapUsedAt(whole.end())).isPositive();
		assertThat(recording.heapUsedAt(before.minusSeconds(60))).isNull();
		assertThat(RecordingFile.readAllEvents(file)).filteredOn((event) -> isOf(event, "jdk.GCHeapMemoryUsage"))
			.isNotEmpty()
			.allSatisfy((sample) -> assertThat(recording.heapUsed()).containsKey(sample.getStartTime()));
		assertThat(recording.allocated()).hasSizeGreaterThan(1);
		assertThat(recording.allocated().lastEntry().getValue())
			.isGreaterThan(recording.allocated().firstEntry().getValue());
	}

	@Test
	void refusesWhatIsNoRecording() throws IOException {
		Path file = Files.writeString(this.directory.resolve("no.jfr"), "this is no recording");

		assertThatIOException().isThrownBy(() -> JfrRecording.read(file));
	}

	@Test
	void takesAllocationFromTheSamplesAroundTheWindow() {
		TreeMap<Instant, Long> allocated = new TreeMap<>();
		for (int i = 0; i <= 10; i++) {
			allocated.put(START.plusMillis(i * 200L), i * 1_000L);
		}
		JfrRecording recording = new JfrRecording(List.of(), new TreeMap<>(), null, allocated);

		assertThat(recording.allocatedIn(window(450, 1_150))).isEqualTo(4_000);
		assertThat(recording.allocatedIn(window(400, 1_200))).isEqualTo(4_000);
		assertThat(recording.allocatedIn(window(450, 500))).as("shorter than two samples").isNull();
		assertThat(recording.allocatedIn(window(1_500, 2_100))).as("not sampled whole").isNull();
	}

	@Test
	void countsPausesAndPromotionsThatBeginInTheWindow() {
		List<Pause> pauses = List.of(new Pause(START, Duration.ofMillis(1)),
				new Pause(START.plusMillis(500), Duration.ofMillis(2)),
				new Pause(START.plusMillis(1_000), Duration.ofMillis(4)));
		TreeMap<Instant, Long> promotions = new TreeMap<>();
		promotions.put(START.plusMillis(500), 10L);
		promotions.put(START.plusMillis(1_000), 20L);
		JfrRecording recording = new JfrRecording(pauses, new TreeMap<>(), promotions, new TreeMap<>());

		assertThat(recording.pausesIn(window(0, 1_000))).extracting(Pause::millis).containsExactly(1.0, 2.0);
		assertThat(recording.promotedIn(window(0, 1_000))).isEqualTo(10);
		assertThat(new JfrRecording(pauses, new TreeMap<>(), null, new TreeMap<>()).promotedIn(window(0, 1_000)))
			.as("a collector without generations")
			.isNull();
	}

	private static Window window(long startMillis, long endMillis) {
		return new Window(START.plusMillis(startMillis), START.plusMillis(endMillis));
	}

	private static boolean isOf(RecordedEvent event, String type) {
		return event.getEventType().getName().equals(type);
	}

}
