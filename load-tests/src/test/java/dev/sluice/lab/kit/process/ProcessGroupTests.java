package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Ports;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.mockito.Answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class ProcessGroupTests {

	private static final long SELF = ProcessHandle.current().pid();

	@Test
	@EnabledOnOs(OS.LINUX)
	void findsTheServersByTheirPorts() throws IOException {
		try (ServerSocket kafka = listen(); ServerSocket postgres = listen()) {
			Map<String, ProcessGroup> groups = ProcessGroup
				.ofInfrastructure(servers("127.0.0.1:" + kafka.getLocalPort(), postgres.getLocalPort()));

			assertThat(groups).containsExactly(entry("kafka", ProcessGroup.of(SELF)),
					entry("postgresql", ProcessGroup.of(SELF)));
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void looksAtEachBroker() throws IOException {
		try (ServerSocket broker = listen()) {
			String brokers = "[::1]:%s,localhost:%s".formatted(Ports.free(), broker.getLocalPort());

			assertThat(ProcessGroup.ofInfrastructure(servers(brokers, Ports.free())))
				.containsExactly(entry("kafka", ProcessGroup.of(SELF)));
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void countsAProcessWithTwoPortsOnce() throws IOException {
		try (ServerSocket broker = listen(); ServerSocket other = listen()) {
			String brokers = "127.0.0.1:%s,127.0.0.1:%s".formatted(broker.getLocalPort(), other.getLocalPort());

			assertThat(ProcessGroup.ofInfrastructure(servers(brokers, Ports.free())))
				.containsExactly(entry("kafka", ProcessGroup.of(SELF)));
		}
	}

	@Test
	void aServerThatIsNotOfThisMachineHasNoGroup() {
		assertThat(ProcessGroup.ofInfrastructure(servers("localhost:" + Ports.free(), Ports.free()))).isEmpty();
	}

	private static ServerSocket listen() throws IOException {
		return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
	}

	/** Servers of which only these addresses are asked for. */
	private static DevServices servers(String brokers, int postgresPort) {
		DevServices servers = mock(DevServices.class, Answers.RETURNS_DEEP_STUBS);
		when(servers.kafka().bootstrapServers()).thenReturn(brokers);
		when(servers.postgres().port()).thenReturn(postgresPort);
		when(servers.infrastructure()).thenReturn(Infrastructure.EMBEDDED);
		return servers;
	}

}
