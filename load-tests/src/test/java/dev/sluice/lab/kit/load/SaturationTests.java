package dev.sluice.lab.kit.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SaturationTests {

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final AtomicLong sync = new AtomicLong();

	private final AtomicLong queued = new AtomicLong();

	private HttpServer server;

	@BeforeEach
	void start() throws Exception {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this.executor);
		count("/sync", this.sync);
		count("/queued", this.queued);
		this.server.start();
	}

	private void count(String path, AtomicLong count) {
		this.server.createContext(path, (exchange) -> {
			count.incrementAndGet();
			exchange.sendResponseHeaders(201, -1);
			exchange.close();
		});
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
		this.executor.close();
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
		try (OpenClient client = new OpenClient(CallMode.ASYNC, null)) {
			return new Saturation(rule, saved).run(client,
					List.of(() -> (_) -> request("/sync"), () -> (_) -> request("/queued")));
		}
	}

	private HttpRequest request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + path))
			.build();
	}

}
