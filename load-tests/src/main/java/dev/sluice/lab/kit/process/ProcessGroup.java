package dev.sluice.lab.kit.process;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.sluice.devservices.ContainerProcesses;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Ports;

/**
 * Processes that share a name in the results.
 *
 * @param pids their ids, of a container that of its first process; each counts with its
 * descendants
 */
public record ProcessGroup(List<Long> pids) {

	public ProcessGroup {
		pids = List.copyOf(pids);
	}

	/** One process and its descendants. */
	public static ProcessGroup of(long pid) {
		return new ProcessGroup(List.of(pid));
	}

	/**
	 * Kafka and PostgreSQL, if they run on this machine, by their names in the results.
	 * The proxy of a container's port counts as part of the container. Processes missing
	 * here count as foreign.
	 */
	public static Map<String, ProcessGroup> ofInfrastructure(DevServices services) {
		Map<String, ProcessGroup> groups = new LinkedHashMap<>();
		List<Integer> kafka = Stream.of(services.kafka().bootstrapServers().split(","))
			.map((address) -> Integer.valueOf(address.substring(address.lastIndexOf(':') + 1)))
			.toList();
		groups.put("kafka", listening(kafka, services.infrastructure()));
		groups.put("postgresql", listening(List.of(services.postgres().port()), services.infrastructure()));
		groups.values().removeIf((group) -> group.pids().isEmpty());
		return groups;
	}

	private static ProcessGroup listening(List<Integer> ports, Infrastructure infrastructure) {
		// One server may have several ports.
		Set<Long> pids = new LinkedHashSet<>();
		for (int port : ports) {
			Ports.holder(port).ifPresent((process) -> pids.add(process.pid()));
			if (infrastructure == Infrastructure.CONTAINERS) {
				ContainerProcesses.publishing(port).ifPresent(pids::add);
			}
		}
		return new ProcessGroup(List.copyOf(pids));
	}

}
