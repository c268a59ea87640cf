package dev.sluice.lab.client;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.lab.LabRun;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClientExperimentTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final StubServer server = new StubServer();

	private final LabRun lab = new LabRun();

	@Test
	void tellsEachSecondAndLeavesAResultAndAReport() throws Exception {
		this.server.on("/", 200, null);

		int exit = this.lab.execute("client", "--uri", this.server.uri("/").toString(), "-r", "50", "-d", "2", "--mode",
				"virtual", "--out", this.directory.toString());

		assertThat(exit).as(this.lab.err()).isZero();
		assertThat(this.lab.out()).containsPattern("Tot Req \\d+ +Tot Rsp \\d+ +Out Req \\d+ +Cur Q/S \\d+");
		RunResult run = RunFile.read(this.directory.resolve(RunFile.NAME));
		assertThat(run.finding()).isInstanceOfSatisfying(ClientResult.class,
				(client) -> assertThat(client.runs()).singleElement()
					.satisfies((only) -> assertThat(only.tally().answered()).isEqualTo(100)));
		assertThat(this.directory.resolve("report.html")).isNotEmptyFile();
	}

	@Test
	void aTargetIsWarmedUpByOrdersThatDoNotCount() throws Exception {
		AtomicInteger orders = new AtomicInteger();
		this.server.on("/orders", (exchange) -> {
			orders.incrementAndGet();
			StubServer.answer(exchange, 201, null);
		});

		int exit = this.lab.execute("client", "--target", this.server.uri("").toString(), "-r", "20", "-d", "1",
				"--modes", "sync", "--out", this.directory.toString());

		assertThat(exit).as(this.lab.err()).isZero();
		ClientResult client = (ClientResult) RunFile.read(this.directory.resolve(RunFile.NAME)).finding();
		assertThat(client.runs()).singleElement().satisfies((only) -> assertThat(only.tally().due()).isEqualTo(20));
		assertThat(orders).as("20, after 5 s of as many").hasValue(120);
	}

	/**
	 * While no more is outstanding than rate and latency explain. Per second,
	 * outstanding, not sent, failed; least latency; for how long.
	 */
	@ParameterizedTest
	@CsvSource({ "100, 150, 0, 0, 50, 1000, true", "100, 151, 0, 0, 50, 1000, false",
			"100, 300, 0, 0, 2000, 1000, true", "100, 301, 0, 0, 2000, 1000, false",
			// one may be outstanding at a rate below one a second
			"0.1, 1, 0, 0, 50, 1000, true", "0.1, 2, 0, 0, 50, 1000, false",
			// it fails, does not send, has no whole second or no answer
			"100, 0, 0, 1, 50, 1000, false", "100, 0, 1, 0, 50, 1000, false", "100, 0, 0, 0, 50, 999, false",
			"100, 0, 0, 0, , 1000, false" })
	void aClientKeepsUp(double perSecond, long outstanding, long notSent, long failed, @Nullable Double latency,
			long millis, boolean kept) {
		Timing lag = new Timing(0.0, 0, null, null, null, 0);
		Run run = new Run("run", "async", null, "http://localhost", perSecond, millis,
				new Tally(100, 100, notSent, 100, outstanding, Map.of("503", failed)),
				(latency != null) ? new Timing(latency, latency, null, null, null, latency) : null, lag, null, 0.0,
				List.of(new Second(1, 100, 100, outstanding, 100, 100, null, 1)), null);

		assertThat(ClientPage.keptUp(run)).isEqualTo(kept);
	}

}
