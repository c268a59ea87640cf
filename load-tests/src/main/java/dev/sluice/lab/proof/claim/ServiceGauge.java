package dev.sluice.lab.proof.claim;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import org.jspecify.annotations.Nullable;

/** Measures the heap and the threads of a service. */
public final class ServiceGauge {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final String HEAP = "jvm_memory_used_bytes";

	private static final String THREADS = "jvm_threads_live_threads";

	/** The last line of a heap histogram: instances, then bytes. */
	private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)$");

	private static final int SAMPLES = 5;

	private static final long SAMPLE_INTERVAL_MILLIS = 2_000;

	/**
	 * More than it takes until threads end that have nothing to do. The JVM keeps those
	 * that run virtual threads for 30 s.
	 */
	private static final int MAX_SAMPLES = 25;

	private final HttpClient client;

	private final Service service;

	/**
	 * @param heapBytes heap in use
	 * @param threads platform threads
	 */
	public record Held(double heapBytes, double threads) {
	}

	public ServiceGauge(HttpClient client, Service service) {
		this.client = client;
		this.service = service;
	}

	/**
	 * The lowest of several readings of live heap and threads, so that work still ending
	 * does not count.
	 */
	public Held least() throws InterruptedException {
		return least(SAMPLES, (_) -> false);
	}

	/** The same, from readings repeated until it is low, for about a minute at most. */
	public Held leastUntil(Predicate<Held> low) throws InterruptedException {
		return least(MAX_SAMPLES, low);
	}

	private Held least(int samples, Predicate<Held> low) throws InterruptedException {
		Held least = new Held(Double.MAX_VALUE, Double.MAX_VALUE);
		for (int i = 0; i < samples && !low.test(least); i++) {
			Held held = held();
			least = new Held(Math.min(least.heapBytes(), held.heapBytes()), Math.min(least.threads(), held.threads()));
			Thread.sleep(SAMPLE_INTERVAL_MILLIS);
		}
		return least;
	}

	/** Live heap, without garbage, and threads. */
	public Held held() throws InterruptedException {
		return new Held(liveBytes(), now().threads());
	}

	/** Current heap, including garbage, and threads. */
	public Held now() throws InterruptedException {
		Exposition metrics = Exposition.parse(metrics(), Set.of(HEAP, THREADS)::contains);
		return new Held(
				known(HEAP, Exposition.sum(metrics.of(HEAP).filter((part) -> part.label("area").equals("heap")))),
				known(THREADS, metrics.sum(THREADS)));
	}

	private String metrics() throws InterruptedException {
		try {
			return this.client
				.send(HttpRequest.newBuilder(this.service.metrics()).timeout(TIMEOUT).build(), BodyHandlers.ofString())
				.body();
		}
		catch (IOException ex) {
			throw new LabException("%s serves no metrics: %s".formatted(this.service.name(), ex), ex);
		}
	}

	private double known(String metric, @Nullable Double value) {
		if (value == null) {
			throw new LabException("%s has no %s".formatted(this.service.name(), metric));
		}
		return value;
	}

	/**
	 * A heap histogram collects the garbage and counts the live objects at a safepoint.
	 * The metric of the heap in use would include new garbage: a busy service makes some
	 * tens of megabytes while it answers.
	 */
	private double liveBytes() throws InterruptedException {
		try {
			Path histogram = Files.createTempFile("histogram", ".txt");
			try {
				Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
						Long.toString(this.service.pid()), "GC.class_histogram")
					.redirectErrorStream(true)
					.redirectOutput(histogram.toFile())
					.start();
				try {
					if (!jcmd.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
						throw new LabException(
								"jcmd does not answer for the heap of %s".formatted(this.service.name()));
					}
				}
				finally {
					jcmd.destroyForcibly();
				}
				Matcher total = TOTAL.matcher(Files.readString(histogram));
				return known("histogram of its heap", total.find() ? Double.valueOf(total.group(1)) : null);
			}
			finally {
				Files.delete(histogram);
			}
		}
		catch (IOException ex) {
			throw new LabException("jcmd cannot be run: " + ex.getMessage(), ex);
		}
	}

}
