package dev.sluice.lab.kit.jvm;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import dev.sluice.lab.kit.jvm.JfrRecording.Pause;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What events of the JVM come to. The test writes them, under the JVM's names. */
class JfrReaderTests {

	@TempDir
	private Path directory;

	private Path file = Path.of("unwritten");

	@Test
	void aPromotionIsTheGrowthOfTheOldGenerationInItsCollection() throws Exception {
		JfrRecording recording = read(() -> {
			old(1, "Before GC", 100).commit();
			old(1, "After GC", 150).commit();
			old(2, "Before GC", 150).commit();
			old(2, "After GC", 90).commit();
			old(3, "After GC", 500).commit();
		});

		assertThat(recording.promotions().values()).as("none of the third, of which the begin is not known")
			.containsExactly(50L, 0L);
	}

	@Test
	void withoutTheOldGenerationNoPromotionIsKnown() throws Exception {
		assertThat(read(() -> allocated(Thread.currentThread(), 1)).promotions()).isNull();
	}

	@Test
	void whatThreadsAllocatedIsTheSumAndNeverFalls() throws Exception {
		CountDownLatch recorded = new CountDownLatch(1);
		CompletableFuture<Thread> begun = new CompletableFuture<>();
		Thread other = Thread.ofPlatform().start(() -> {
			begun.complete(Thread.currentThread());
			try {
				recorded.await();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
		});
		begun.join();

		JfrRecording recording = read(() -> {
			allocated(Thread.currentThread(), 100);
			allocated(other, 50);
			allocated(Thread.currentThread(), 300);
			allocated(other, 20);
			allocated(other, 60);
			allocated(null, 1_000);
		});

		recorded.countDown();
		other.join();
		assertThat(recording.allocated().values()).containsExactly(100L, 150L, 350L, 350L, 360L);
	}

	/** The recorder writes an event when it ends, and those of a thread together. */
	@Test
	void eventsCountByTheirTimeInWhateverOrderTheyWereWritten() throws Exception {
		JfrRecording recording = read(() -> {
			OldGeneration before = old(1, "Before GC", 100);
			before.begin();
			OldGeneration after = old(1, "After GC", 150);
			after.begin();
			Allocation less = allocation(Thread.currentThread(), 100);
			less.begin();
			Allocation more = allocation(Thread.currentThread(), 300);
			more.begin();
			Phase first = new Phase();
			first.begin();
			first.end();
			Phase second = new Phase();
			second.begin();
			second.end();
			List.of(after, before, more, less, second, first).forEach(Event::commit);
		});

		assertThat(recording.promotions().values()).containsExactly(50L);
		assertThat(recording.allocated().values()).containsExactly(100L, 300L);
		assertThat(recording.pauses()).hasSize(2).isSortedAccordingTo(Comparator.comparing(Pause::start));
	}

	private JfrRecording read(Runnable events) throws Exception {
		this.file = this.directory.resolve("own.jfr");
		try (Recording own = new Recording()) {
			for (Class<? extends Event> type : List.of(OldGeneration.class, Allocation.class, Phase.class)) {
				own.enable(type);
			}
			own.start();
			events.run();
			own.dump(this.file);
		}
		return JfrRecording.read(this.file);
	}

	private static OldGeneration old(long collection, String when, long used) {
		OldGeneration event = new OldGeneration();
		event.gcId = collection;
		event.when = when;
		event.oldGenUsedSize = used;
		return event;
	}

	private static void allocated(@Nullable Thread thread, long bytes) {
		allocation(thread, bytes).commit();
	}

	private static Allocation allocation(@Nullable Thread thread, long bytes) {
		Allocation event = new Allocation();
		event.thread = thread;
		event.allocated = bytes;
		return event;
	}

	@Name("jdk.G1HeapSummary")
	@StackTrace(false)
	static final class OldGeneration extends Event {

		long gcId;

		String when = "";

		long oldGenUsedSize;

	}

	@Name("jdk.ThreadAllocationStatistics")
	@StackTrace(false)
	static final class Allocation extends Event {

		@Nullable Thread thread;

		long allocated;

	}

	@Name("jdk.GCPhasePause")
	@StackTrace(false)
	static final class Phase extends Event {

	}

}
