package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Network;

/**
 * Kafka and PostgreSQL of one's own, each started when it is first asked for (at once by
 * two threads: side by side). Safe for use by several threads.
 * <p>
 * Everything listens on the loopback interface only and is thrown away on {@link #close},
 * unless a {@link Builder#directory directory} was named.
 */
public interface DevServices extends AutoCloseable {

	/**
	 * Resolves what to run; starts no server yet. The caller closes it.
	 * @throws StartFailedException if containers are asked for and no engine answers
	 */
	static DevServices start(Infrastructure infrastructure) {
		return builder().infrastructure(infrastructure).start();
	}

	/**
	 * The one that all tests of this JVM share; {@value Infrastructure#VARIABLE} chooses
	 * what it runs. It ends with the JVM and must not be closed by a test.
	 */
	static DevServices shared() {
		return SharedDevServices.instance();
	}

	static Builder builder() {
		return new Builder();
	}

	/**
	 * Starts Kafka on the first call.
	 * @throws StartFailedException if it does not start
	 */
	KafkaService kafka();

	/**
	 * Starts PostgreSQL on the first call.
	 * @throws StartFailedException if it does not start
	 */
	PostgresService postgres();

	/** What it runs: {@code CONTAINERS} or {@code EMBEDDED}, never {@code AUTO}. */
	Infrastructure infrastructure();

	/** Stops what was started, also what another thread is just starting. */
	@Override
	void close();

	/** What may be chosen. */
	final class Builder {

		private static final int CLUSTER = 3;

		private Infrastructure infrastructure = Infrastructure.AUTO;

		private List<Integer> kafkaPorts = List.of(0);

		private int postgresPort;

		private @Nullable Path directory;

		private Builder() {
		}

		/** Default {@code AUTO}. */
		public Builder infrastructure(Infrastructure value) {
			this.infrastructure = value;
			return this;
		}

		/**
		 * A broker for each: one or three; 0 takes a free port. Default: one. Of three,
		 * each has a copy of what has three copies, as topics have by default, and two
		 * must have what is acknowledged: one of them may be lost.
		 */
		public Builder kafkaPorts(List<Integer> values) {
			if (values.size() != 1 && values.size() != CLUSTER) {
				throw new IllegalArgumentException("%d brokers: use 1 or %d".formatted(values.size(), CLUSTER));
			}
			this.kafkaPorts = List.copyOf(values);
			return this;
		}

		/** PostgreSQL's port; 0, the default, takes a free one. */
		public Builder postgresPort(int value) {
			this.postgresPort = value;
			return this;
		}

		/**
		 * Where embedded servers keep data and logs ({@code kafka}, {@code kafka.log}, of
		 * three brokers {@code kafka-1} and so on, {@code postgres},
		 * {@code postgres.log}); what is there already is used again, and it is kept on
		 * close. Default: a temporary directory, deleted on close. Containers keep
		 * nothing.
		 */
		public Builder directory(Path value) {
			this.directory = value.toAbsolutePath();
			return this;
		}

		/**
		 * Resolves what to run; starts no server yet.
		 * @throws StartFailedException if containers are asked for and no engine answers
		 */
		public DevServices start() {
			return switch (resolve()) {
				case CONTAINERS -> new LazyDevServices<>(Infrastructure.CONTAINERS, containers(),
						new ContainerPostgres(this.postgresPort));
				case EMBEDDED -> new LazyDevServices<>(Infrastructure.EMBEDDED, new KafkaCluster(embedded()),
						new EmbeddedPostgres(this.postgresPort, this.directory));
				case AUTO -> throw new AssertionError("AUTO is not resolved");
			};
		}

		private KafkaCluster containers() {
			if (this.kafkaPorts.size() == 1) {
				return new KafkaCluster(List.of(new ContainerKafka(this.kafkaPorts.getFirst())));
			}
			Network network = Network.newNetwork();
			return new KafkaCluster(ContainerKafka.cluster(this.kafkaPorts, network), network::close);
		}

		private List<EmbeddedKafka> embedded() {
			return (this.kafkaPorts.size() == 1)
					? List.of(new EmbeddedKafka(this.kafkaPorts.getFirst(), this.directory))
					: EmbeddedKafka.cluster(this.kafkaPorts, this.directory);
		}

		private Infrastructure resolve() {
			return switch (this.infrastructure) {
				case EMBEDDED -> Infrastructure.EMBEDDED;
				case CONTAINERS -> {
					DockerEngine.require();
					yield Infrastructure.CONTAINERS;
				}
				case AUTO -> DockerEngine.hasServers() ? Infrastructure.CONTAINERS : Infrastructure.EMBEDDED;
			};
		}

	}

}
