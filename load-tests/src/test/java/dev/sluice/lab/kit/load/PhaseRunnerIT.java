package dev.sluice.lab.kit.load;

import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.StubSystem;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Outcome;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Several phases in one load generator, against a gateway that refuses. */
@ExtendWith(NoProcessLeft.class)
class PhaseRunnerIT {

	@TempDir
	private Path directory;

	@Test
	void placesEachOrderUntilItIsTakenAndNotesTheCallsOfMeasuredPhases() throws Exception {
		try (StubSystem system = new StubSystem(2);
				HttpClient client = Http.client(Duration.ofSeconds(5));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			PhaseRunner runner = runner(system, client, generator, () -> {
			});
			Target sync = new Target(system.url(), Mode.SYNC);
			Target queued = new Target(system.url(), Mode.QUEUED);

			Outcome warmUp = runner.run(new Phase("warm-up", List.of(sync, queued), Extent.lasting(60_000),
					Client.of(8), BackendBehaviour.DEFAULT, 60_000, false, new Settling(200, 200, 400)));
			Outcome one = runner.run(phase("sync 30", sync, Extent.of(30)));
			Outcome two = runner.run(phase("queued", queued, Extent.of(40)));

			assertThat(warmUp.windows()).isNotEmpty();
			assertThat(OrderCalls.file(this.directory, "warm-up")).doesNotExist();
			assertThat(one.accepted()).isEqualTo(30).isEqualTo(one.audit().saved());
			assertThat(two.accepted()).isEqualTo(40).isEqualTo(two.audit().saved());
			OrderCalls calls = OrderCalls.read(OrderCalls.file(this.directory, "sync 30"));
			assertThat(calls.answered()).hasSize(30);
			assertThat(calls.failures()).containsOnlyKeys("HTTP 503", "HTTP 503 overloaded");
			assertThat(calls.calls()).hasSize(90).allMatch((call) -> call.ended() >= call.sent());
			assertThat(OrderTimes.read(OrderTimes.file(this.directory, "sync 30")).orders()).hasSize(30)
				.allMatch((times) -> times.accepted() > times.due());
			assertThat(this.directory.resolve("sync 30.json")).exists();
			assertThat(system.probes()).as("after each of two phases with failed calls").isGreaterThanOrEqualTo(40);
		}
	}

	@Test
	void endsAtItsBacklogAndAsksNothingOfASystemThatHasKeptUp() throws Exception {
		try (StubSystem system = new StubSystem(0);
				HttpClient client = Http.client(Duration.ofSeconds(5));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			system.hold();
			PhaseRunner runner = runner(system, client, generator, () -> {
				if (generator.progress().ended() && generator.progress().counts().accepted() > 0) {
					system.release();
				}
			});
			Target queued = new Target(system.url(), Mode.QUEUED);

			// Without a backlog it would last an hour.
			Outcome outcome = runner.run(new Phase("backlog", queued, new Extent(40, 3_600_000, 20), Client.of(8),
					BackendBehaviour.DEFAULT, 3_600_000));
			runner.run(phase("after", queued, Extent.of(10)));

			assertThat(outcome.accepted()).isGreaterThanOrEqualTo(40).isEqualTo(outcome.audit().saved());
			assertThat(system.probes()).isZero();
		}
	}

	@Test
	void aGeneratorThatDiesIsNamedWithTheEndOfItsOutput() throws Exception {
		try (StubSystem system = new StubSystem(0);
				HttpClient client = Http.client(Duration.ofSeconds(5));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			AtomicInteger checks = new AtomicInteger();
			PhaseRunner runner = runner(system, client, generator, () -> {
				if (checks.incrementAndGet() == 10) {
					ProcessHandle.of(generator.pid()).ifPresent(ProcessHandle::destroyForcibly);
				}
			});

			assertThatExceptionOfType(LabException.class)
				.isThrownBy(
						() -> runner.run(phase("sync", new Target(system.url(), Mode.SYNC), Extent.lasting(60_000))))
				.withMessageContaining("the load generator ended before");
		}
	}

	private PhaseRunner runner(StubSystem system, HttpClient client, GeneratorProcess generator, Runnable health)
			throws Exception {
		return new PhaseRunner(new BackendControl(system.url()), generator, List.of(),
				Files.createDirectories(this.directory), "test", health, (_, _) -> {
				});
	}

	private static Phase phase(String name, Target target, Extent extent) {
		return new Phase(name, target, extent, Client.of(8), BackendBehaviour.DEFAULT, 60_000);
	}

}
