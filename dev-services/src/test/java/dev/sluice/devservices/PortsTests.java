package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PortsTests {

	private static final int PROCESSES = 20;

	/** Linux gives outgoing connections ports from 32768 on. */
	@Test
	void freePortsDifferAndAreNoneThatAnOutgoingConnectionGets() {
		assertThat(Ports.free(200)).hasSize(200)
			.doesNotHaveDuplicates()
			.allSatisfy((port) -> assertThat(port).isBetween(10_000, 24_999));
	}

	@Test
	void namesTheProcessThatHasThePort() throws IOException {
		int port = Ports.free();
		try (ServerSocket _ = listen(port)) {
			assertThat(Ports.isFree(port)).isFalse();
			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> Ports.requireFree(port, "the server"))
				.withMessageStartingWith("the server: port %s is taken".formatted(port))
				.satisfies((ex) -> {
					if (Files.exists(Path.of("/proc/net/tcp"))) {
						assertThat(ex)
							.hasMessageContaining(" by process %s (".formatted(ProcessHandle.current().pid()));
					}
				});
		}
		Ports.requireFree(port, "the server");
	}

	/**
	 * A process that starts inherits the sockets of this JVM, and has them for some
	 * milliseconds. When {@code isFree} still listened, each of 20 runs of this found
	 * some ports that were taken by nobody, five on average.
	 */
	@Test
	void aFreePortCanBeHadThoughProcessesStart() throws Exception {
		FutureTask<Integer> starting = new FutureTask<>(() -> {
			int failed = 0;
			for (int i = 0; i < PROCESSES; i++) {
				failed += new ProcessBuilder("true").start().waitFor();
			}
			return failed;
		});
		Thread.ofPlatform().start(starting);
		List<String> taken = new ArrayList<>();
		while (!starting.isDone()) {
			for (int port : Ports.free(15)) {
				try (ServerSocket _ = listen(port)) {
					// It can be had.
				}
				catch (IOException ex) {
					taken.add("%s: %s".formatted(port, ex.getMessage()));
				}
			}
		}
		assertThat(starting.get()).isZero();
		assertThat(taken).isEmpty();
	}

	private static ServerSocket listen(int port) throws IOException {
		return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
	}

}
