package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import dev.sluice.devservices.DevServices;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Over a procfs of files. */
class ProcessSamplerTests {

	@TempDir
	private Path directory;

	private Path proc;

	@BeforeEach
	void procfs() throws IOException {
		this.proc = this.directory.resolve("proc");
		write("stat", "cpu 100 0 0 0 0 0 0 0\n");
	}

	@Test
	void addsUpDescendantsAndThoseThatHaveEnded() throws IOException {
		process(10, 1, 2, 30, 40, "11 12");
		process(11, 5, 0, 0, 0, "13");
		process(12, 6, 0, 0, 0, "");
		process(13, 7, 0, 1, 0, "");

		Sample sample = sample(10);
		assertThat(sample.cpuMillis()).isEqualTo((1 + 2 + 30 + 40 + 5 + 6 + 7 + 1) * 10);
		assertThat(sample.rssBytes()).isEqualTo(4 * 100 * 1024);
		assertThat(sample.threads()).isEqualTo(4);
	}

	@Test
	void countsAProcessOfAnotherNameThereOnly() throws IOException {
		process(10, 1, 0, 0, 0, "11");
		process(11, 5, 0, 0, 0, "");

		List<Sample> samples = samples(Map.of("parent", List.of(10L), "child", List.of(11L)), (all) -> all.size() >= 2);

		assertThat(samples).filteredOn((sample) -> sample.process().equals("parent"))
			.first()
			.extracting(Sample::cpuMillis)
			.isEqualTo(10L);
	}

	@Test
	void countsTheLabWithoutWhatItStarted() throws IOException {
		int lab = Math.toIntExact(ProcessHandle.current().pid());
		process(lab, 1, 2, 30, 40, "11");
		process(11, 500, 0, 0, 0, "");

		assertThat(sample(lab).cpuMillis()).isEqualTo(30);
	}

	/** Idle time and the wait for I/O are not part of it. */
	@Test
	void theMachinesTimeIsWhatItsCoresWorked() throws IOException {
		write("stat", "cpu 1 20 300 4000 50000 600000 7000000 80000000 9 9\n");
		process(10, 3, 0, 0, 0, "");

		try (ProcessSampler sampler = sampler(Map.of("group", List.of(10L)))) {
			await().until(() -> !of(sampler, Sample.OWN).isEmpty());

			assertThat(of(sampler, Sample.MACHINE).getFirst().cpuMillis()).isEqualTo(87_600_321 * 10L);
			assertThat(of(sampler, Sample.OWN).getFirst().cpuMillis()).isEqualTo(30);
		}
	}

	@Test
	void countsTheTimesOfTheThreadsAndWritesAFile() throws IOException {
		process(10, 1, 0, 0, 0, "");
		write("10/task/10/comm", "GC Thread#0\n");
		write("10/task/10/schedstat", "5000000 100000 1\n");

		Path file = this.directory.resolve("samples.csv");
		try (ProcessSampler sampler = new ProcessSampler(Map.of("gateway", List.of(10L)), file, this.proc)) {
			await().until(() -> !of(sampler, Sample.MACHINE).isEmpty());

			assertThat(of(sampler, "gateway").getFirst().jitMicros()).isZero();
		}
		assertThat(file).content()
			.startsWith("time,process,cpu_ms,rss_bytes,threads,jit_us\n")
			.contains(",gateway,10,102400,1,0\n")
			.contains(",machine,1000,,,\n");
	}

	@Test
	void aCounterDoesNotFallWhenAChildEndsBetweenTwoReads() throws IOException {
		process(10, 1, 0, 0, 0, "11");
		process(11, 50, 0, 0, 0, "");

		try (ProcessSampler sampler = sampler(Map.of("group", List.of(10L)))) {
			await().until(() -> !of(sampler, "group").isEmpty());
			process(10, 1, 0, 0, 0, "");
			int before = of(sampler, "group").size();
			await().until(() -> of(sampler, "group").size() > before + 1);

			assertThat(of(sampler, "group")).extracting(Sample::cpuMillis).containsOnly(510L);
		}
	}

	@Test
	void notesWhatFailsAndGoesOn() throws IOException {
		write("stat", "cpu a b c d e f g h\n");
		try (ProcessSampler sampler = sampler(Map.of())) {
			await().untilAsserted(() -> assertThat(this.directory.resolve("samples.csv")).content()
				.contains("failed: java.lang.NumberFormatException"));

			write("stat", "cpu 1 2 3 4 5 6 7 8\n");

			await().until(() -> !of(sampler, Sample.MACHINE).isEmpty());
		}
	}

	private Sample sample(long group) throws IOException {
		return samples(Map.of("group", List.of(group)), (all) -> !all.isEmpty()).getFirst();
	}

	private List<Sample> samples(Map<String, List<Long>> groups, Predicate<List<Sample>> until) throws IOException {
		try (ProcessSampler sampler = sampler(groups)) {
			await().until(() -> until.test(sampler.samples().samples()));
			return sampler.samples().samples();
		}
	}

	private static List<Sample> of(ProcessSampler sampler, String process) {
		return sampler.samples().samples().stream().filter((sample) -> sample.process().equals(process)).toList();
	}

	private ProcessSampler sampler(Map<String, List<Long>> groups) throws IOException {
		return new ProcessSampler(groups, this.directory.resolve("samples.csv"), this.proc);
	}

	private void process(int pid, long user, long system, long endedUser, long endedSystem, String children)
			throws IOException {
		write(pid + "/stat", "%s (a (name) of it) S 1 1 1 0 -1 0 0 0 0 0 %s %s %s %s 20 0 1 0 0\n".formatted(pid, user,
				system, endedUser, endedSystem));
		write(pid + "/status", "VmRSS:\t100 kB\n");
		write("%1$s/task/%1$s/children".formatted(pid), children);
	}

	private void write(String name, String text) throws IOException {
		Path file = this.proc.resolve(name).normalize();
		Files.createDirectories(file.getParent());
		Path whole = Files.writeString(this.directory.resolve("new"), text);
		Files.move(whole, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
	}

	@Test
	void aServerThatIsNotOfThisMachineHasNoGroup() {
		DevServices services = mock(DevServices.class, Answers.RETURNS_DEEP_STUBS);
		when(services.kafka().processes()).thenReturn(List.of(7L, 8L));
		when(services.postgres().processes()).thenReturn(List.of());

		assertThat(ProcessSampler.servers(services)).containsExactly(entry("kafka", List.of(7L, 8L)));
	}

}
