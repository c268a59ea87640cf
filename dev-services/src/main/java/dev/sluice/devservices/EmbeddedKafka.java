package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** A Kafka broker and controller in a child JVM. */
final class EmbeddedKafka implements KafkaBroker {

	private static final List<String> JVM_ARGS = List.of("-Xms256m", "-Xmx512m", "-XX:+UseG1GC");

	private final EmbeddedProcess process;

	private final int wantedPort;

	private volatile int port;

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 * @param directory null for a temporary one
	 */
	EmbeddedKafka(int port, @Nullable Path directory) {
		this(port, new EmbeddedProcess("kafka", KafkaMain.class, JVM_ARGS, directory));
	}

	private EmbeddedKafka(int port, EmbeddedProcess process) {
		this.wantedPort = port;
		this.process = process;
	}

	/**
	 * The brokers of one cluster, each with a directory of its own. Starts none.
	 * @param ports one for each broker; 0 picks a free one
	 * @param directory null for temporary ones
	 */
	static List<EmbeddedKafka> cluster(List<Integer> ports, @Nullable Path directory) {
		String voters = KafkaMain.voters(Ports.free(ports.size()));
		return IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> new EmbeddedKafka(ports.get(node - 1),
					new EmbeddedProcess("kafka-" + node, KafkaMain.class,
							Stream.concat(JVM_ARGS.stream(), KafkaMain.jvmArgs(node, voters).stream()).toList(),
							directory)))
			.toList();
	}

	@Override
	public void start() {
		int again = (this.port != 0) ? this.port : this.wantedPort;
		Ports.requireFree(again, "Kafka");
		int chosen = (again != 0) ? again : Ports.free();
		this.process.start(chosen);
		// Only now: if the first start fails, the next one may choose another port.
		this.port = chosen;
	}

	@Override
	public void kill() {
		this.process.kill();
	}

	@Override
	public void stop() {
		this.process.stop();
	}

	@Override
	public void freeze() {
		this.process.freeze();
	}

	@Override
	public void unfreeze() {
		this.process.unfreeze();
	}

	@Override
	public void close() {
		this.process.close();
	}

	@Override
	public String address() {
		return "127.0.0.1:" + this.port;
	}

}
