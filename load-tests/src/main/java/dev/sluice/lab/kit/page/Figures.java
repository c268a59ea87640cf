package dev.sluice.lab.kit.page;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.DoubleStream;

import org.jspecify.annotations.Nullable;

/**
 * Formats figures for readers: at most three significant digits, thousands separators, an
 * en dash for what was not measured.
 */
public final class Figures {

	/** Shown in place of a missing figure. */
	public static final String NONE = "–";

	private static final DateTimeFormatter TIME = DateTimeFormatter
		.ofPattern("d MMMM uuuu, HH:mm:ss 'UTC'", Locale.ENGLISH)
		.withZone(ZoneOffset.UTC);

	private Figures() {
	}

	/** A measured figure: at most three significant digits. */
	public static String measured(@Nullable Double value) {
		if (value == null || !Double.isFinite(value)) {
			return NONE;
		}
		BigDecimal rounded = new BigDecimal(value).round(new MathContext(3));
		if (rounded.signum() == 0) {
			return "0";
		}
		if (rounded.abs().compareTo(BigDecimal.valueOf(0.001)) < 0) {
			return (rounded.signum() < 0) ? "> −0.001" : "< 0.001";
		}
		rounded = rounded.stripTrailingZeros();
		int digits = Math.max(0, rounded.scale());
		return String.format(Locale.ROOT, "%,." + digits + "f", rounded).replace('-', '−');
	}

	/** A count: all its digits. */
	public static String count(@Nullable Number value) {
		return (value != null) ? String.format(Locale.ROOT, "%,d", value.longValue()).replace('-', '−') : NONE;
	}

	/** A count with its noun, whose plural has an s: "1 fault" or "2 faults". */
	public static String counted(long count, String one) {
		return "%s %s%s".formatted(count(count), one, (count == 1) ? "" : "s");
	}

	/** A size, with its unit. */
	public static String bytes(@Nullable Number bytes) {
		if (bytes == null || !Double.isFinite(bytes.doubleValue())) {
			return NONE;
		}
		double value = bytes.doubleValue();
		String[] units = { "B", "KiB", "MiB", "GiB", "TiB" };
		int unit = 0;
		while (Math.abs(value) >= 1024 && unit < units.length - 1) {
			value /= 1024;
			unit++;
		}
		return measured(value) + " " + units[unit];
	}

	/** A share, of which 1 is the whole, in per cent. */
	public static String percent(@Nullable Double share) {
		if (share == null || !Double.isFinite(share)) {
			return NONE;
		}
		double percent = Math.abs(share) * 100;
		if (percent > 0 && percent < 0.05) {
			return (share < 0) ? "> −0.1 %" : "< 0.1 %";
		}
		double rounded = (percent >= 10) ? Math.round(percent) : Math.round(percent * 10) / 10.0;
		return measured(Math.copySign(rounded, share)) + " %";
	}

	/** A length of time, in seconds, minutes or hours. */
	public static String duration(Duration duration) {
		double seconds = duration.toMillis() / 1000.0;
		if (seconds < 120) {
			return measured(seconds) + " s";
		}
		long minutes = Math.round(seconds / 60);
		return (minutes < 120) ? minutes + " min" : "%s h %s min".formatted(minutes / 60, minutes % 60);
	}

	/** A point in time: day and time, UTC. */
	public static String time(Instant instant) {
		return TIME.format(instant);
	}

	/**
	 * The median; of an even number of values the mean of the middle two; null if there
	 * are none.
	 */
	public static @Nullable Double median(DoubleStream values) {
		double[] sorted = values.toArray();
		if (sorted.length == 0) {
			return null;
		}
		Arrays.sort(sorted);
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	/** The median of a figure of those that have it; null if none has. */
	public static <T> @Nullable Double median(List<T> all, Function<T, @Nullable Double> figure) {
		return median(all.stream().map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
	}

}
