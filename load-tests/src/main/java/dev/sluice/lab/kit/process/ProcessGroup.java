package dev.sluice.lab.kit.process;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.DevServices;

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
		groups.put("kafka", new ProcessGroup(services.kafka().processes()));
		groups.put("postgresql", new ProcessGroup(services.postgres().processes()));
		groups.values().removeIf((group) -> group.pids().isEmpty());
		return groups;
	}

}
