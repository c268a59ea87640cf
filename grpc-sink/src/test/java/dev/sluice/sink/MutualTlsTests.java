package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContextBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * As the README says: an SSL bundle for the server, and clients must have a certificate.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = { "spring.grpc.server.port=0",
		"sink.store=log", "spring.grpc.server.ssl.bundle=sink", "spring.grpc.server.ssl.client-auth=require",
		"spring.ssl.bundle.jks.sink.keystore.type=PKCS12", "spring.ssl.bundle.jks.sink.keystore.password=secret",
		"spring.ssl.bundle.jks.sink.truststore.type=PKCS12", "spring.ssl.bundle.jks.sink.truststore.password=secret" })
class MutualTlsTests {

	private static final Duration DEADLINE = Duration.ofSeconds(30);

	private static final String PASSWORD = "secret";

	@TempDir
	static Path directory;

	@Autowired
	private GrpcServerLifecycle grpc;

	@DynamicPropertySource
	static void bundle(DynamicPropertyRegistry registry) throws Exception {
		for (String name : List.of("sink", "client", "stranger")) {
			keytool("-genkeypair", "-keystore", name, "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext",
					"san=dns:localhost,ip:127.0.0.1");
			keytool("-exportcert", "-keystore", name, "-alias", name, "-file",
					directory.resolve(name + ".crt").toString());
		}
		keytool("-importcert", "-noprompt", "-keystore", "trusted-by-sink", "-alias", "client", "-file",
				directory.resolve("client.crt").toString());
		keytool("-importcert", "-noprompt", "-keystore", "trusted-by-client", "-alias", "sink", "-file",
				directory.resolve("sink.crt").toString());
		registry.add("spring.ssl.bundle.jks.sink.keystore.location", () -> "file:" + directory.resolve("sink"));
		registry.add("spring.ssl.bundle.jks.sink.truststore.location",
				() -> "file:" + directory.resolve("trusted-by-sink"));
		registry.add("sink.log-directory", () -> directory.resolve("log").toString());
	}

	@Test
	void takesMessagesFromAClientWithACertificateItTrusts() throws Exception {
		ManagedChannel channel = channel("client");
		try (SinkClient client = SinkClient.open(channel, SinkClientOptions.inMemory(), DeliveryListener.NONE)) {
			client.send("over TLS".getBytes());

			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}
		finally {
			channel.shutdownNow();
		}
	}

	@Test
	void turnsAwayAClientItDoesNotTrust() throws Exception {
		ManagedChannel channel = channel("stranger");
		try {
			HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel)
				.withDeadlineAfter(DEADLINE.toSeconds(), TimeUnit.SECONDS);

			assertThatExceptionOfType(StatusRuntimeException.class)
				.isThrownBy(() -> health.check(HealthCheckRequest.getDefaultInstance()))
				.satisfies((ex) -> assertThat(ex.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
		}
		finally {
			channel.shutdownNow();
		}
	}

	private ManagedChannel channel(String name) throws Exception {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(store(name), PASSWORD.toCharArray());
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store("trusted-by-client"));
		return NettyChannelBuilder.forAddress("localhost", this.grpc.getPort())
			.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient().keyManager(keys).trustManager(trust))
				.build())
			.build();
	}

	private static KeyStore store(String name) throws Exception {
		return KeyStore.getInstance(directory.resolve(name).toFile(), PASSWORD.toCharArray());
	}

	private static void keytool(String... args) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
		command.addAll(List.of(args));
		command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
		Path log = directory.resolve("keytool.log");
		Process keytool = new ProcessBuilder(command).directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		assertThat(keytool.waitFor()).as(() -> String.join(" ", command)).isZero();
		Files.delete(log);
	}

}
