package dev.sluice.sink;

import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import com.google.protobuf.ByteString;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.store.MessageStore;
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
import org.springframework.test.context.bean.override.convention.TestBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Mutual TLS as the README describes it: an SSL bundle for the server, and clients must
 * have a certificate.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "sink.limits.max-streams-per-client=1",
				"spring.grpc.server.ssl.bundle=sink", "spring.grpc.server.ssl.client-auth=require" })
class MutualTlsIT {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	@TempDir
	static Path directory;

	private static Certificates certificates;

	@TestBean(methodName = "dev.sluice.sink.MemoryStore#create")
	private MessageStore store;

	@Autowired
	private GrpcServerLifecycle grpc;

	@DynamicPropertySource
	static void bundle(DynamicPropertyRegistry registry) throws Exception {
		certificates = Certificates.in(directory, List.of("client", "other-client"), List.of("stranger"));
		certificates.bundle("sink").forEach((property) -> {
			String[] parts = property.split("=", 2);
			registry.add(parts[0], () -> parts[1]);
		});
	}

	/** All these clients have the same address. */
	@Test
	void knowsAClientByItsCertificate() throws Exception {
		ByteString id = ByteString.copyFromUtf8("order-1");
		ManagedChannel first = channel("client").build();
		try (SinkClient client = open("client"); SinkClient another = open("other-client")) {
			client.send(new Message(id, "of one".getBytes()));
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();

			another.send(new Message(id, "of the other".getBytes()));
			assertThat(another.awaitEmpty(DEADLINE)).as("it has a stream of its own").isTrue();
			assertThat(another.stats().refused()).as("and ids of its own").isZero();

			ClientStream second = new ClientStream(first, true);
			await().until(() -> second.ended);
			assertThat(second.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
		}
		finally {
			first.shutdownNow();
		}
	}

	@Test
	void turnsAwayAClientItDoesNotTrust() throws Exception {
		ManagedChannel channel = channel("stranger").build();
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

	private SinkClient open(String name) throws Exception {
		return SinkClient.open(channel(name), SinkClientOptions.inMemory(), DeliveryListener.NONE);
	}

	private NettyChannelBuilder channel(String name) throws Exception {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(store(certificates.keys(name)), Certificates.PASSWORD.toCharArray());
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store(certificates.trustedBy("client")));
		return NettyChannelBuilder.forAddress("localhost", this.grpc.getPort())
			.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient().keyManager(keys).trustManager(trust))
				.build());
	}

	private static KeyStore store(Path file) throws Exception {
		return KeyStore.getInstance(file.toFile(), Certificates.PASSWORD.toCharArray());
	}

}
