package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PortsTests {

	/** Linux gives outgoing connections ports from 32768 on. */
	@Test
	void aFreePortIsNoneThatAnOutgoingConnectionGets() {
		for (int i = 0; i < 200; i++) {
			assertThat(Ports.free()).isBetween(10_000, 24_999);
		}
	}

	@Test
	void severalFreePortsDiffer() {
		assertThat(Ports.free(20)).hasSize(20).doesNotHaveDuplicates();
	}

	@Test
	void aPortIsFreeUntilAServerHasIt() throws IOException {
		int port = Ports.free();
		try (ServerSocket server = new ServerSocket()) {
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));

			assertThat(Ports.isFree(port)).isFalse();
		}
	}

}
