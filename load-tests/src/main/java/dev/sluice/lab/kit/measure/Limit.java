package dev.sluice.lab.kit.measure;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.sluice.lab.kit.measure.Exposition.Series;
import org.jspecify.annotations.Nullable;

/** Something limited in a service, whose use and limit the service exports. */
enum Limit {

	ADMISSION("requests in progress", "sluice_requests_in_progress", "sluice_requests_limit"),

	TOMCAT_THREADS("Tomcat threads", "tomcat_threads_busy_threads", "tomcat_threads_config_max_threads"),

	/**
	 * Never reached: it follows what the backend takes, so the backend limits. Its
	 * maximum is that of the connections.
	 */
	BACKEND_CALLS("calls to the backend", "sluice_backend_calls", "sluice_backend_calls_limit",
			Double.POSITIVE_INFINITY, false, (_) -> true),

	QUEUE_WRITES("orders being written to Kafka", "resilience4j_bulkhead_available_concurrent_calls",
			"resilience4j_bulkhead_max_allowed_concurrent_calls", Limit.NEAR, true,
			(series) -> series.label("name").equals("queue")),

	PRODUCER_BUFFER("bytes in the producer's buffer", "kafka_producer_buffer_available_bytes",
			"kafka_producer_buffer_total_bytes", Limit.NEAR, true, (_) -> true),

	BACKEND_CONNECTIONS("connections to the backend", "httpcomponents_httpclient_pool_total_connections",
			"httpcomponents_httpclient_pool_total_max", Limit.NEAR, false,
			(series) -> series.label("httpclient").equals("backend") && !series.label("state").equals("available")),

	REACTIVE_BACKEND_CONNECTIONS("connections to the backend", "reactor_netty_connection_provider_active_connections",
			"reactor_netty_connection_provider_max_connections", Limit.NEAR, false,
			(series) -> series.label("name").equals("backend")),

	DATABASE_CONNECTIONS("connections to PostgreSQL", "hikaricp_connections_active", "hikaricp_connections_max"),

	REACTIVE_DATABASE_CONNECTIONS("connections to PostgreSQL", "r2dbc_pool_acquired_connections",
			"r2dbc_pool_max_allocated_connections"),

	DELIVERY("orders in delivery", "sluice_delivery_in_flight", "sluice_delivery_limit"),

	/**
	 * The consumer reads no further batch if it might not fit. A batch is a quarter of
	 * the limit at most.
	 */
	PENDING("records read and not finished", "sluice_delivery_pending", "sluice_delivery_pending_limit", 0.75, false,
			(_) -> true),

	SINK_WINDOW("orders in flight to the sink", "sluice_delivery_sink_in_flight", "sluice_delivery_sink_window"),

	WORKERS("workers of the backend", "sluice_backend_in_flight", "sluice_backend_workers");

	/**
	 * From this share on a limit counts as reached, because a gauge moves between two
	 * scrapes.
	 */
	private static final double NEAR = 0.95;

	/** The mock's value for no limit. */
	private static final double NO_LIMIT = Integer.MAX_VALUE;

	private final String what;

	private final String used;

	private final String limit;

	private final double near;

	private final boolean isFree;

	private final Predicate<Series> filter;

	Limit(String what, String used, String limit) {
		this(what, used, limit, Limit.NEAR, false, (_) -> true);
	}

	/**
	 * @param used name of the metric of what is used, or of what is free
	 * @param limit name of the metric of the limit
	 * @param near from this share on it counts as reached
	 * @param isFree whether the first metric is what is free
	 * @param filter selects the series
	 */
	Limit(String what, String used, String limit, double near, boolean isFree, Predicate<Series> filter) {
		this.what = what;
		this.used = used;
		this.limit = limit;
		this.near = near;
		this.isFree = isFree;
		this.filter = filter;
	}

	/** The names of all metrics that are read. */
	static Set<String> names() {
		Set<String> names = new TreeSet<>();
		for (Limit limit : values()) {
			names.add(limit.used);
			names.add(limit.limit);
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
		Double now = sum(values, this.used);
		Double most = sum(values, this.limit);
		if (now == null || most == null || most <= 0 || most >= NO_LIMIT) {
			return null;
		}
		return new Use(this.isFree ? most - now : now, most);
	}

	private @Nullable Double sum(Exposition values, String name) {
		return Exposition.sum(values.of(name).filter(this.filter));
	}

	boolean isReached(Use use) {
		return use.used() >= use.limit() * this.near;
	}

}
