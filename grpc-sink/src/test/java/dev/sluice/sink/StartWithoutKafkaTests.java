package dev.sluice.sink;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
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
import io.grpc.stub.StreamObserver;
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

	@Test
	void startsAndAnswersUnavailable() throws Exception {
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort())
			.usePlaintext()
			.build();
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		try {
			StreamObserver<Request> call = DataSinkGrpc.newStub(channel).send(new StreamObserver<>() {

				@Override
				public void onNext(Response response) {
				}

				@Override
				public void onError(Throwable cause) {
					failure.complete(cause);
				}

				@Override
				public void onCompleted() {
					failure.completeExceptionally(new AssertionError("It was not stored"));
				}

			});
			call.onNext(Request.newBuilder()
				.setVersion(1)
				.setMessageId(ByteString.copyFromUtf8("a"))
				.setPlainMessage(ByteString.copyFromUtf8("b"))
				.build());

			Status status = Status.fromThrowable(failure.get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
			assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
			assertThat(status.getDescription()).contains("resend");
		}
		finally {
			channel.shutdownNow().awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS);
		}
	}

	@Test
	void logsNoStackTraceOfACallThatCannotBeRead(CapturedOutput output) throws Exception {
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort())
			.usePlaintext()
			.build();
		MethodDescriptor<byte[], byte[]> check = MethodDescriptor.<byte[], byte[]>newBuilder()
			.setType(MethodDescriptor.MethodType.UNARY)
			.setFullMethodName(HealthGrpc.getCheckMethod().getFullMethodName())
			.setRequestMarshaller(new Bytes())
			.setResponseMarshaller(new Bytes())
			.build();
		try {
			for (int i = 0; i < 20; i++) {
				assertThatExceptionOfType(StatusRuntimeException.class).isThrownBy(
						() -> ClientCalls.blockingUnaryCall(channel, check, CallOptions.DEFAULT, new byte[] { 0x0A }));
			}
			assertThat(output.getAll()).doesNotContain("\tat ");
		}
		finally {
			channel.shutdownNow().awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS);
		}
	}

	private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

		@Override
		public InputStream stream(byte[] value) {
			return new ByteArrayInputStream(value);
		}

		@Override
		public byte[] parse(InputStream stream) {
			return new byte[0];
		}

	}

	@Test
	void saysByItsHealthThatItDoesNotServe() throws Exception {
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort())
			.usePlaintext()
			.build();
		try {
			HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);

			await().ignoreException(StatusRuntimeException.class)
				.untilAsserted(() -> assertThat(
						health.check(HealthCheckRequest.newBuilder().setService(DataSinkGrpc.SERVICE_NAME).build())
							.getStatus())
					.isEqualTo(ServingStatus.NOT_SERVING));
		}
		finally {
			channel.shutdownNow().awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS);
		}
	}

}
