package dev.sluice.lab.kit.process;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a {@link ProcessSampler}. A counter's growth is cut to the window: at
 * each end its value is interpolated between the two samples around it. So adjacent
 * windows add up, and no window has more CPU time than its cores could give.
 */
public record ProcessSamples(List<Sample> samples) {

	/** A window of fewer intervals lies between two samples, or nearly so. */
	private static final int MIN_INTERVALS = 2;

	/** Between samples further apart than this, it is unknown when the time was used. */
	private static final int MAX_INTERVALS = 5;

	public ProcessSamples {
		samples = List.copyOf(samples);
	}

	/** These samples, with a process renamed. */
	public ProcessSamples calling(String process, String name) {
		return new ProcessSamples(this.samples.stream()
			.map((sample) -> sample.process().equals(process) ? sample.named(name) : sample)
			.toList());
	}

	/** A process's CPU time in the window, in milliseconds; null if it is not known. */
	public @Nullable Double cpuMillis(String process, Window window) {
		return growth(process, Sample::cpuMillis, window, ProcessSampler.INTERVAL);
	}

	/** A process's CPU use in the window, 1 = one core; null if it is not known. */
	public @Nullable Double cpuShare(String process, Window window) {
		Double millis = cpuMillis(process, window);
		return (millis != null) ? millis / (window.seconds() * 1_000) : null;
	}

	public @Nullable Long peakRssBytes(String process, Window window) {
		return peak(process, Sample::rssBytes, window);
	}

	public @Nullable Integer peakThreads(String process, Window window) {
		return peak(process, Sample::threads, window);
	}

	/**
	 * The share of the machine's CPU that none of the sampled processes used, 0 to 1;
	 * null if it is not known.
	 */
	public @Nullable Double foreignCpuShare(Window window, int cores) {
		Double busy = cpuMillis(Sample.MACHINE, window);
		Double own = cpuMillis(Sample.OWN, window);
		return (busy != null && own != null) ? Math.clamp((busy - own) / (window.seconds() * 1_000 * cores), 0.0, 1.0)
				: null;
	}

	/**
	 * The share of the machine's CPU that was used by anything, 0 to 1; null if it is not
	 * known.
	 */
	public @Nullable Double busyShare(Window window, int cores) {
		Double busy = cpuMillis(Sample.MACHINE, window);
		return (busy != null) ? Math.clamp(busy / (window.seconds() * 1_000 * cores), 0.0, 1.0) : null;
	}

	/** Whether a window is long enough for its CPU time to be known. */
	public static boolean isLongEnough(Window window) {
		return hasIntervals(window, ProcessSampler.INTERVAL);
	}

	/**
	 * The share of a process's CPU time that its compiler used, 0 to 1; null if it is not
	 * known.
	 */
	public @Nullable Double jitShare(String process, Window window) {
		Double micros = growth(process, Sample::jitMicros, window, ProcessSampler.SELDOM_INTERVAL);
		Double ofMillis = cpuMillis(process, window);
		return (micros != null && ofMillis != null && ofMillis > 0) ? Math.clamp(micros / 1_000 / ofMillis, 0.0, 1.0)
				: null;
	}

	private static boolean hasIntervals(Window window, Duration interval) {
		return window.length().compareTo(interval.multipliedBy(MIN_INTERVALS)) >= 0;
	}

	private Stream<Sample> of(String process, Function<Sample, ? extends @Nullable Object> figure) {
		return this.samples.stream()
			.filter((sample) -> sample.process().equals(process) && figure.apply(sample) != null);
	}

	private <T extends Comparable<T>> @Nullable T peak(String process, Function<Sample, @Nullable T> figure,
			Window window) {
		return of(process, figure).filter((sample) -> window.contains(sample.time()))
			.map((sample) -> Objects.requireNonNull(figure.apply(sample)))
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	/**
	 * Null for a window that is too short, has gaps, or has no sample near one of its
	 * ends.
	 * @param interval between two samples that have the counter
	 */
	private @Nullable Double growth(String process, Function<Sample, @Nullable Long> counter, Window window,
			Duration interval) {
		if (!hasIntervals(window, interval)) {
			return null;
		}
		NavigableMap<Instant, Long> values = new TreeMap<>();
		of(process, counter)
			.forEach((sample) -> values.put(sample.time(), Objects.requireNonNull(counter.apply(sample))));
		Duration gap = interval.multipliedBy(MAX_INTERVALS);
		Double start = at(values, window.start(), gap);
		Double end = at(values, window.end(), gap);
		return (start != null && end != null) ? end - start : null;
	}

	/** A counter's value at a time, on the line between the samples around it. */
	private static @Nullable Double at(NavigableMap<Instant, Long> values, Instant at, Duration greatestGap) {
		Map.Entry<Instant, Long> before = values.floorEntry(at);
		Map.Entry<Instant, Long> after = values.ceilingEntry(at);
		if (before == null || after == null) {
			return null;
		}
		Duration gap = Duration.between(before.getKey(), after.getKey());
		if (gap.compareTo(greatestGap) > 0) {
			return null;
		}
		double share = gap.isZero() ? 0 : (double) Duration.between(before.getKey(), at).toNanos() / gap.toNanos();
		return before.getValue() + share * (after.getValue() - before.getValue());
	}

}
