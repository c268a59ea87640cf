package dev.sluice.sink.ordeal;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.TopicRecords;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sends messages from a process with a spool to a sink process, while the connection is
 * cut and both processes are killed. Then every message must be in the topic once, byte
 * for byte. The long run:
 *
 * <pre>
 * mvn verify -Pfull -pl grpc-sink -am -Dit.test=CutAndKillIT -Dsluice.cuts=200 -Dsluice.kills=20 -Dsluice.messages=100000
 * </pre>
 */
@Tag("full")
class CutAndKillIT {

	private static final int MESSAGES = Integer.getInteger("sluice.messages", 4_000);

	private static final int CUTS = Integer.getInteger("sluice.cuts", 8);

	private static final int KILLS = Integer.getInteger("sluice.kills", 1);

	private static final long SEED = Long.getLong("sluice.seed", 42);

	private static final String PREFIX = "ordeal-" + System.nanoTime() + "-";

	private static final Duration DEADLINE = Patience.of(Duration.ofMinutes(5));

	@TempDir
	private Path directory;

	private enum Fault {

		CUT, KILL_SINK, KILL_PRODUCER

	}

	@Test
	void losesNothingAndStoresNothingTwice() throws Exception {
		String kafka = DevServices.shared().kafka().bootstrapServers();
		int sinkPort = Ports.free();
		List<Fault> faults = faults();
		JavaProcess sink = sink(kafka, sinkPort).awaitReady();
		JavaProcess producer = null;
		int connectionsCut = 0;
		try (Cuttable connection = new Cuttable(sinkPort)) {
			producer = producer(connection.port());
			for (int i = 0; i < faults.size(); i++) {
				int due = (int) ((i + 1L) * MESSAGES / (faults.size() + 1));
				JavaProcess sending = producer;
				await().atMost(DEADLINE)
					.pollInterval(Duration.ofMillis(2))
					.until(() -> Producer.sent(this.directory) >= due || !sending.isAlive());
				assertThat(producer.isAlive()).as(() -> "sends still: " + sending.tail()).isTrue();
				switch (faults.get(i)) {
					// There may be none for a moment after the previous fault.
					case CUT -> connectionsCut += await().atMost(DEADLINE)
						.pollInterval(Duration.ofMillis(2))
						.until(connection::cut, (cut) -> cut > 0 || !sending.isAlive());
					case KILL_SINK -> {
						sink.kill();
						sink = sink.relaunch().awaitReady();
					}
					case KILL_PRODUCER -> {
						producer.kill();
						producer = producer.relaunch();
					}
				}
			}
			JavaProcess last = producer;
			await().atMost(DEADLINE).until(() -> !last.isAlive());
			assertThat(Producer.sent(this.directory)).as(last::tail).isEqualTo(MESSAGES);
		}
		finally {
			if (producer != null) {
				producer.close();
			}
			sink.close();
		}

		assertThat(connectionsCut).isGreaterThan(CUTS / 2);
		assertStoredOnce(kafka);
	}

	/** In an order given by the seed. */
	private static List<Fault> faults() {
		List<Fault> faults = new ArrayList<>(Collections.nCopies(CUTS, Fault.CUT));
		faults.addAll(Collections.nCopies(KILLS, Fault.KILL_SINK));
		faults.addAll(Collections.nCopies(KILLS, Fault.KILL_PRODUCER));
		Collections.shuffle(faults, new Random(SEED));
		return faults;
	}

	private JavaProcess sink(String kafka, int port) {
		int managementPort = Ports.free();
		return JavaProcess.mainClass("dev.sluice.sink.SinkApplication")
			.jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1")
			.property("server.port", managementPort)
			.property("spring.grpc.server.port", port)
			.property("spring.kafka.bootstrap-servers", kafka)
			.logFile(this.directory.resolve("sink.log"))
			.readyWhen(URI.create("http://127.0.0.1:%d/actuator/health/readiness".formatted(managementPort)),
					DevServices.startTimeout())
			.start();
	}

	private JavaProcess producer(int port) {
		return JavaProcess.mainClass(Producer.class.getName())
			.jvmArgs("-Xmx128m", "-XX:TieredStopAtLevel=1")
			.args(Integer.toString(port), this.directory.toString(), Integer.toString(MESSAGES), PREFIX)
			.logFile(this.directory.resolve("producer.log"))
			.start();
	}

	private static void assertStoredOnce(String kafka) {
		BitSet found = new BitSet(MESSAGES);
		List<String> twice = new ArrayList<>();
		List<String> damaged = new ArrayList<>();
		TopicRecords.forEach(kafka, (record) -> {
			// Other tests' records may have no key.
			String id = (record.key() != null) ? new String(record.key(), StandardCharsets.UTF_8) : "";
			if (id.startsWith(PREFIX)) {
				int number = Integer.parseInt(id.substring(PREFIX.length()));
				if (found.get(number)) {
					twice.add(id);
				}
				found.set(number);
				if (!Producer.isPayload(number, record.value())) {
					damaged.add(id);
				}
			}
		});
		assertThat(found.cardinality()).as("0 lost").isEqualTo(MESSAGES);
		assertThat(twice).as("0 stored twice").isEmpty();
		assertThat(damaged).as("byte for byte").isEmpty();
	}

}
