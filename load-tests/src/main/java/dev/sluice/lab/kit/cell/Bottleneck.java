package dev.sluice.lab.kit.cell;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;

/** What kept a cell from being faster, according to the rules that the report states. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Bottleneck {

	/**
	 * The machine had no CPU left.
	 *
	 * @param share share of its CPU that was used, 0 to 1
	 * @param most the process that used most of it
	 * @param mostShare share of the machine's CPU that this process used, 0 to 1
	 */
	@JsonTypeName("cpu")
	record Cpu(double share, String most, double mostShare) implements Bottleneck {
	}

	/**
	 * A configured limit was reached.
	 *
	 * @param service service that has the limit
	 * @param what is limited, such as "orders in delivery"
	 * @param limit value of the limit
	 * @param share share of the cell's scrapes in which it was reached, 0 to 1
	 */
	@JsonTypeName("limit")
	record Limit(String service, String what, double limit, double share) implements Bottleneck {
	}

	/**
	 * The orders in flight were at the backend, waiting for its answers.
	 *
	 * @param orders average number of orders at the backend
	 * @param millis average time that it took for one
	 */
	@JsonTypeName("backend-latency")
	record BackendLatency(double orders, double millis) implements Bottleneck {
	}

	/**
	 * The load generator did not offer the load that it should have.
	 *
	 * @param lateMillis how late it began 99 % of the orders at most
	 */
	@JsonTypeName("generator")
	record Generator(int lateMillis) implements Bottleneck {
	}

	/**
	 * No known limit was reached: the rate is the calls in flight divided by the time
	 * that each took.
	 *
	 * @param calls average number of calls that the client had in flight
	 * @param millis average time that a call took
	 * @param share share of the machine's CPU that was used, 0 to 1
	 */
	@JsonTypeName("in-flight")
	record InFlight(double calls, double millis, double share) implements Bottleneck {
	}

	/** A sentence with the figures. */
	default String sentence() {
		return switch (this) {
			case Cpu cpu -> text("%s of the machine's CPU was used; %s used most: %s.", percent(cpu.share()),
					cpu.most(), percent(cpu.mostShare()));
			case Limit limit -> text("The %s was at its limit of %,.0f %s for %s of the time.", limit.service(),
					limit.limit(), limit.what(), percent(limit.share()));
			case BackendLatency backend -> text("The backend held %,.0f orders at a time and took %,.0f ms for each.",
					backend.orders(), backend.millis());
			case Generator generator -> text("The load generator was late by up to %,d ms.", generator.lateMillis());
			case InFlight client -> text(
					"No limit was reached, and %s of the machine's CPU was used: %,.0f calls in flight at %,.1f ms each give the rate.",
					percent(client.share()), client.calls(), client.millis());
		};
	}

	private static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

	private static String percent(double share) {
		return String.format(Locale.ROOT, "%.0f %%", share * 100);
	}

}
