package dev.sluice.lab.kit.load;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.StubSystem;
import dev.sluice.lab.kit.load.PhaseRunner.Measured;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Outcome;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.run.BackendControl;
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
				ProcessSampler sampler = new ProcessSampler(Map.of(), this.directory.resolve("samples"));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			PhaseRunner runner = runner(system, sampler, generator, () -> {
			});
			Target sync = new Target(system.url(), Mode.SYNC);
			Target queued = new Target(system.url(), Mode.QUEUED);

			Phase warmUp = new Phase("warm-up", List.of(sync, queued), Extent.lasting(60_000), Client.of(8),
					BackendBehaviour.DEFAULT, 60_000);
			assertThat(runner.warmUp(warmUp, new Settling(200, 200, 400))).isNotEmpty();
			assertThat(this.directory).isDirectoryNotContaining("glob:**.csv.gz");
			Measured measured = runner.measure(phase("sync 30", sync, Extent.of(30)));
			Outcome one = measured.outcome();
			Outcome two = runner.measure(phase("queued", queued, Extent.of(40))).outcome();

			assertThat(one.accepted()).isEqualTo(30).isEqualTo(one.audit().saved());
			assertThat(two.accepted()).isEqualTo(40).isEqualTo(two.audit().saved());
			OrderCalls calls = measured.calls();
			assertThat(calls.answered()).hasSize(30);
			assertThat(calls.failures()).containsOnlyKeys("HTTP 503", "HTTP 503 overloaded");
			assertThat(calls.calls()).hasSize(90).allMatch((call) -> call.ended() >= call.sent());
			assertThat(measured.times().orders()).hasSize(30).allMatch((times) -> times.accepted() > times.due());
			assertThat(List.of("json", "calls.csv.gz", "orders.csv.gz"))
				.allSatisfy((ending) -> assertThat(this.directory.resolve("sync 30." + ending)).exists());
			assertThat(system.probes()).as("after each of two phases with failed calls").isGreaterThanOrEqualTo(40);
		}
	}

	@Test
	void endsAtItsBacklogAndAsksNothingOfASystemThatHasKeptUp() throws Exception {
		try (StubSystem system = new StubSystem(0);
				ProcessSampler sampler = new ProcessSampler(Map.of(), this.directory.resolve("samples"));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			system.hold();
			PhaseRunner runner = runner(system, sampler, generator, () -> {
				if (generator.progress().ended() && generator.progress().counts().accepted() > 0) {
					system.release();
				}
			});
			Target queued = new Target(system.url(), Mode.QUEUED);

			// Without a backlog it would last an hour.
			Outcome outcome = runner
				.measure(new Phase("backlog", List.of(queued), new Extent(40, 3_600_000, 20), Client.of(8),
						BackendBehaviour.DEFAULT, 3_600_000))
				.outcome();
			runner.run(phase("after", queued, Extent.of(10)));

			assertThat(outcome.accepted()).isGreaterThanOrEqualTo(40).isEqualTo(outcome.audit().saved());
			assertThat(system.probes()).isZero();
		}
	}

	@Test
	void aGeneratorThatDiesIsNamedWithTheEndOfItsOutput() throws Exception {
		try (StubSystem system = new StubSystem(0);
				ProcessSampler sampler = new ProcessSampler(Map.of(), this.directory.resolve("samples"));
				GeneratorProcess generator = GeneratorProcess.start(this.directory.resolve("log"))) {
			AtomicInteger checks = new AtomicInteger();
			PhaseRunner runner = runner(system, sampler, generator, () -> {
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

	private PhaseRunner runner(StubSystem system, ProcessSampler sampler, GeneratorProcess generator, Runnable health) {
		return new PhaseRunner(new BackendControl(system.url()), generator, sampler, this.directory, "test", health,
				(_) -> {
				});
	}

	private static Phase phase(String name, Target target, Extent extent) {
		return new Phase(name, List.of(target), extent, Client.of(8), BackendBehaviour.DEFAULT, 60_000);
	}

}
