package dev.sluice.sink.ordeal;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.TopicRecords;
import dev.sluice.sink.format.TopicRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three clients, each with a spool, send numbered messages to two sinks that share a
 * topic, while connections are cut and sinks and clients are killed. Then every message
 * that a client accepted must be committed in the topic once, byte for byte, and messages
 * with the same key in the order in which they were sent. The long run:
 *
 * <pre>
 * mvn verify -Pfull -pl grpc-sink -am -Dit.test=TwoSinksIT -Dsluice.cuts=200 -Dsluice.kills=20 -Dsluice.messages=100000
 * </pre>
 */
@Tag("full")
class TwoSinksIT {

	private static final int CLIENTS = 3;

	/** Messages of each client. */
	private static final int MESSAGES = Integer.getInteger("sluice.messages", 6_000) / CLIENTS;

	private static final int CUTS = Integer.getInteger("sluice.cuts", 8);

	private static final int KILLS = Integer.getInteger("sluice.kills", 2);

	private static final long SEED = Long.getLong("sluice.seed", 42);

	private static final long RUN = System.nanoTime();

	private static final Duration DEADLINE = Patience.of(Duration.ofMinutes(5));

	private final Random random = new Random(SEED);

	private final List<JavaProcess> sinks = new ArrayList<>();

	private final List<Cuttable> connections = new ArrayList<>();

	private final List<JavaProcess> producers = new ArrayList<>();

	@TempDir
	private Path directory;

	private enum Fault {

		CUT, KILL_SINK, KILL_PRODUCER

	}

	@Test
	void loseNothingAndStoreNothingTwice() throws Exception {
		String kafka = DevServices.shared().kafka().bootstrapServers();
		int connectionsCut = 0;
		try {
			for (int i = 0; i < 2; i++) {
				int port = Ports.free();
				this.sinks.add(sink(kafka, port, i));
				this.connections.add(new Cuttable(port));
			}
			for (JavaProcess sink : this.sinks) {
				sink.awaitReady();
			}
			for (int i = 0; i < CLIENTS; i++) {
				this.producers.add(producer(i));
			}
			List<Fault> faults = faults();
			for (int i = 0; i < faults.size(); i++) {
				int due = (int) ((i + 1L) * MESSAGES * CLIENTS / (faults.size() + 1));
				await().atMost(DEADLINE).pollInterval(Duration.ofMillis(2)).until(() -> sent() >= due || !allAlive());
				assertThat(this.producers)
					.allSatisfy((one) -> assertThat(one.isAlive() || done(one)).as(one::tail).isTrue());
				connectionsCut += strike(faults.get(i));
			}
			await().atMost(DEADLINE).until(() -> this.producers.stream().noneMatch(JavaProcess::isAlive));
			assertThat(sent()).as(() -> this.producers.getFirst().tail()).isEqualTo(CLIENTS * MESSAGES);
		}
		finally {
			for (JavaProcess one : this.producers) {
				one.close();
			}
			for (Cuttable one : this.connections) {
				one.close();
			}
			for (JavaProcess one : this.sinks) {
				one.close();
			}
		}

		assertThat(connectionsCut).isPositive();
		assertStoredOnce(kafka);
	}

	private boolean allAlive() {
		return this.producers.stream().allMatch(JavaProcess::isAlive);
	}

	private boolean done(JavaProcess producer) throws Exception {
		return NumberedProducer.progress(clientDirectory(this.producers.indexOf(producer))).length == MESSAGES;
	}

	private int sent() throws Exception {
		int sent = 0;
		for (int i = 0; i < CLIENTS; i++) {
			sent += NumberedProducer.progress(clientDirectory(i)).length;
		}
		return sent;
	}

	private int strike(Fault fault) throws Exception {
		switch (fault) {
			case CUT -> {
				return this.connections.get(this.random.nextInt(2)).cut();
			}
			case KILL_SINK -> {
				int which = this.random.nextInt(2);
				this.sinks.get(which).kill();
				this.sinks.set(which, this.sinks.get(which).launch());
			}
			case KILL_PRODUCER -> {
				int which = this.random.nextInt(CLIENTS);
				if (this.producers.get(which).isAlive()) {
					this.producers.get(which).kill();
					this.producers.set(which, this.producers.get(which).launch());
				}
			}
		}
		return 0;
	}

