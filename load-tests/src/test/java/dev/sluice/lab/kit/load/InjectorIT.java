package dev.sluice.lab.kit.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.StubSystem;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.measure.GatlingLog.Tail;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

@ExtendWith(NoProcessLeft.class)
class InjectorIT {

	private final JsonMapper json = JsonMapper.builder().build();

	@TempDir
	private Path directory;

	@Test
	void placesEachOrderUntilItIsTakenAndLogsMeasuredPhasesOnly() throws Exception {
		Path results = Files.createDirectories(this.directory.resolve("outcomes"));
		try (StubSystem system = new StubSystem(2)) {
			LoadPlan plan = new LoadPlan("test", system.url(), system.url(), results,
					List.of(phase("warm-up", Mode.SYNC, 20, false), phase("sync 30", Mode.SYNC, 30, true),
							phase("queued 40", Mode.QUEUED, 40, true)));

			List<PhaseOutcome> outcomes;
			GatlingLog log;
			try (Injector injector = Injector.start(this.json, plan, this.directory.resolve("gatling"),
					this.directory.resolve("gatling.log"), null)) {
				assertThat(injector.await(Patience.ofSeconds(120).toMillis())).as("ended").isTrue();
				assertThat(injector.current()).as(injector.tail()).isEmpty();
				outcomes = injector.outcomes();
				log = GatlingLog.read(injector.gatlingLog(), Tail.COMPLETE);
			}

			assertThat(outcomes)
				.extracting(PhaseOutcome::name, PhaseOutcome::accepted, PhaseOutcome::givenUp,
						(outcome) -> outcome.audit().saved())
				.containsExactly(tuple("sync 30", 30L, 0L, 30L), tuple("queued 40", 40L, 0L, 40L));
			assertThat(log.requests()).extracting(Request::name).containsOnly("sync 30", "queued 40");
			assertThat(log.requests()).filteredOn(Request::ok).hasSize(70);
			assertThat(log.requests()).filteredOn((request) -> !request.ok())
				.hasSize(140)
				.extracting((request) -> CellEvaluation.failure(request.message()))
				.containsOnly("HTTP 503", "HTTP 503 overloaded");
		}
	}

	private static Phase phase(String name, Mode mode, int orders, boolean measured) {
		return new Phase(name, mode, orders, 8, BackendBehaviour.DEFAULT, 30_000, measured);
	}

}
