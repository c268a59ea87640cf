package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SinkReportTests {

	@Test
	void saysHowMuchFasterTheStreamIs() {
		String page = Report
			.page(run(new SinkResult(100, 154, List.of(transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 1, 20),
					transfer(Setting.STORAGE, Mode.STREAM, 1, 2), transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 2, 30),
					transfer(Setting.STORAGE, Mode.STREAM, 2, 2), transfer(Setting.STORAGE, Mode.STOP_AND_WAIT, 3, 20),
					transfer(Setting.STORAGE, Mode.STREAM, 3, 1)))));

		assertThat(page).contains(
				"When the storage&#39;s latency binds, against stop and wait over 54 connections: stream 10 times.");
		assertThat(page).doesNotContain("a thin link binds");
	}

	@Test
	void saysWhichShareOfTheProducersRateEachReaches() {
		SinkResult result = new SinkResult(100, 154,
				List.of(transfer(Setting.LOOPBACK, Mode.KAFKA, 1, 1), transfer(Setting.LOOPBACK, Mode.STREAM, 1, 4),
						transfer(Setting.LOOPBACK, Mode.STREAM_ZSTD, 1, 2),
						transfer(Setting.LOOPBACK, Mode.STREAM_SPOOL, 1, 5)));

		assertThat(Report.page(run(result))).contains(
				"When nothing but the machine binds, against Kafka&#39;s own producer: stream 25 %; stream, zstd 50 %; stream from the spool 20 %.");
	}

	private static Transfer transfer(Setting setting, Mode mode, int repetition, double seconds) {
		return new Transfer(setting, mode, repetition, 1, 6_000, 100_000_000, 101_000_000, seconds, 1, 1);
	}

	private static RunResult run(SinkResult sink) {
		return Runs.found("sink", sink);
	}

}
