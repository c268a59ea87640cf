package dev.sluice.sink.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

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
		send("a", "twice", "twice", "bad", "late");
		this.client.send(ByteString.copyFromUtf8("large"), new byte[1_001]);
		this.sink.refuse("bad");
		this.loop.pass(ACK_TIMEOUT);
		this.sink.ack("a", "twice", "late", "stranger");
		this.sink.ack("a", "twice", "late");

		assertThat(value(SinkClientMetric.ACKNOWLEDGED)).isEqualTo(4);
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

	/** As on a class path without Micrometer. */
	@Test
	void areAllThatNeedsMicrometer() throws Exception {
		ClassLoader without = new WithoutMicrometer();

		for (String name : List.of("SinkClient", "Session", "Progress", "SinkClientMetric", "spool.FileSpool")) {
			Class<?> type = Class.forName("dev.sluice.sink.client." + name, true, without);
			assertThat(type.getClassLoader()).isSameAs(without);
			assertThat(type.getDeclaredMethods()).isNotEmpty();
		}
		Class<?> metrics = Class.forName("dev.sluice.sink.client.SinkClientMetrics", false,
				getClass().getClassLoader());
		assertThat(metrics.getInterfaces()).extracting(Class::getName)
			.containsExactlyInAnyOrder("io.micrometer.core.instrument.binder.MeterBinder", "java.lang.AutoCloseable");
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

	/** Loads the client's classes again, without any class of Micrometer. */
	private static final class WithoutMicrometer extends ClassLoader {

		WithoutMicrometer() {
			super(SinkClientMetricTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("io.micrometer.")) {
				throw new ClassNotFoundException(name);
			}
			if (!name.startsWith("dev.sluice.sink.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> known = findLoadedClass(name);
				return (known != null) ? known : define(name);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
