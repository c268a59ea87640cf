package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** A Kafka broker and controller in a child JVM. */
final class EmbeddedKafka extends EmbeddedProcess implements KafkaBroker {

	private static final List<String> JVM_ARGS = List.of("-Xms256m", "-Xmx512m", "-XX:+UseG1GC");

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 * @param directory null for a temporary one
	 */
	EmbeddedKafka(int port, @Nullable Path directory) {
		super("kafka", port, KafkaMain.class, JVM_ARGS, directory);
	}

	private EmbeddedKafka(int node, int port, String voters, @Nullable Path directory) {
		super("kafka-" + node, port, KafkaMain.class,
				Stream.concat(JVM_ARGS.stream(), KafkaMain.jvmArgs(node, voters).stream()).toList(), directory);
	}

	/**
	 * The brokers of one cluster, each with a directory of its own. Starts none.
	 * @param ports one for each broker; 0 picks a free one
	 * @param directory null for temporary ones
	 */
	static List<EmbeddedKafka> cluster(List<Integer> ports, @Nullable Path directory) {
		String voters = KafkaMain.voters(Ports.free(ports.size()));
		return IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> new EmbeddedKafka(node, ports.get(node - 1), voters, directory))
			.toList();
	}

	@Override
	public String address() {
		return "127.0.0.1:" + port();
	}

}
