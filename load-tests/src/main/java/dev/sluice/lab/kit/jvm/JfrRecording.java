package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import dev.sluice.lab.kit.statistics.Window;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * A service's flight recording of garbage collection and allocation, made with the
 * settings in {@code sluice.jfc}.
 *
 * @param pauses stop-the-world pauses of the collector, by time; those of Serial lack
 * some 2 ms of 150 before and after the collection
 * @param heapUsed used heap in bytes by time: sampled, and around each collection
 * @param promotions growth of the old generation in each collection, in bytes, by time;
 * null for collectors other than G1, of which the recorder does not report it
 * @param allocated bytes allocated by all threads since the start, by time
 */
public record JfrRecording(List<Pause> pauses, NavigableMap<Instant, Long> heapUsed,
		@Nullable NavigableMap<Instant, Long> promotions, NavigableMap<Instant, Long> allocated) {

	/** The period of the allocation samples in {@code sluice.jfc}. */
	static final Duration ALLOCATION_INTERVAL = Duration.ofMillis(200);

	/**
	 * A pause.
	 *
	 * @param start when it began
	 * @param duration how long all threads stood still
	 */
	public record Pause(Instant start, Duration duration) {

		public double millis() {
			return duration().toNanos() / 1e6;
		}

	}

	/**
	 * Reads a recording.
	 * @throws IOException if it cannot be read or is not a recording
	 */
	public static JfrRecording read(Path file) throws IOException {
		Reader reader = new Reader();
		try (RecordingFile recording = new RecordingFile(file)) {
			while (recording.hasMoreEvents()) {
				reader.take(recording.readEvent());
			}
		}
		return reader.recording();
	}

	public List<Pause> pausesIn(Window window) {
		return this.pauses.stream().filter((pause) -> window.contains(pause.start())).toList();
	}

	/** The last value known at a time, in bytes. */
	public @Nullable Long heapUsedAt(Instant time) {
		Map.Entry<Instant, Long> entry = this.heapUsed.floorEntry(time);
		return (entry != null) ? entry.getValue() : null;
	}

	/** Bytes promoted in the window; null if they are not known. */
	public @Nullable Long promotedIn(Window window) {
		return (this.promotions != null) ? this.promotions.subMap(window.start(), window.end())
			.values()
			.stream()
			.mapToLong(Long::longValue)
			.sum() : null;
	}

	/**
	 * Bytes allocated in the window, from the last sample not after its start to the
	 * first not before its end; null if the window is shorter than two sampling intervals
	 * or lacks a sample on one side.
	 */
	public @Nullable Long allocatedIn(Window window) {
		Map.Entry<Instant, Long> before = this.allocated.floorEntry(window.start());
		Map.Entry<Instant, Long> after = this.allocated.ceilingEntry(window.end());
		if (before == null || after == null || window.length().compareTo(ALLOCATION_INTERVAL.multipliedBy(2)) < 0) {
			return null;
		}
		return after.getValue() - before.getValue();
	}

	private static final class Reader {

		private final List<Pause> pauses = new ArrayList<>();

		private final TreeMap<Instant, Long> heapUsed = new TreeMap<>();

		private final List<OldGeneration> oldGeneration = new ArrayList<>();

		private final List<ThreadAllocation> allocations = new ArrayList<>();

		void take(RecordedEvent event) {
			switch (event.getEventType().getName()) {
				case "jdk.GCPhasePause" -> this.pauses.add(new Pause(event.getStartTime(), event.getDuration()));
				case "jdk.GCHeapSummary" -> this.heapUsed.put(event.getStartTime(), event.getLong("heapUsed"));
				case "jdk.GCHeapMemoryUsage" -> this.heapUsed.put(event.getStartTime(), event.getLong("used"));
				case "jdk.G1HeapSummary" -> this.oldGeneration.add(new OldGeneration(event.getStartTime(),
						event.getLong("gcId"), event.getString("when"), event.getLong("oldGenUsedSize")));
				case "jdk.ThreadAllocationStatistics" -> {
					RecordedThread thread = event.getThread("thread");
					if (thread != null) {
						this.allocations.add(
								new ThreadAllocation(event.getStartTime(), thread.getId(), event.getLong("allocated")));
					}
				}
				default -> {
					// Recorded for other tools.
				}
			}
		}

		JfrRecording recording() {
			// The recorder writes events by thread and when they end, not by time.
			this.pauses.sort(Comparator.comparing(Pause::start));
			return new JfrRecording(List.copyOf(this.pauses), this.heapUsed,
					this.oldGeneration.isEmpty() ? null : promotions(), allocated());
		}

		private TreeMap<Instant, Long> promotions() {
			Map<Long, Long> before = new HashMap<>();
			TreeMap<Instant, Long> promotions = new TreeMap<>();
			this.oldGeneration.sort(Comparator.comparing(OldGeneration::time));
			for (OldGeneration old : this.oldGeneration) {
				if (old.when().startsWith("Before")) {
					before.put(old.collection(), old.used());
				}
				else if (before.containsKey(old.collection())) {
					// A collection that frees more than it promotes hides what it
					// promotes.
					long growth = Math.max(0, old.used() - before.get(old.collection()));
					promotions.merge(old.time(), growth, Long::sum);
				}
			}
			return promotions;
		}

		/** A thread that has ended keeps its last value, so that the sum never falls. */
		private TreeMap<Instant, Long> allocated() {
			Map<Long, Long> last = new HashMap<>();
			TreeMap<Instant, Long> allocated = new TreeMap<>();
			long sum = 0;
			this.allocations.sort(Comparator.comparing(ThreadAllocation::time));
			for (ThreadAllocation allocation : this.allocations) {
				long earlier = last.getOrDefault(allocation.thread(), 0L);
				long now = Math.max(earlier, allocation.bytes());
				last.put(allocation.thread(), now);
				sum += now - earlier;
				allocated.put(allocation.time(), sum);
			}
			return allocated;
		}

		private record OldGeneration(Instant time, long collection, String when, long used) {
		}

		private record ThreadAllocation(Instant time, long thread, long bytes) {
		}

	}

}
