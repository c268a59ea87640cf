package dev.sluice.lab.kit.measure;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.sluice.lab.kit.metrics.Exposition.Series;
import dev.sluice.lab.kit.metrics.Exposition;
import org.jspecify.annotations.Nullable;

/**
 * Something limited in a service, whose use and limit the service exports.
 */
enum Limit {

	ADMISSION("requests in progress", "sluice_requests_in_progress", "sluice_requests_limit"),

	TOMCAT_THREADS("Tomcat threads", "tomcat_threads_busy_threads", "tomcat_threads_config_max_threads"),

	/**
	 * Never reached: it follows what the backend takes, so the backend limits. Its
	 * maximum is that of the connections.
	 */
	BACKEND_CALLS("calls to the backend", Double.POSITIVE_INFINITY,
			new Source("sluice_backend_calls", "sluice_backend_calls_limit", false, (_) -> true)),

	QUEUE_WRITES("orders being written to Kafka",
			new Source("resilience4j_bulkhead_available_concurrent_calls",
					"resilience4j_bulkhead_max_allowed_concurrent_calls", true,
					(series) -> series.label("name").equals("queue"))),

	PRODUCER_BUFFER("bytes in the producer's buffer",
			new Source("kafka_producer_buffer_available_bytes", "kafka_producer_buffer_total_bytes", true,
					(_) -> true)),

	BACKEND_CONNECTIONS("connections to the backend", new Source("httpcomponents_httpclient_pool_total_connections",
			"httpcomponents_httpclient_pool_total_max", false,
			(series) -> series.label("httpclient").equals("backend") && !series.label("state").equals("available"))),

	REACTIVE_BACKEND_CONNECTIONS("connections to the backend",
			new Source("reactor_netty_connection_provider_active_connections",
					"reactor_netty_connection_provider_max_connections", false,
					(series) -> series.label("name").equals("backend"))),

	DATABASE_CONNECTIONS("connections to PostgreSQL", "hikaricp_connections_active", "hikaricp_connections_max"),

	REACTIVE_DATABASE_CONNECTIONS("connections to PostgreSQL", "r2dbc_pool_acquired_connections",
			"r2dbc_pool_max_allocated_connections"),

	DELIVERY("orders in delivery", "sluice_delivery_in_flight", "sluice_delivery_limit"),

	/**
	 * The consumer reads no further batch if it might not fit. A batch is a quarter of
	 * the limit at most.
	 */
	PENDING("records read and not finished", 0.75,
			new Source("sluice_delivery_pending", "sluice_delivery_pending_limit", false, (_) -> true)),

	SINK_WINDOW("orders in flight to the sink", "sluice_delivery_sink_in_flight", "sluice_delivery_sink_window"),

	WORKERS("workers of the backend", "sluice_backend_in_flight", "sluice_backend_workers");

	/**
	 * The metrics that hold use and limit.
	 *
	 * @param used name of the metric of what is used, or of what is free
	 * @param limit name of the metric of the limit
	 * @param isFree whether the first metric is what is free
	 * @param filter selects the series
	 */
	private record Source(String used, String limit, boolean isFree, Predicate<Series> filter) {
	}

	/**
	 * From this share on a limit counts as reached, because a gauge moves between two
	 * scrapes.
	 */
	private static final double NEAR = 0.95;

	/** The mock's value for no limit. */
	private static final double NO_LIMIT = Integer.MAX_VALUE;

	private final String what;

	private final double near;

	private final Source source;

	Limit(String what, String used, String limit) {
		this(what, new Source(used, limit, false, (_) -> true));
	}

	Limit(String what, Source source) {
		this(what, NEAR, source);
	}

	Limit(String what, double near, Source source) {
		this.what = what;
		this.near = near;
		this.source = source;
	}

	/** The names of all metrics that are read. */
	static Set<String> names() {
		Set<String> names = new TreeSet<>();
		for (Limit limit : values()) {
			names.add(limit.source.used());
			names.add(limit.source.limit());
		}
		return names;
	}

	/** The limited thing in words: "orders in delivery". */
	String what() {
		return this.what;
	}

	/** How much is used, and of how much. */
	record Use(double used, double limit) {
	}

	/** Null if the service does not export both, or says that there is no limit. */
	@Nullable Use in(Exposition values) {
		Double used = sum(values, this.source.used());
		Double limit = sum(values, this.source.limit());
		if (used == null || limit == null || limit <= 0 || limit >= NO_LIMIT) {
			return null;
		}
		return new Use(this.source.isFree() ? limit - used : used, limit);
	}

	private @Nullable Double sum(Exposition values, String name) {
		return Exposition.sum(values.of(name).filter(this.source.filter()));
	}

	boolean isReached(Use use) {
		return use.used() >= use.limit() * this.near;
	}

}
