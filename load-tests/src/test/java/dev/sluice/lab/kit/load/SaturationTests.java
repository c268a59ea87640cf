package dev.sluice.lab.kit.load;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

class SaturationTests {

	private final AtomicLong sync = new AtomicLong();

	private final AtomicLong queued = new AtomicLong();

	@RegisterExtension
	private final StubServer server = new StubServer();

	@BeforeEach
	void count() {
		for (Map.Entry<String, AtomicLong> each : Map.of("/sync", this.sync, "/queued", this.queued).entrySet()) {
			this.server.on(each.getKey(), (exchange) -> {
				each.getValue().incrementAndGet();
				StubServer.answer(exchange, 201, null);
			});
		}
	}

	@Test
	void sendsEachKindInEachWindowAndCountsWhatIsSaved() throws Exception {
		List<WarmUpWindow> windows = run(new Settling(300, 200, 2_400, WarmUpWindow.AGREE_WITHIN),
				() -> this.sync.get() + this.queued.get());

		assertThat(this.sync.get()).isPositive();
		assertThat(this.queued.get()).isPositive();
		assertThat(windows).isNotEmpty().allSatisfy((window) -> assertThat(window.savedPerSecond()).isPositive());
		assertThat(windows).extracting(WarmUpWindow::endSeconds).isSorted();
	}

	@Test
	void endsAtItsLimitIfNothingIsSaved() throws Exception {
		List<WarmUpWindow> windows = run(new Settling(100, 100, 200, WarmUpWindow.AGREE_WITHIN), () -> 7);

		assertThat(windows).isNotEmpty().allSatisfy((window) -> assertThat(window.savedPerSecond()).isZero());
		assertThat(WarmUpWindow.isWarm(windows, WarmUpWindow.AGREE_WITHIN)).isFalse();
	}

	private List<WarmUpWindow> run(Settling rule, Saturation.Count saved) throws InterruptedException {
		try (OpenClient client = new OpenClient(CallMode.ASYNC, null, null)) {
			return new Saturation(rule, saved).run(client,
					List.of(() -> (_) -> request("/sync"), () -> (_) -> request("/queued")));
		}
	}

	private HttpRequest request(String path) {
		return HttpRequest.newBuilder(this.server.uri(path)).build();
	}

}
