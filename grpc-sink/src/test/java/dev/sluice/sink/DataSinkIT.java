package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.sink.store.MessageStore;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.BlockingClientCall;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "sink.topic.retention=72h", "sink.topic.retention-size=1200MB" })
class DataSinkIT {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	private static final int MESSAGES = 2_000;

	@Autowired
	private GrpcServerLifecycle grpc;

	@Autowired
	private MessageStore store;

	@LocalServerPort
	private int managementPort;

	private ManagedChannel channel;

	@DynamicPropertySource
	static void kafka(DynamicPropertyRegistry registry) {
		registry.add("spring.kafka.bootstrap-servers", DevServices.shared().kafka()::bootstrapServers);
	}

	@BeforeEach
	void connect() {
		this.channel = channel().build();
		await().until(this.store::ready);
	}

	private ManagedChannelBuilder<?> channel() {
		return ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort()).usePlaintext();
	}

	@AfterEach
	void disconnect() throws InterruptedException {
		this.channel.shutdownNow().awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void storesEveryMessageByteForByteAndAcknowledgesIt() throws InterruptedException {
		Random random = new Random(42);
		Map<ByteString, byte[]> sent = new HashMap<>();
		ClientStream client = new ClientStream(this.channel, true);
		for (int i = 0; i < MESSAGES; i++) {
			byte[] payload = new byte[random.nextInt(3_000)];
			random.nextBytes(payload);
			ByteString id = ByteString.copyFromUtf8("it-" + i);
			sent.put(id, payload);
			Request.Builder request = Request.newBuilder().setVersion(1).setMessageId(id);
			client.send((i % 2 == 0) ? request.setPlainMessage(ByteString.copyFrom(payload))
					: request.setZstdCompressed(ByteString.copyFrom(Zstd.compress(payload))));
		}
		// The largest one allowed: the broker accepts it too.
		ByteString largeId = ByteString.copyFromUtf8("it-large");
		byte[] large = new byte[1024 * 1024];
		random.nextBytes(large);
		sent.put(largeId, large);
		client
			.send(Request.newBuilder().setVersion(1).setMessageId(largeId).setPlainMessage(ByteString.copyFrom(large)));
		client.call.onCompleted();

		await().until(() -> client.ended);
		assertThat(client.failure).isNull();
		assertThat(client.acked())
			.containsExactlyInAnyOrderElementsOf(sent.keySet().stream().map(ByteString::toStringUtf8).toList());
		Map<ByteString, byte[]> stored = readBack();
		assertThat(stored.keySet()).containsAll(sent.keySet());
		sent.forEach((id, payload) -> assertThat(stored.get(id)).as(id.toStringUtf8()).isEqualTo(payload));
	}

	/** Another one made the topic, for smaller messages than the sink takes. */
	@Test
	void refusesNothingButWhatIsTooLargeForTheTopic() throws Exception {
		Random random = new Random(42);
		try (Admin admin = admin()) {
			String before = maxMessageBytes(admin, null);
			maxMessageBytes(admin, "20000");
			try (SinkClient client = SinkClient.open(channel(), SinkClientOptions.inMemory(), DeliveryListener.NONE)) {
				for (int i = 1; i <= 400; i++) {
					byte[] payload = new byte[(i % 100 == 0) ? 60_000 : 1_000];
					random.nextBytes(payload);
					client.send(payload);
				}

				assertThat(client.awaitEmpty(DEADLINE)).isTrue();
				assertThat(client.stats().refused()).isEqualTo(4);
			}
			finally {
				maxMessageBytes(admin, before);
			}
		}
	}

	/**
	 * Returns what the topic takes, once it is what it should be, if that is not null.
	 */
	private static String maxMessageBytes(Admin admin, String bytes) throws Exception {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, Topics.SINK);
		if (bytes != null) {
			AlterConfigOp set = new AlterConfigOp(new ConfigEntry("max.message.bytes", bytes),
					AlterConfigOp.OpType.SET);
			admin.incrementalAlterConfigs(Map.of(topic, List.of(set)))
				.all()
				.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
		}
		return await().until(
				() -> admin.describeConfigs(List.of(topic)).values().get(topic).get().get("max.message.bytes").value(),
				(value) -> bytes == null || value.equals(bytes));
	}

	/**
	 * Includes messages in flight when the topic was deleted, and while it was missing.
	 */
	@Test
	void keepsTheOrderOfASessionWhoseTopicIsMadeAgain() throws Exception {
		int messages = 3_000;
		int keys = 3;
		ByteString run = ByteString.copyFromUtf8("made again " + System.nanoTime() + " ");
		try (SinkClient client = SinkClient.open(channel(), SinkClientOptions.inMemory(), DeliveryListener.NONE);
				Admin admin = admin()) {
			Uuid before = topicId(admin);
			for (int i = 0; i < messages; i++) {
				if (i == messages / 3) {
					admin.deleteTopics(List.of(Topics.SINK)).all().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
				}
				if (i == messages - 100) {
					await().ignoreException(ExecutionException.class).until(() -> !topicId(admin).equals(before));
					assertRetention(admin);
				}
				client.send(new Message(null, run.concat(ByteString.copyFromUtf8(Integer.toString(i))).toByteArray(),
						ByteString.copyFromUtf8("key-" + i % keys)));
			}
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
			for (int i = 0; i < keys; i++) {
				client.send(new Message(null,
						run.concat(ByteString.copyFromUtf8(Integer.toString(messages + i))).toByteArray(),
						ByteString.copyFromUtf8("key-" + i)));
			}
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}

		Map<ByteString, List<Integer>> stored = new HashMap<>();
		TopicRecords.forEach(DevServices.shared().kafka().bootstrapServers(), (record) -> {
			ByteString payload = ByteString.copyFrom(record.value());
			if (payload.startsWith(run)) {
				byte[] key = TopicRecord.read(record.headers()).key().toByteArray();
				assertThat(record.partition()).isEqualTo(BuiltInPartitioner.partitionForKey(key, 12));
				stored.computeIfAbsent(TopicRecord.read(record.headers()).key(), (_) -> new ArrayList<>())
					.add(Integer.valueOf(payload.substring(run.size()).toStringUtf8()));
			}
		});
		assertThat(stored).hasSize(keys);
		stored.forEach((key, numbers) -> {
			assertThat(numbers).as(key.toStringUtf8()).isSorted().doesNotHaveDuplicates();
			assertThat(numbers.getLast()).isGreaterThanOrEqualTo(messages);
		});
	}

	private static void assertRetention(Admin admin) throws Exception {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, Topics.SINK);
		Config made = admin.describeConfigs(List.of(topic)).values().get(topic).get();
		assertThat(made.get("retention.ms").value()).isEqualTo("259200000");
		assertThat(made.get("retention.bytes").value()).as("of each of 12 partitions")
			.isEqualTo(Long.toString(100 * 1024 * 1024));
	}

	private static Admin admin() {
		return Admin
			.create(Map.<String, Object>of("bootstrap.servers", DevServices.shared().kafka().bootstrapServers()));
	}

	private static Uuid topicId(Admin admin) throws Exception {
		return admin.describeTopics(List.of(Topics.SINK))
			.allTopicNames()
			.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)
			.get(Topics.SINK)
			.topicId();
	}

	@Test
	void showsItsHealthAndItsMetrics() {
		HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(this.channel);
		for (String service : List.of("", DataSinkGrpc.SERVICE_NAME)) {
			await().ignoreException(StatusRuntimeException.class)
				.untilAsserted(() -> assertThat(
						health.check(HealthCheckRequest.newBuilder().setService(service).build()).getStatus())
					.as(service)
					.isEqualTo(ServingStatus.SERVING));
		}

		RestClient management = RestClient.create("http://127.0.0.1:" + this.managementPort);
		assertThat(management.get().uri("/actuator/health/readiness").retrieve().body(String.class)).contains("UP");
		assertThat(management.get().uri("/actuator/health").retrieve().body(String.class)).contains("\"threads\":");
		assertThat(management.get().uri("/actuator/prometheus").retrieve().body(String.class))
			.contains("sluice_sink_received_total", "sluice_sink_in_flight", "sluice_sink_store_duration_seconds");
	}

	/** What grpcurl needs. */
	@Test
	void describesItselfByReflection() throws Exception {
		BlockingClientCall<ServerReflectionRequest, ServerReflectionResponse> call = ServerReflectionGrpc
			.newBlockingV2Stub(this.channel)
			.serverReflectionInfo();
		call.write(ServerReflectionRequest.newBuilder().setFileContainingSymbol(DataSinkGrpc.SERVICE_NAME).build());

		ServerReflectionResponse described = call.read(DEADLINE.toSeconds(), TimeUnit.SECONDS);

		call.halfClose();
		assertThat(described.getFileDescriptorResponse().getFileDescriptorProtoList())
			.containsExactly(Request.getDescriptor().getFile().toProto().toByteString());
	}

	private static Map<ByteString, byte[]> readBack() {
		Map<ByteString, byte[]> stored = new HashMap<>();
		TopicRecords.forEach(DevServices.shared().kafka().bootstrapServers(),
				(record) -> stored.put(ByteString.copyFrom(record.key()), record.value()));
		return stored;
	}

}
