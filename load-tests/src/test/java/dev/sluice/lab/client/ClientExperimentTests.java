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

	@Test
	void repeatsTheFourRunsOfTheReference() {
		assertThat(ClientExperiment.referenceCases()).extracting(ClientExperiment.Case::name)
			.containsExactly("async, 100/s", "sync-over-async, 100/s, 12 threads", "sync-over-async, 2/s, 12 threads",
					"sync-over-async, 100/s, 1000 threads");
		assertThat(ClientExperiment.referenceCases()).extracting(ClientExperiment.Case::path).containsOnly("/5000");
	}

	@Test
	void aClientKeepsUpWhileNoMoreIsOutstandingThanRateAndLatencyExplain() {
		assertThat(keptUp(100, 150, latency(50))).isTrue();
		assertThat(keptUp(100, 151, latency(50))).isFalse();
	}

	@Test
	void moreMayBeOutstandingWhereEachAnswerTakesLonger() {
		assertThat(keptUp(100, 300, latency(2_000))).isTrue();
		assertThat(keptUp(100, 301, latency(2_000))).isFalse();
	}

	@Test
	void oneRequestMayBeOutstandingAtARateBelowOneASecond() {
		assertThat(keptUp(0.1, 1, latency(50))).isTrue();
		assertThat(keptUp(0.1, 2, latency(50))).isFalse();
	}

	@Test
	void aClientThatFailsOrDoesNotSendHasNotKeptUp() {
		assertThat(ClientPage.keptUp(run(100, 0, 1, 0, latency(50), 0, 1_000))).isFalse();
		assertThat(ClientPage.keptUp(run(100, 0, 0, 1, latency(50), 0, 1_000))).isFalse();
	}

	@Test
	void aClientWithoutAWholeSecondOrAnAnswerHasNotKeptUp() {
		assertThat(ClientPage.keptUp(run(100, 0, 0, 0, latency(50), 0, 999))).isFalse();
		assertThat(keptUp(100, 0, null)).isFalse();
	}

	private static boolean keptUp(double perSecond, long outstanding, @Nullable Timing latency) {
		return ClientPage.keptUp(run(perSecond, outstanding, 0, 0, latency, 0, 1_000));
	}

	private static Timing latency(double least) {
		return new Timing(least, least, null, null, null, least);
	}

	private static Run run(double perSecond, long outstanding, long notSent, long failed, @Nullable Timing latency,
			double lagMillis, long millis) {
		return new Run("run", "async", null, "http://localhost", perSecond, millis,
				new Tally(100, 100, notSent, 100, outstanding, Map.of("503", failed)), latency, latency(lagMillis),
				null, 0.0, List.of(new Second(1, 100, 100, outstanding, 100, 100, null, 1)), null);
	}

}
