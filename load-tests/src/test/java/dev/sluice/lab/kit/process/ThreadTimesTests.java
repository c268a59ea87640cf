package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.kit.process.Procfs.ThreadTimes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ThreadTimesTests {

	private static final List<Long> PIDS = List.of(10L, 20L);

	@TempDir
	private Path proc;

	private ThreadTimes times;

	@BeforeEach
	void procfs() {
		this.times = new ThreadTimes(new Procfs(this.proc));
	}

	@Test
	void addsUpWhatThreadsDidSinceTheFirstLook() throws IOException {
		thread(10, 10, "java", 5_000_000, 100_000);
		thread(10, 11, "C2 CompilerThre", 7_000_000, 200_000);
		thread(10, 12, "GC Thread#0", 9_000_000, 300_000);
		thread(20, 20, "postgres", 1_000_000, 0);
		assertThat(this.times.jitMicros(PIDS)).isEqualTo(0);

		thread(10, 10, "java", 6_000_000, 100_000);
		thread(10, 11, "C2 CompilerThre", 7_500_000, 201_000);
		thread(10, 12, "GC Thread#0", 9_200_000, 302_000);
		thread(20, 20, "postgres", 1_000_000, 5_000);

		assertThat(this.times.jitMicros(PIDS)).isEqualTo(500);
	}

	@Test
	void aThreadThatBeganInBetweenCountsWhole() throws IOException {
		thread(10, 10, "java", 0, 0);
		this.times.jitMicros(PIDS);

		thread(10, 13, "C1 CompilerThre", 3_000_000, 1_000);

		assertThat(this.times.jitMicros(PIDS)).isEqualTo(3_000);
	}

	@Test
	void aThreadMayGetItsNameAfterItBegan() throws IOException {
		thread(10, 10, "java", 0, 0);
		this.times.jitMicros(PIDS);
		thread(10, 13, "java", 1_000_000, 0);
		this.times.jitMicros(PIDS);
		thread(10, 13, "C2 CompilerThre", 4_000_000, 0);

		assertThat(this.times.jitMicros(PIDS)).isEqualTo(3_000);
	}

	@Test
	void aSumDoesNotFallWhenAThreadEndsOrItsNumberGoesToAnother() throws IOException {
		thread(10, 10, "java", 0, 0);
		thread(10, 11, "GC Thread#0", 1_000_000, 1_000);
		this.times.jitMicros(PIDS);
		thread(10, 11, "GC Thread#0", 5_000_000, 2_000);
		this.times.jitMicros(PIDS);

		thread(10, 11, "C2 CompilerThre", 2_000_000, 500_000);
		assertThat(this.times.jitMicros(PIDS)).isEqualTo(2_000);

		Files.delete(this.proc.resolve("10/task/11/schedstat"));
		assertThat(this.times.jitMicros(PIDS)).isEqualTo(2_000);
	}

	@Test
	void isNotKnownWithoutTheKernelsAccount() throws IOException {
		assertThat(this.times.jitMicros(PIDS)).isNull();

		Files.createDirectories(this.proc.resolve("10/task/10"));
		assertThat(this.times.jitMicros(PIDS)).isNull();
	}

	private void thread(int pid, int id, String name, long runNanos, long waitNanos) throws IOException {
		Path task = Files.createDirectories(this.proc.resolve("%s/task/%s".formatted(pid, id)));
		Files.writeString(task.resolve("comm"), name + "\n");
		Files.writeString(task.resolve("schedstat"), "%s %s 1\n".formatted(runNanos, waitNanos));
	}

}
