package dev.sluice.sink;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.devservices.Patience;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Nothing listens at port 1: the sink starts nevertheless, and reports the problem. */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "spring.kafka.bootstrap-servers=127.0.0.1:1" })
class StartWithoutKafkaTests {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	@Autowired
	private GrpcServerLifecycle grpc;

	private ManagedChannel channel;

	@BeforeEach
	void connect() {
		this.channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort()).usePlaintext().build();
	}

	@AfterEach
	void disconnect() throws InterruptedException {
		this.channel.shutdownNow().awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void startsAndAnswersUnavailable() {
		ClientStream client = new ClientStream(this.channel, true);
		client.send("a");

		await().until(() -> client.ended);
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(client.failure).hasMessageContaining("resend");
	}

	@Test
	void logsNoStackTraceOfACallThatCannotBeRead(CapturedOutput output) {
		MethodDescriptor<byte[], byte[]> check = HealthGrpc.getCheckMethod()
			.toBuilder(new WireFuzzTests.Bytes(), new WireFuzzTests.Bytes())
			.build();
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(
					() -> ClientCalls.blockingUnaryCall(this.channel, check, CallOptions.DEFAULT, new byte[] { 0x0A }));
		}
		assertThat(output.getAll()).doesNotContain("\tat ");
	}

	@Test
	void saysByItsHealthThatItDoesNotServe() {
		HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(this.channel);

		await().ignoreException(StatusRuntimeException.class)
			.untilAsserted(() -> assertThat(
					health.check(HealthCheckRequest.newBuilder().setService(DataSinkGrpc.SERVICE_NAME).build())
						.getStatus())
				.isEqualTo(ServingStatus.NOT_SERVING));
	}

}
