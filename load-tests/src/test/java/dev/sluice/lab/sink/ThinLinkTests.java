package dev.sluice.lab.sink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ThinLinkTests {

	private static final int BYTES = 500_000;

	/** The expected time is a lower bound, which only a faster link can undercut. */
	@Test
	void passesEverythingOnUnchangedAndNoFasterThanItMay() throws Exception {
		byte[] sent = new byte[BYTES];
		new Random(42).nextBytes(sent);
		try (ServerSocket target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				ThinLink link = new ThinLink(8L * BYTES, target.getLocalPort())) {
			CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> {
				try (Socket accepted = target.accept()) {
					return accepted.getInputStream().readAllBytes();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			long start = System.nanoTime();
			try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port(link))) {
				client.getOutputStream().write(sent);
				client.shutdownOutput();

				assertThat(received.get()).isEqualTo(sent);
			}
			// Half a megabyte at half a megabyte a second.
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(990));
		}
	}

	@Test
	void closesAConnectionThatTheSinkDoesNotTake() throws Exception {
		// Nobody listens on port 1.
		try (ThinLink link = new ThinLink(8L * BYTES, 1);
				Socket client = new Socket(InetAddress.getLoopbackAddress(), port(link))) {
			client.setSoTimeout(30_000);

			assertThat(client.getInputStream().read()).isNegative();
		}
	}

	private static int port(ThinLink link) {
		return Integer.parseInt(link.target().substring(link.target().indexOf(':') + 1));
	}

}
