package dev.sluice.consumer.backend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import dev.sluice.consumer.backend.DeliveryTarget.Kind;
import io.grpc.ManagedChannel;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DeliveryTargetTests {

	/** First byte of the handshake of TLS. */
	private static final int HANDSHAKE = 22;

	private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("sink",
			SslBundle.of(SslStoreBundle.NONE));

	@Test
	void speaksHttp2WithoutTls() throws IOException {
		assertThat(firstByte("")).isEqualTo('P');
	}

	@Test
	void speaksTlsWithABundle() throws IOException {
		assertThat(firstByte("sink")).isEqualTo(HANDSHAKE);
	}

	@Test
	void namesABundleThatIsMissing() {
		assertThatExceptionOfType(NoSuchSslBundleException.class).isThrownBy(() -> firstByte("other"))
			.withMessageContaining("other");
	}

	/** What the channel begins its connection with. */
	private int firstByte(String bundle) throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			ManagedChannel channel = new DeliveryTarget(Kind.GRPC, "127.0.0.1:" + server.getLocalPort(), bundle)
				.sinkChannel(this.bundles)
				.build();
			try {
				channel.getState(true);
				try (Socket connection = server.accept()) {
					return connection.getInputStream().read();
				}
			}
			finally {
				channel.shutdownNow();
			}
		}
	}

}
