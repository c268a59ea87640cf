package dev.sluice.lab.client;

import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.client.OpenClient.Figures;
import dev.sluice.lab.client.OpenClient.Load;
import dev.sluice.lab.result.ClientResult.Second;
import dev.sluice.lab.stack.Service;
import dev.sluice.lab.stack.ServiceOptions;
import dev.sluice.lab.stack.Stack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The client against the real backend. */
class ClientIT {

	private static final int FREEZE_AT_SECOND = 2;

	private static final Duration FROZEN = Duration.ofSeconds(6);

	@TempDir
	private Path directory;

	@Test
	void aTargetThatStandsStillIsSeenInTheMedian() throws Exception {
		try (Stack stack = Stack.builder().infrastructure(Infrastructure.EMBEDDED).directory(this.directory).build();
				OpenClient client = new OpenClient(Mode.ASYNC, null)) {
			Service backend = stack.startBackend(ServiceOptions.NONE);
			Breakable target = stack.breakable(backend);
			HttpRequest request = HttpRequest.newBuilder(backend.uri().resolve("/0")).build();
			try {
				Load load = new Load(500, Duration.ofSeconds(10), Duration.ofSeconds(60), 20_000);
				Figures figures = client.run(load, (_) -> request, (second) -> freeze(second, target));

				assertThat(figures.tally().due()).isEqualTo(5_000);
				assertThat(figures.tally().sent()).isEqualTo(5_000);
				assertThat(figures.tally().answered()).isEqualTo(5_000);
				assertThat(figures.latency()).isNotNull();
				// Three of five requests were due while nobody answered, the first of
				// them 6 s before the end of it: a client that waits for an answer before
				// it sends the next would have seen one or a few of them.
				assertThat(figures.latency().p50()).isGreaterThan(800);
				assertThat(figures.latency().p95()).isGreaterThan(5_000);
			}
			finally {
				target.thaw();
			}
		}
	}

	private static void freeze(Second second, Breakable target) {
		if (second.second() == FREEZE_AT_SECOND) {
			target.freeze();
			var _ = CompletableFuture.runAsync(target::thaw,
					CompletableFuture.delayedExecutor(FROZEN.toMillis(), TimeUnit.MILLISECONDS));
		}
	}

}
