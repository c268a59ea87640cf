package dev.sluice.lab.knee;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SystemUnderTestTests {

	@TempDir
	private Path directory;

	private final AtomicLong sync = new AtomicLong();

	private final AtomicLong queued = new AtomicLong();

	@RegisterExtension
	private final StubServer server = new StubServer();

	private final TargetSystem system = new TargetSystem(new Target(Map.of("servlet", this.server.uri("")),
			Map.of(Target.CONSUMER, this.server.uri("/metrics")), Target.Access.OPEN));

	@AfterEach
	void close() {
		this.system.close();
	}

	@Test
	void readsWhatTheConsumerOfATargetHasSaved() throws Exception {
		this.server.on("/metrics", 200, """
				sluice_accept_to_saved_seconds_bucket{le="0.1"} 30
				sluice_accept_to_saved_seconds_bucket{le="+Inf"} 40
				sluice_accept_to_saved_seconds_count 40
				""");

		SystemUnderTest bed = new SystemUnderTest(this.server.uri(""), this.system, null);
		assertThat(bed.saved()).isEqualTo(40);
		assertThat(bed.savedTimes().count()).isEqualTo(40);
	}

	@Test
	void failsIfTheConsumerOfATargetDoesNotCount() {
		this.server.on("/metrics", 200, "jvm_threads_live 4");

		SystemUnderTest bed = new SystemUnderTest(this.server.uri(""), this.system, null);

		assertThatExceptionOfType(LabException.class).isThrownBy(bed::saved)
			.withMessageContaining("lack sluice_accept_to_saved_seconds_bucket");
	}

	@Test
	void aBackendThatTheLabStartedForgetsWhatItSavedOnceNothingIsOnItsWay() throws Exception {
		List<String> requests = new CopyOnWriteArrayList<>();
		this.server.on("/", (exchange) -> {
			requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
			StubServer.answer(exchange, 200, "{\"saved\":7}");
		});

		new SystemUnderTest(this.server.uri(""), this.system,
				new SystemUnderTest.Started(new BackendControl(this.server.uri("")), List.of(), null))
			.clear();

		assertThat(requests).containsSubsequence("GET /orders/count", "DELETE /audit", "PUT /behaviour")
			.containsOnlyOnce("DELETE /audit");
	}

	@Test
	void warmsUpWithOrdersOfEachModeInEachWindowAndCountsWhatIsSaved() throws Exception {
		serveOrders(1);

		List<WarmUpWindow> windows = warmUp(new Settling(300, 200, 2_400));

		assertThat(this.sync.get()).isPositive();
		assertThat(this.queued.get()).isPositive();
		assertThat(windows).isNotEmpty().allSatisfy((window) -> assertThat(window.savedPerSecond()).isPositive());
		assertThat(windows).extracting(WarmUpWindow::endSeconds).isSorted();
	}

	@Test
	void aWarmUpEndsAtItsLimitIfNothingIsSaved() throws Exception {
		serveOrders(0);

		List<WarmUpWindow> windows = warmUp(new Settling(100, 100, 200));

		assertThat(windows).isNotEmpty().allSatisfy((window) -> assertThat(window.savedPerSecond()).isZero());
		assertThat(WarmUpWindow.isWarm(windows)).isFalse();
	}

	/** Accepts orders, of which a consumer saves none or each. */
	private void serveOrders(int savedOfEach) {
		this.server.on("/orders", (exchange) -> {
			boolean prefers = exchange.getRequestHeaders().containsKey(HttpNames.PREFER);
			(prefers ? this.queued : this.sync).incrementAndGet();
			StubServer.answer(exchange, prefers ? 202 : 201, null);
		});
		this.server.on("/metrics",
				(exchange) -> StubServer.answer(exchange, 200, "sluice_accept_to_saved_seconds_bucket{le=\"+Inf\"} %s\n"
					.formatted(savedOfEach * (this.sync.get() + this.queued.get()))));
	}

	private List<WarmUpWindow> warmUp(Settling rule) throws IOException, InterruptedException {
		try (ProcessSampler sampler = new ProcessSampler(Map.of(), this.directory.resolve("samples.csv"))) {
			return new SystemUnderTest(this.server.uri(""), this.system, null).warmUp(rule, sampler,
					List.of(Mode.SYNC, Mode.QUEUED));
		}
	}

}