	/** In an order given by the seed. */
	private List<Fault> faults() {
		List<Fault> faults = new ArrayList<>(Collections.nCopies(CUTS, Fault.CUT));
		faults.addAll(Collections.nCopies(KILLS, Fault.KILL_SINK));
		faults.addAll(Collections.nCopies(KILLS, Fault.KILL_PRODUCER));
		Collections.shuffle(faults, this.random);
		return faults;
	}

	private JavaProcess sink(String kafka, int port, int number) {
		int managementPort = Ports.free();
		return JavaProcess.mainClass("dev.sluice.sink.SinkApplication")
			.jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1")
			.property("server.port", managementPort)
			.property("spring.grpc.server.port", port)
			.property("spring.kafka.bootstrap-servers", kafka)
			.logFile(this.directory.resolve("sink-%s.log".formatted(number)))
			.readyWhen(URI.create("http://127.0.0.1:%s/actuator/health/readiness".formatted(managementPort)),
					DevServices.startTimeout())
			.launch()
			.awaitReady();
	}

	private Path clientDirectory(int client) throws Exception {
		return Files.createDirectories(this.directory.resolve("client-" + client));
	}

	private JavaProcess producer(int client) throws Exception {
		return JavaProcess.mainClass(NumberedProducer.class.getName())
			.jvmArgs("-Xmx96m", "-XX:TieredStopAtLevel=1")
			.args(clientDirectory(client).toString(), Integer.toString(MESSAGES), Long.toString(RUN),
					Integer.toString(client), Integer.toString(this.connections.getFirst().port()),
					Integer.toString(this.connections.getLast().port()))
			.logFile(this.directory.resolve("producer-%s.log".formatted(client)))
			.launch();
	}

	private void assertStoredOnce(String kafka) throws Exception {
		List<Set<Integer>> found = new ArrayList<>();
		for (int i = 0; i < CLIENTS; i++) {
			found.add(new HashSet<>());
		}
		List<String> twice = new ArrayList<>();
		List<String> overtaken = new ArrayList<>();
		Map<String, Integer> last = new HashMap<>();
		List<String> damaged = new ArrayList<>();
		TopicRecords.forEach(kafka, (record) -> {
			ByteBuffer payload = ByteBuffer.wrap(record.value());
			if (payload.remaining() >= NumberedProducer.HEAD_BYTES && payload.getLong() == RUN) {
				int client = payload.getInt();
				int number = payload.getInt();
				// Messages without a key are ordered within their session.
				TopicRecord stored = TopicRecord.read(record.headers());
				String line = client + "/" + (stored.key().isEmpty() ? stored.session() : stored.key());
				assertThat(stored.key()).isEqualTo(NumberedProducer.key(number));
				Integer before = last.put(line, number);
				if (before != null && before > number) {
					overtaken.add(line + ": " + before + " before " + number);
				}
				if (!found.get(client).add(number)) {
					twice.add(client + "-" + number);
				}
				if (!NumberedProducer.isPayload(RUN, client, number, record.value())) {
					damaged.add(client + "-" + number);
				}
			}
		});
		int lost = 0;
		int inDoubt = 0;
		for (int client = 0; client < CLIENTS; client++) {
			byte[] progress = NumberedProducer.progress(clientDirectory(client));
			for (int i = 0; i < MESSAGES; i++) {
				inDoubt += (progress[i] == NumberedProducer.IN_DOUBT) ? 1 : 0;
				lost += (found.get(client).contains(i) || progress[i] == NumberedProducer.IN_DOUBT) ? 0 : 1;
			}
		}
		assertThat(lost).as("0 lost").isZero();
		assertThat(twice).as("0 stored twice").isEmpty();
		assertThat(damaged).as("byte for byte").isEmpty();
		assertThat(overtaken).as("in order by key").isEmpty();
		assertThat(inDoubt).as("at most the message being sent at each kill").isLessThanOrEqualTo(KILLS);
	}

}
