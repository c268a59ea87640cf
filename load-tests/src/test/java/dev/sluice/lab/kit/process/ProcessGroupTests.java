package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.KafkaService;
import dev.sluice.devservices.Ports;
import dev.sluice.devservices.PostgresService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class ProcessGroupTests {

	private static final long SELF = ProcessHandle.current().pid();

	@Test
	@EnabledOnOs(OS.LINUX)
	void findsTheServersByTheirPorts() throws IOException {
		try (ServerSocket kafka = listen(); ServerSocket postgres = listen()) {
			Map<String, ProcessGroup> groups = ProcessGroup
				.ofInfrastructure(new Servers("127.0.0.1:" + kafka.getLocalPort(), postgres.getLocalPort()));

			assertThat(groups).containsExactly(entry("kafka", ProcessGroup.of(SELF)),
					entry("postgresql", ProcessGroup.of(SELF)));
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void looksAtEachBroker() throws IOException {
		try (ServerSocket broker = listen()) {
			String brokers = "[::1]:%s,localhost:%s".formatted(Ports.free(), broker.getLocalPort());

			assertThat(ProcessGroup.ofInfrastructure(new Servers(brokers, Ports.free())))
				.containsExactly(entry("kafka", ProcessGroup.of(SELF)));
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void countsAProcessWithTwoPortsOnce() throws IOException {
		try (ServerSocket broker = listen(); ServerSocket other = listen()) {
			String brokers = "127.0.0.1:%s,127.0.0.1:%s".formatted(broker.getLocalPort(), other.getLocalPort());

			assertThat(ProcessGroup.ofInfrastructure(new Servers(brokers, Ports.free())))
				.containsExactly(entry("kafka", ProcessGroup.of(SELF)));
		}
	}

	@Test
	void aServerThatIsNotOfThisMachineHasNoGroup() {
		assertThat(ProcessGroup.ofInfrastructure(new Servers("localhost:" + Ports.free(), Ports.free()))).isEmpty();
	}

	private static ServerSocket listen() throws IOException {
		return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
	}

	/** Addresses of servers that are processes of this machine, if they are at all. */
	private record Servers(String brokers, int postgresPort) implements DevServices {

		@Override
		public KafkaService kafka() {
			return new Kafka(this.brokers);
		}

		@Override
		public PostgresService postgres() {
			return new Postgres("localhost", this.postgresPort);
		}

		@Override
		public Infrastructure infrastructure() {
			return Infrastructure.EMBEDDED;
		}

		@Override
		public void close() {
		}

	}

	private record Kafka(String bootstrapServers) implements Untouched, KafkaService {

		@Override
		public List<Breakable> brokers() {
			return List.of(this);
		}

	}

	private record Postgres(String host, int port) implements Untouched, PostgresService {
	}

	private interface Untouched extends Breakable {

		@Override
		default void kill() {
			throw new UnsupportedOperationException();
		}

		@Override
		default void stop() {
			throw new UnsupportedOperationException();
		}

		@Override
		default void start() {
			throw new UnsupportedOperationException();
		}

		@Override
		default void freeze() {
			throw new UnsupportedOperationException();
		}

		@Override
		default void unfreeze() {
			throw new UnsupportedOperationException();
		}

	}

}
