package dev.sluice.lab.sink;

import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(NoProcessLeft.class)
class SinkExperimentIT {

	private static final Duration LONG = Duration.ofMinutes(30);

	@TempDir
	private Path directory;

	@Test
	void waitsForNoClientWhoseSinkIsGone() {
		try (JavaProcess client = waiting("client"); JavaProcess sink = waiting("sink")) {
			sink.kill();

			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkExperiment.await(client, sink.handle(), LONG))
				.withMessageContaining("The sink has ended");
		}
	}

	@Test
	void waitsForNoClientLongerThanItMay() {
		try (JavaProcess client = waiting("client")) {
			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkExperiment.await(client, null, Duration.ofMillis(1)))
				.withMessageContaining("client.log");
		}
	}

	/** A little data in every mode, through the sink's real jar. */
	@Test
	@Tag("full")
	void movesTheSameDataInEveryWay() throws Exception {
		LabRun lab = new LabRun();

		RunResult run = lab.run(this.directory, "sink --quick --megabytes 3 --repetitions 1 --settings storage,link");

		SinkResult sink = (SinkResult) run.finding();
		assertThat(sink.transfers()).hasSize(8);
		assertThat(sink.transfers()).filteredOn((transfer) -> transfer.setting() == Setting.STORAGE)
			.allSatisfy((transfer) -> assertThat(transfer.bytes()).isBetween(3_000_000L, 3_400_000L))
			.extracting(SinkResult.Transfer::mode)
			.containsExactly(Mode.STOP_AND_WAIT, Mode.STREAM, Mode.STREAM_ZSTD, Mode.STREAM_DICTIONARY);
		assertThat(sink.transfers()).filteredOn((transfer) -> transfer.mode() == Mode.STREAM)
			.allSatisfy((transfer) -> assertThat(transfer.wireBytes()).isBetween(transfer.bytes(),
					transfer.bytes() * 11 / 10));
		assertThat(sink.transfers()).filteredOn((transfer) -> transfer.mode() == Mode.STREAM_ZSTD)
			.allSatisfy((transfer) -> assertThat(transfer.wireBytes()).isBetween(1L, transfer.bytes() / 2));
		assertThat(lab.out()).contains("stop and wait, 54 connections", "report.html");
	}

	private JavaProcess waiting(String name) {
		return JavaProcess.mainClass(Waiting.class.getName()).logFile(this.directory.resolve(name + ".log")).launch();
	}

	/** Waits until it is killed. */
	static final class Waiting {

		private Waiting() {
		}

		public static void main(String[] args) throws InterruptedException {
			Thread.sleep(LONG);
		}

	}

}
