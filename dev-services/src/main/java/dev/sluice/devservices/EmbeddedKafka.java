package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Kafka in a child JVM. */
final class EmbeddedKafka implements Server, KafkaService {

	private static final List<String> JVM_ARGS = List.of("-Xms256m", "-Xmx512m", "-XX:+UseG1GC");

	private final EmbeddedProcess process;

	private final int wantedPort;

	private volatile int port;

	/**
	 * Starts nothing.
	 * @param port 0 takes a free one
	 * @param directory null for a temporary one
	 */
	EmbeddedKafka(int port, @Nullable Path directory) {
		this.wantedPort = port;
		this.process = new EmbeddedProcess("kafka", KafkaMain.class, JVM_ARGS, directory);
	}

	@Override
	public void start() {
		int again = this.port;
		Ports.requireFree((again != 0) ? again : this.wantedPort, "Kafka");
		this.port = (again != 0) ? again : (this.wantedPort != 0) ? this.wantedPort : Ports.free();
		this.process.start(this.port);
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
	public void thaw() {
		this.process.thaw();
	}

	@Override
	public void close() {
		this.process.close();
	}

	@Override
	public String bootstrapServers() {
		return "127.0.0.1:" + this.port;
	}

}
