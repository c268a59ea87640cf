package dev.sluice.lab.sink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sluice.devservices.JavaProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class TunLinkTests {

	private static final int BYTES = 500_000;

	private static final SinkLink.Character CHARACTER = new SinkLink.Character(8L * BYTES, Duration.ofMillis(100));

	@TempDir
	private Path directory;

	@BeforeEach
	void needsRoot() {
		assumeThat(System.getProperty("user.name")).isEqualTo("root");
		assumeThat(Files.isWritable(Path.of(Tun.CLONE_DEVICE))).isTrue();
	}

	@Test
	void passesEverythingOnUnchangedAndNoFasterThanItMay() throws Exception {
		byte[] sent = new byte[BYTES];
		new Random(42).nextBytes(sent);
		Path file = Files.write(this.directory.resolve("sent"), sent);
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"));
				SinkLink link = new TunLink(CHARACTER, server.getLocalPort())) {
			CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> received(server));

			try (JavaProcess client = link.launch(JavaProcess.mainClass(Sender.class.getName())
				.args(link.target(), file.toString())
				.logFile(this.directory.resolve("log")))) {

				assertThat(received).as(client::tail).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(sent);
				// Printed by the client, whose clock begins before it connects.
				assertThat(client.handle().onExit()).succeedsWithin(Duration.ofSeconds(30));
				assertThat(Long.parseLong(client.tail().strip())).isGreaterThan(1_100);
			}
		}
	}

	@Test
	void leavesNoDevice() throws Exception {
		long before = devices();

		try (SinkLink _ = new TunLink(CHARACTER, 1)) {
			assertThat(devices()).isGreaterThan(before);
		}

		assertThat(devices()).isEqualTo(before);
	}

	private static long devices() throws IOException {
		return NetworkInterface.networkInterfaces().filter((one) -> one.getName().startsWith("sluice")).count();
	}

	private static byte[] received(ServerSocket server) {
		try (Socket accepted = server.accept()) {
			return accepted.getInputStream().readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Runs at the other end: sends a file and says how many milliseconds it took. */
	static final class Sender {

		private Sender() {
		}

		public static void main(String[] args) throws IOException {
			String[] target = args[0].split(":");
			long start = System.nanoTime();
			try (Socket socket = new Socket(target[0], Integer.parseInt(target[1]))) {
				Files.copy(Path.of(args[1]), socket.getOutputStream());
				socket.shutdownOutput();
				// Until the other side has read all and closed.
				socket.getInputStream().read();
			}
			System.out.println(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
		}

	}

}
