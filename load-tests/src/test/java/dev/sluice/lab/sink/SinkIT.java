package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.Lab;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A little data in every mode, through the sink's real jar. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class SinkIT {

	@TempDir
	private Path directory;

	@Test
	void movesTheSameDataInEveryWay() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter out = new StringWriter();

		int exitCode = Lab.commandLine()
			.setOut(new PrintWriter(out))
			.execute("sink", "--quick", "--megabytes", "3", "--repetitions", "1", "--settings", "storage,link",
					"--infra", Infrastructure.fromEnvironment().name(), "--out", results.toString());

		assertThat(exitCode).as(out.toString()).isZero();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
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
		assertThat(out.toString()).contains("stop and wait, 54 connections", "report.html");
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

}
