package dev.sluice.lab.compare;

import java.util.List;

import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The gateways and loads to measure.
 *
 * @param subjects in the order they run
 * @param delays of the backend, in milliseconds
 * @param concurrencies requests in flight
 * @param cellMillis time for which each cell's requests are sent, in milliseconds
 */
record GridPlan(List<Subject> subjects, List<Long> delays, List<Integer> concurrencies, long cellMillis) {

	/**
	 * Size of the reference's thread pool, as its figures imply. At 500 ms it answered
	 * 184/s without blocking and a 6.5th of that with blocking, 28/s, which keeps 14
	 * threads busy; 250 ms and 100 ms give 14 and 12.
	 */
	static final int SMALL_POOL = 14;

	static final List<Long> DELAYS = List.of(0L, 100L, 250L, 500L);

	GridPlan {
		subjects = List.copyOf(subjects);
		delays = List.copyOf(delays);
		concurrencies = List.copyOf(concurrencies);
	}

	/**
	 * A gateway.
	 *
	 * @param name its name in the results
	 * @param threads size of the container's thread pool; 0 for the default
	 */
	record Subject(String name, Variant variant, int threads) {

		ServiceOptions options() {
			// No consumer runs, so there is no table of statuses to look keys up in.
			ServiceOptions options = ServiceOptions.NONE.withLog(name()).withProperty("status.key-lookup-timeout", 0);
			return (this.threads > 0) ? options.withProperty("server.tomcat.threads.max", this.threads)
				.withProperty("server.tomcat.threads.min-spare", this.threads) : options;
		}

	}

	/**
	 * The smallest has a cell of the small pool and one of a gateway that does not block.
	 */
	static GridPlan of(Length length) {
		return switch (length) {
			case SMALLEST -> new GridPlan(List.of(all().getFirst(), all().getLast()), List.of(100L), List.of(20), 500);
			case QUICK -> new GridPlan(all(), DELAYS, List.of(10, 50, 100), 2_000);
			case WHOLE ->
				new GridPlan(all(), DELAYS, List.of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000), 5_000);
		};
	}

	int cells() {
		return this.subjects.size() * this.delays.size() * this.concurrencies.size();
	}

	private static List<Subject> all() {
		return List.of(new Subject("servlet-platform-%s".formatted(SMALL_POOL), Variant.SERVLET_PLATFORM, SMALL_POOL),
				new Subject(Variant.SERVLET_PLATFORM.id(), Variant.SERVLET_PLATFORM, 0),
				new Subject(Variant.SERVLET_VIRTUAL.id(), Variant.SERVLET_VIRTUAL, 0),
				new Subject(Variant.SERVLET_ASYNC.id(), Variant.SERVLET_ASYNC, 0),
				new Subject(Variant.REACTIVE.id(), Variant.REACTIVE, 0));
	}

}
