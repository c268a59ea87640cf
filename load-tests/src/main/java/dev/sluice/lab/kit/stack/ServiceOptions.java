package dev.sluice.lab.kit.stack;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The options of one start of a service.
 *
 * @param jvmArgs JVM options, placed after the stack's own; if two conflict, the JVM
 * takes the last
 * @param properties Spring properties, which override the stack's own
 * @param log name of its log file in the stack's directory, without {@code .log}; empty
 * for the service's name
 */
public record ServiceOptions(List<String> jvmArgs, Map<String, String> properties, String log) {

	/** The property that gives health and metrics a port of their own. */
	public static final String MANAGEMENT_PORT = "management.server.port";

	/** The property with the time of a gateway's warm-up before it is ready. */
	public static final String WARM_UP = "sluice.warm-up";

	public static final ServiceOptions NONE = new ServiceOptions(List.of(), Map.of(), "");

	public ServiceOptions {
		jvmArgs = List.copyOf(jvmArgs);
		properties = Map.copyOf(properties);
	}

	public ServiceOptions withJvmArgs(String... values) {
		return new ServiceOptions(Stream.concat(this.jvmArgs.stream(), Stream.of(values)).toList(), this.properties,
				this.log);
	}

	public ServiceOptions withProperty(String key, Object value) {
		Map<String, String> all = new LinkedHashMap<>(this.properties);
		all.put(key, value.toString());
		return new ServiceOptions(this.jvmArgs, all, this.log);
	}

	public ServiceOptions withLog(String value) {
		return new ServiceOptions(this.jvmArgs, this.properties, value);
	}

}
