package dev.sluice.lab.kit.metrics;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;

import dev.sluice.lab.kit.statistics.Window;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class PooledConnectionsTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	@TempDir
	private Path directory;

	@Test
	void addsUpThePoolsOfEitherClient() throws IOException {
		Window whole = new Window(START, START.plusSeconds(3));

		PooledConnections blocking = pool("""
				httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="available"} 40.0
				httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="leased"} 2.0
				httpcomponents_httpclient_pool_total_max{httpclient="backend"} 1000.0
				""");
		PooledConnections reactive = pool(
				"""
						reactor_netty_connection_provider_total_connections{id="1",name="backend",remote_address="127.0.0.1:1"} 3.0
						reactor_netty_connection_provider_total_connections{id="2",name="backend",remote_address="127.0.0.1:2"} 4.0
						reactor_netty_connection_provider_total_connections{id="3",name="other",remote_address="127.0.0.1:3"} 5.0
						""");

		assertThat(blocking.mostIn(whole)).isEqualTo(42);
		assertThat(reactive.mostIn(whole)).isEqualTo(7);
		assertThat(reactive.lastAt(START.plusSeconds(9))).isEqualTo(7);
		assertThat(reactive.lastAt(START.plusMillis(500))).isZero();
		assertThat(reactive.lastAt(START.minusMillis(1))).isNull();
		assertThat(pool("jvm_threads_live_threads 99.0").mostIn(whole)).isNull();
	}

	/** Two samples, of which the first has no connection. */
	private PooledConnections pool(String gauges) throws IOException {
		Path file = this.directory.resolve("pool.prom.gz");
		try (Writer out = new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(file)),
				StandardCharsets.UTF_8)) {
			out.write("# at %s status 200%n%s%n".formatted(START, gauges.replaceAll("[0-9]+[.]0", "0.0")));
			out.write("# at %s status 200%n%s%n".formatted(START.plusSeconds(1), gauges));
		}
		return PooledConnections.of(Scrapes.read(file, PooledConnections.METRICS::contains));
	}

}
