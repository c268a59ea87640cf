package dev.sluice.lab.knee;

import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest search, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class KneeIT {

	private static final Goal GOAL = Goal.of(List.of("p99=60s", "saved-p99=1ms"));

	@TempDir
	private Path directory;

	@Test
	void eachStepIsJudgedByItsAnswersAndQueuedOnesByTheirSavesToo() throws Exception {
		RunResult run = new LabRun().run(this.directory,
				"knee --smallest --variants servlet-virtual --goal p99=60s,saved-p99=1ms");

		assertThat(run.finding()).isInstanceOfSatisfying(KneeResult.class, (result) -> {
			assertThat(result.knees()).extracting(KneeResult.Knee::name)
				.containsExactly("servlet-virtual sync", "servlet-virtual queued");
			Step sync = result.knees().getFirst().steps().getFirst();
			Step queued = result.knees().get(1).steps().getFirst();
			// A busy machine may make a gateway refuse orders with 503, which
			// misses the goal.
			assertThat(sync.missed()).isEqualTo(GOAL.missed(Mode.SYNC, sync.tally(), sync.latency(), null, 0));
			assertThat(sync.tally().answered()).isPositive().isEqualTo(sync.tally().due());
			assertThat(sync.savedP99Millis()).isNull();
			assertThat(queued.tally().answered()).isEqualTo(queued.tally().due());
			// The backend alone takes longer than a millisecond.
			assertThat(queued.missed()).containsAnyOf("saved-p99", "not saved in time", "requests");
		});
	}

}
