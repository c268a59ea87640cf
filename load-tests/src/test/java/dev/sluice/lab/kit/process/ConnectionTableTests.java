package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ConnectionTableTests {

	private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n";

	private static final String REST = "00000000:00000000 00:00000000 00000000     0        0 1\n";

	@TempDir
	private Path directory;

	@Test
	void countsWhatIsOpenAtAPort() throws IOException {
		Files.writeString(this.directory.resolve("tcp"),
				HEAD + "   0: 0100007F:1F90 00000000:0000 0A " + REST + "   1: 0100007F:1F90 0100007F:A000 01 " + REST
						+ "   2: 0100007F:A000 0100007F:1F90 01 " + REST + "   3: 0100007F:1F90 0100007F:A001 06 "
						+ REST);
		Files.writeString(this.directory.resolve("tcp6"),
				HEAD + "1000: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:A002 01 " + REST);

		ConnectionTable table = ConnectionTable.read(this.directory);

		assertThat(table.acceptedAt(8080)).as("without who listens and who waits").isEqualTo(2);
		assertThat(table.acceptedAt(0xA000)).as("the other end").isEqualTo(1);
		assertThat(table.acceptedAt(8081)).isZero();
	}

	@Test
	void doesWithoutOneOfTheFamilies() throws IOException {
		Files.writeString(this.directory.resolve("tcp"), HEAD);

		assertThat(ConnectionTable.read(this.directory).established()).isEmpty();
	}

	@Test
	void saysThatItCannotBeRead() throws IOException {
		Files.createDirectory(this.directory.resolve("tcp"));

		assertThatIOException().isThrownBy(() -> ConnectionTable.read(this.directory));
	}

	@Test
	void seesConnectionsComeAndGo() throws IOException {
		Path net = Path.of("/proc/net");
		assumeTrue(Files.isReadable(net.resolve("tcp")), "needs procfs");
		try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
			int port = server.getLocalPort();
			try (Socket _ = new Socket(server.getInetAddress(), port);
					Socket _ = server.accept();
					Socket client = new Socket(server.getInetAddress(), port);
					Socket _ = server.accept()) {
				assertThat(ConnectionTable.read(net).acceptedAt(port)).isEqualTo(2);

				client.close();
				assertThat(ConnectionTable.read(net).acceptedAt(port)).isEqualTo(1);
			}
		}
	}

}
