package dev.sluice.lab.chaos;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills, freezes and restarts a gateway, a consumer and one of three brokers, with the
 * services' real jars.
 */
@ExtendWith(NoProcessLeft.class)
@Tag("embedded")
@Tag("full")
class ChaosIT {

	@TempDir
	private Path directory;

	@Test
	void noAcceptedOrderIsLostOrDoubledAndNoProcessIsLeft() throws Exception {
		LabRun lab = new LabRun();
		// Three brokers if they are processes; three containers take longer.
		boolean cluster = Infrastructure.fromEnvironment() == Infrastructure.EMBEDDED;

		RunResult run = lab.run(this.directory,
				"chaos --minutes 0.5 --rate 40 --faults gateway,consumer,broker --seed 4 --brokers "
						+ (cluster ? 3 : 1));

		ChaosResult chaos = (ChaosResult) run.finding();
		assertThat(chaos.faults()).hasSizeGreaterThanOrEqualTo(9);
		assertThat(chaos.faults()).extracting(ChaosResult.Fault::target)
			.anyMatch((target) -> target.matches(cluster ? "broker [123]" : "broker"));
		ChaosResult.Balance balance = chaos.balance();
		assertThat(balance.holds()).isTrue();
		assertThat(balance.placed()).isEqualTo(1_200);
		assertThat(balance.accepted()).isPositive().isEqualTo(balance.saved() + balance.failed());
		assertThat(balance.placed()).isEqualTo(balance.accepted() + balance.refused() + balance.inDoubt());
		assertThat(Files.readAllLines(this.directory.resolve("attempts.csv"))).hasSize((int) balance.attempts() + 1);
		assertThat(lab.out()).contains("lost (must be 0)", "report.html");
	}

}
