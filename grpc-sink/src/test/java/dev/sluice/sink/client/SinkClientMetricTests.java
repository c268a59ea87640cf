package dev.sluice.sink.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.docs.GeneratedTable;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Spool;
import io.grpc.Status;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SinkClientMetricTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private final ScriptedSink sink = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private SinkClient client;

	@BeforeEach
	void start() {
		this.client = open(this.loop);
		new SinkClientMetrics(this.client, Tags.of("sink", "a")).bindTo(this.registry);
	}

	private SinkClient open(EventLoop loop) {
		return new SinkClient(this.sink.channel(),
				SinkClientOptions.inMemory().withWindow(10).withAckTimeout(ACK_TIMEOUT), DeliveryListener.NONE,
				new MemorySpool(100_000), loop);
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.sink.close();
	}

	@Test
	void standInTheDocumentAsTheyAre() throws IOException {
		GeneratedTable table = new GeneratedTable(Path.of("../docs/metrics.md"), "sink-client", "metric", "unit",
				"tags", "meaning");
		for (SinkClientMetric metric : SinkClientMetric.values()) {
			table.row("`%s`".formatted(metric.key()), metric.unit(), "", metric.meaning());
		}
		table.check();
	}

	@Test
	void showWhatWaitsAndWhatIsOnItsWay() throws Exception {
		send("a", "b", "c");
		assertThat(value(SinkClientMetric.CONNECTED)).isZero();
		assertThat(value(SinkClientMetric.SPOOLED)).isEqualTo(3);
		assertThat(value(SinkClientMetric.SPOOL_BYTES)).isEqualTo(3 * (Spool.OVERHEAD_BYTES + 1 + 100));
		assertThat(value(SinkClientMetric.SENT)).isZero();

		this.sink.sendInfo(2);
		assertThat(value(SinkClientMetric.CONNECTED)).isOne();
		assertThat(value(SinkClientMetric.WINDOW)).isEqualTo(2);
		assertThat(value(SinkClientMetric.IN_FLIGHT)).isEqualTo(2);
		assertThat(value(SinkClientMetric.SENT)).isEqualTo(2);
		assertThat(value(SinkClientMetric.SENT_BYTES)).isEqualTo(2 * this.sink.requests.getFirst().getSerializedSize());

		this.sink.ack("a", "b");
		assertThat(value(SinkClientMetric.ACKNOWLEDGED)).isEqualTo(2);
		assertThat(value(SinkClientMetric.SPOOLED)).isOne();
		this.sink.ack("c");
		assertThat(value(SinkClientMetric.OLDEST)).isZero();
		assertThat(value(SinkClientMetric.SPOOL_BYTES)).isZero();
	}

	@Test
	void countWhatIsSentAgainAfterATimeoutAndAfterADisconnection() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		this.loop.pass(ACK_TIMEOUT);
		assertThat(value(SinkClientMetric.TIMEOUTS)).isOne();
		assertThat(value(SinkClientMetric.REPEATED)).isOne();

		send("b");
		this.sink.fail(Status.UNAVAILABLE);
		assertThat(value(SinkClientMetric.DISCONNECTIONS)).isOne();
		assertThat(value(SinkClientMetric.CONNECTED)).isZero();
		this.loop.pass(Duration.ofMillis(100));
		this.sink.sendInfo(100);

		assertThat(this.sink.received).containsExactly("a", "a", "b", "a", "b");
		assertThat(value(SinkClientMetric.SENT)).isEqualTo(5);
		assertThat(value(SinkClientMetric.REPEATED)).isEqualTo(3);
	}

	@Test
	void countEachMessageOnceHoweverItEnds() throws Exception {
		this.sink.sendInfo(100, 1_000);
		send("a", "bad", "late");
		this.client.send(ByteString.copyFromUtf8("large"), new byte[1_001]);
		this.sink.refuse("bad");
		this.loop.pass(ACK_TIMEOUT);
		this.sink.ack("a", "late", "stranger");
		this.sink.ack("a", "late");

		assertThat(value(SinkClientMetric.ACKNOWLEDGED)).isEqualTo(2);
		assertThat(value(SinkClientMetric.REFUSED)).isEqualTo(2);
		assertThat(value(SinkClientMetric.SPOOLED)).isZero();
		assertThat(value(SinkClientMetric.DAMAGED)).isZero();
	}

	@Test
	void ofAClosedClientDoNotHideThoseOfTheNext() throws Exception {
		SimpleMeterRegistry own = new SimpleMeterRegistry();
		try (SinkClient first = open(new ManualLoop()); var metrics = new SinkClientMetrics(first, Tags.empty())) {
			metrics.bindTo(own);
			first.send(new byte[10]);
			assertThat(own.get(SinkClientMetric.SPOOLED.key()).gauge().value()).isOne();
		}
		assertThat(own.getMeters()).isEmpty();

		try (SinkClient second = open(new ManualLoop()); var metrics = new SinkClientMetrics(second, Tags.empty())) {
			metrics.bindTo(own);
			assertThat(own.get(SinkClientMetric.SPOOLED.key()).gauge().value()).isZero();
		}
	}

	/** The others are also used on a class path without Micrometer. */
	@Test
	void areAllThatNeedsMicrometer() throws Exception {
		Path classes = Path.of(SinkClient.class.getProtectionDomain().getCodeSource().getLocation().toURI())
			.resolve("dev/sluice/sink/client");
		List<String> needing = new ArrayList<>();
		try (Stream<Path> files = Files.walk(classes)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".class")).toList()) {
				if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("io/micrometer/")) {
					needing.add(file.getFileName().toString());
				}
			}
		}

		assertThat(needing).containsExactlyInAnyOrder("SinkClientMetrics.class", "SinkClientMetrics$Bound.class");
	}

	private void send(String... ids) throws InterruptedException {
		for (String id : ids) {
			this.client.send(ByteString.copyFromUtf8(id), new byte[100]);
		}
	}

	private double value(SinkClientMetric metric) {
		Meter meter = this.registry.get(metric.key()).tag("sink", "a").meter();
		return meter.measure().iterator().next().getValue();
	}

}
