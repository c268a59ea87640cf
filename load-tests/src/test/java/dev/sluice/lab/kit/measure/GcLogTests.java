package dev.sluice.lab.kit.measure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

import dev.sluice.lab.kit.measure.GcLog.Pause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class GcLogTests {

	@TempDir
	private Path directory;

	@Test
	void readsPausesAndNothingElse() throws Exception {
		Path log = Files.writeString(this.directory.resolve("gc.log"), """
				[1795921257200ms] Using G1
				[1795921257318ms] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 15M->4M(64M) 29.107ms
				[1795921257318ms] GC(0)   Evacuate Collection Set: 27.1ms
				[1795921257400ms] GC(1) Concurrent Mark Cycle 50.000ms
				[1795921264477ms] GC(2) Y: Pause Mark Start (Major) 0.020ms
				[1795921264490ms] GC(3) Pause Full (System.gc()) 17M->3M(14""");

		assertThat(GcLog.read(log).pauses()).containsExactly(
				new Pause(Instant.ofEpochMilli(1795921257318L).minusNanos(29_107_000), Duration.ofNanos(29_107_000)),
				new Pause(Instant.ofEpochMilli(1795921264477L).minusNanos(20_000), Duration.ofNanos(20_000)));
	}

}
