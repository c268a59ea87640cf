package dev.sluice.lab.kit.deployed;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.measure.Exposition;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/** Reads the counters of a {@link Target} from its services. Not thread-safe. */
public final class TargetSystem implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final String READ = "process_cpu_seconds_total|process_cpu_time_ns_total|process_start_time_seconds"
			+ "|jvm_gc_pause_seconds_(count|sum)|sluice_accept_to_saved_seconds_(count|sum|bucket)";

	private final Target target;

	private final @Nullable SSLContext tls;

	private final @Nullable String authorization;

	private final @Nullable String metricsAuthorization;

	private final HttpClient client;

	private final Map<String, String> failures = new TreeMap<>();

	/**
	 * Resources that services used between two readings. A counter that is missing, or
	 * whose process was started in between, is unknown, not zero. The processes of a
	 * service are added up.
	 *
	 * @param before first reading, by service
	 * @param after second reading, by service
	 */
	public record Spent(Map<String, Exposition> before, Map<String, Exposition> after) {

		private static final String STARTED = "process_start_time_seconds";

		private static final double NANOS = 1e9;

		/** The growth of a service's counter; null if it is not known. */
		public @Nullable Double grown(String service, String counter) {
			Exposition first = this.before.get(service);
			Exposition last = this.after.get(service);
			if (first == null || last == null || !starts(first).equals(starts(last))) {
				return null;
			}
			Double from = first.sum(counter);
			Double to = last.sum(counter);
			if (from == null || to == null || to < from) {
				return null;
			}
			return to - from;
		}

		private static List<Double> starts(Exposition exposition) {
			return exposition.of(STARTED).map(Exposition.Series::value).sorted().collect(Collectors.toList());
		}

		/** CPU time of a service, in seconds; null if not known. */
		public @Nullable Double cpuSeconds(String service) {
			Double nanos = grown(service, "process_cpu_time_ns_total");
			return (nanos != null) ? Double.valueOf(nanos / NANOS) : grown(service, "process_cpu_seconds_total");
		}

		/**
		 * The cost of an order at each service whose CPU time is known.
		 * @param orders saved, above 0
		 */
		public Map<String, ServiceCost> perOrder(long orders) {
			Map<String, ServiceCost> costs = new LinkedHashMap<>();
			for (String service : this.after.keySet()) {
				Double cpu = cpuSeconds(service);
				Double pauses = grown(service, "jvm_gc_pause_seconds_count");
				Double paused = grown(service, "jvm_gc_pause_seconds_sum");
				if (cpu != null) {
					costs.put(service,
							new ServiceCost(cpu * 1_000 / orders, (pauses != null) ? pauses.intValue() : null,
									(paused != null) ? Double.valueOf(paused * 1_000) : null, null, null, null));
				}
			}
			return costs;
		}

	}

	/**
	 * Reads tokens and certificates. Opens no connection yet.
	 * @throws LabException if one cannot be read
	 */
	public TargetSystem(Target target) {
		this.target = target;
		this.tls = tls(target.access().ca());
		this.authorization = bearer(target.access().token());
		this.metricsAuthorization = bearer(target.access().metricsToken());
		HttpClient.Builder builder = Http.builder(TIMEOUT);
		this.client = ((this.tls != null) ? builder.sslContext(this.tls) : builder).build();
	}

	/** The TLS context for clients of the gateways; null for the JDK's own. */
	public @Nullable SSLContext tls() {
		return this.tls;
	}

	/** Orders for a gateway, with keys that no run before has had. */
	public OrderRequests orders(URI gateway, Mode mode, String experiment) {
		return new OrderRequests(gateway, mode, OrderRequests.unused(experiment), this.authorization);
	}

	/**
	 * Reads the services' counters now. A service that does not answer is missing, and
	 * {@link #failures} says why.
	 */
	public Map<String, Exposition> read() throws InterruptedException {
		Map<String, Exposition> all = new LinkedHashMap<>();
		for (Map.Entry<String, URI> service : this.target.metrics().entrySet()) {
			try {
				all.put(service.getKey(), Exposition.parse(get(service.getValue()), (name) -> name.matches(READ)));
			}
			catch (IOException ex) {
				this.failures.put(service.getKey(), ex.getMessage() + "");
			}
		}
		return all;
	}

	/** The last failure of each service that could not be read. */
	public Map<String, String> failures() {
		return Map.copyOf(this.failures);
	}

	private String get(URI uri) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(TIMEOUT);
		if (this.metricsAuthorization != null) {
			request.header("Authorization", this.metricsAuthorization);
		}
		HttpResponse<String> answer;
		try {
			answer = this.client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IOException("%s does not answer (%s)".formatted(uri, ex), ex);
		}
		if (answer.statusCode() != 200) {
			throw new IOException("%s answers %s".formatted(uri, answer.statusCode()));
		}
		return answer.body();
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

	private static @Nullable String bearer(@Nullable Path file) {
		if (file == null) {
			return null;
		}
		try {
			String token = Files.readString(file).strip();
			if (!token.matches("[A-Za-z0-9._~+/=-]+")) {
				throw new LabException(
						"%s holds no bearer token: one line of letters, digits and ._~+/=-".formatted(file));
			}
			return "Bearer " + token;
		}
		catch (IOException ex) {
			throw new LabException("The token file %s cannot be read: %s".formatted(file, ex), ex);
		}
	}

	private static @Nullable SSLContext tls(@Nullable Path ca) {
		if (ca == null) {
			return null;
		}
		try {
			SslContext context = SslContextBuilder.forClient()
				.sslProvider(SslProvider.JDK)
				.trustManager(ca.toFile())
				.build();
			return ((JdkSslContext) context).context();
		}
		catch (IOException | IllegalArgumentException ex) {
			throw new LabException("The certificates in %s cannot be read: %s".formatted(ca, ex), ex);
		}
	}

}
