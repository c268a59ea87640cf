package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.kit.process.Procfs.ThreadTimes;
import dev.sluice.sink.Script;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ThreadTimesTests {

	@TempDir
	private Path proc;

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void scenarios(String what, String steps) {
		ThreadTimes times = new ThreadTimes(new Procfs(this.proc));

		new Script()
			.word("thread",
					(words) -> thread(words.get(0), Long.parseLong(words.get(1)),
							String.join(" ", words.subList(2, words.size()))))
			.word("unaccounted", (id) -> Files.createDirectories(task(id.getFirst())))
			.word("ended", (id) -> Files.delete(task(id.getFirst()).resolve("schedstat")))
			.shown("compiled", () -> List.of(String.valueOf(times.jitMicros(List.of(10L, 20L)))))
			.play(steps);
	}

	/** A thread has its process and number, the nanoseconds it ran, and its name. */
	static Stream<Arguments> scenarios() {
		return Script.scenarios("""
				adds up what threads did since the first look
				  thread 10/10 5000000 java; thread 10/11 7000000 C2 CompilerThre
				  thread 10/12 9000000 GC Thread#0; thread 20/20 1000000 postgres
				  compiled 0
				  thread 10/10 6000000 java; thread 10/11 7500000 C2 CompilerThre
				  thread 10/12 9200000 GC Thread#0; thread 20/20 1500000 postgres
				  compiled 500
				a thread that began in between counts whole
				  thread 10/10 0 java; compiled 0; thread 10/13 3000000 C1 CompilerThre; compiled 3000
				a thread may get its name after it began
				  thread 10/10 0 java; compiled 0; thread 10/13 1000000 java; compiled 0
				  thread 10/13 4000000 C2 CompilerThre; compiled 4000
				a sum does not fall when a thread ends or its number goes to another
				  thread 10/10 0 java; thread 10/11 1000000 GC Thread#0; compiled 0
				  thread 10/11 5000000 GC Thread#0; compiled 0
				  thread 10/11 2000000 C2 CompilerThre; compiled 2000
				  ended 10/11; compiled 2000
				is not known without the kernel's account
				  compiled null; unaccounted 10/10; compiled null
				""");
	}

	private void thread(String id, long runNanos, String name) throws IOException {
		Path task = Files.createDirectories(task(id));
		Files.writeString(task.resolve("comm"), name + "\n");
		Files.writeString(task.resolve("schedstat"), "%s %s 1\n".formatted(runNanos, runNanos / 50));
	}

	private Path task(String id) {
		return this.proc.resolve(id.replace("/", "/task/"));
	}

}
