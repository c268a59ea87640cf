package dev.sluice.lab.kit.process;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.sluice.lab.kit.process.ProcessSampler.MachineSample;
import dev.sluice.lab.kit.process.ProcessSampler.ProcessSample;
import dev.sluice.lab.kit.process.ProcessSampler.ThreadSample;
import dev.sluice.lab.kit.process.ThreadTimes.Totals;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a {@link ProcessSampler}. A counter's growth is cut to the window: at
 * each end its value is interpolated between the two samples around it. So adjacent
 * windows add up, and no window has more CPU time than its cores could give.
 */
public record ProcessSamples(List<ProcessSample> processes, List<MachineSample> machine, List<ThreadSample> threads,
		List<Failure> failures) {

	/** A window of fewer intervals lies between two samples, or nearly so. */
	private static final int MIN_INTERVALS = 2;

	/** Between samples further apart than this, it is unknown when the time was used. */
	private static final int MAX_INTERVALS = 5;

	/** No samples, as on a system without procfs. */
	public static final ProcessSamples NONE = new ProcessSamples(List.of(), List.of());

	/**
	 * A failed sampling.
	 *
	 * @param time when
	 * @param why in words
	 */
	public record Failure(Instant time, String why) {
	}

	public ProcessSamples(List<ProcessSample> processes, List<MachineSample> machine) {
		this(processes, machine, List.of(), List.of());
	}

	public ProcessSamples {
		failures = List.copyOf(failures);
		processes = List.copyOf(processes);
		machine = List.copyOf(machine);
		threads = List.copyOf(threads);
	}

	/** These samples, with failures of other samplers added. */
	public ProcessSamples with(List<Failure> more) {
		return new ProcessSamples(this.processes, this.machine, this.threads,
				Stream.concat(this.failures.stream(), more.stream()).toList());
	}

	/** These samples, with a process renamed. */
	public ProcessSamples calling(String process, String name) {
		return new ProcessSamples(
				this.processes.stream()
					.map((sample) -> sample.process().equals(process) ? sample.named(name) : sample)
					.toList(),
				this.machine,
				this.threads.stream()
					.map((sample) -> sample.process().equals(process) ? sample.named(name) : sample)
					.toList(),
				this.failures);
	}

	/** Why the window is incomplete; null if no sampling failed in it. */
	public @Nullable String failure(Window window) {
		return this.failures.stream()
			.filter((failure) -> window.contains(failure.time()))
			.map(Failure::why)
			.findFirst()
			.orElse(null);
	}

	/**
	 * A process's CPU time in the window, in milliseconds; null if it is not known.
	 */
	public @Nullable Double cpuMillis(String process, Window window) {
		return growth(of(process), ProcessSample::time, ProcessSample::cpuMillis, window);
	}

	/**
	 * A process's CPU use in the window, 1 = one core; null if it is not known.
	 */
	public @Nullable Double cpuShare(String process, Window window) {
		Double millis = cpuMillis(process, window);
		return (millis != null) ? millis / (window.seconds() * 1_000) : null;
	}

	public @Nullable Long peakRssBytes(String process, Window window) {
		return within(of(process), window).stream().map(ProcessSample::rssBytes).max(Long::compare).orElse(null);
	}

	public @Nullable Integer peakThreads(String process, Window window) {
		return within(of(process), window).stream().map(ProcessSample::threads).max(Integer::compare).orElse(null);
	}

	/**
	 * The share of the machine's CPU that none of the sampled processes used, 0 to 1;
	 * null if it is not known.
	 */
	public @Nullable Double foreignCpuShare(Window window, int cores) {
		if (failure(window) != null) {
			return null;
		}
		Double busy = growth(this.machine, MachineSample::time, MachineSample::busyMillis, window);
		Double own = growth(this.machine, MachineSample::time, MachineSample::ownMillis, window);
		return (busy != null && own != null) ? Math.clamp((busy - own) / (window.seconds() * 1_000 * cores), 0.0, 1.0)
				: null;
	}

	/**
	 * The share of the machine's CPU that was used by anything, 0 to 1; null if it is not
	 * known.
	 */
	public @Nullable Double busyShare(Window window, int cores) {
		Double busy = growth(this.machine, MachineSample::time, MachineSample::busyMillis, window);
		return (busy != null) ? Math.clamp(busy / (window.seconds() * 1_000 * cores), 0.0, 1.0) : null;
	}

	/** Whether a window is long enough for its CPU time to be known. */
	public static boolean isLongEnough(Window window) {
		return hasIntervals(window, ProcessSampler.INTERVAL);
	}

	/**
	 * The share of the machine's CPU time that another virtual machine had, 0 to 1; null
	 * if it is not known.
	 */
	public @Nullable Double stealShare(Window window, int cores) {
		Double steal = growth(this.machine, MachineSample::time, MachineSample::stealMillis, window);
		return (steal != null) ? Math.clamp(steal / (window.seconds() * 1_000 * cores), 0.0, 1.0) : null;
	}

	/**
	 * How many of a process's threads were ready to run and had no core, on average; null
	 * if it is not known.
	 */
	public @Nullable Double waiting(String process, Window window) {
		Double micros = threadMicros(process, Totals::waiting, window);
		return (micros != null) ? micros / (window.seconds() * 1e6) : null;
	}

	/**
	 * The share of a process's CPU time that its compiler used, 0 to 1; null if it is not
	 * known.
	 */
	public @Nullable Double jitShare(String process, Window window) {
		return share(threadMicros(process, Totals::jit, window), cpuMillis(process, window));
	}

	/**
	 * The share of a process's CPU time that its collector used, 0 to 1; null if it is
	 * not known.
	 */
	public @Nullable Double gcShare(String process, Window window) {
		return share(threadMicros(process, Totals::gc, window), cpuMillis(process, window));
	}

	private static @Nullable Double share(@Nullable Double micros, @Nullable Double ofMillis) {
		return (micros != null && ofMillis != null && ofMillis > 0) ? Math.clamp(micros / 1_000 / ofMillis, 0.0, 1.0)
				: null;
	}

	private @Nullable Double threadMicros(String process, ToLongFunction<Totals> time, Window window) {
		List<ThreadSample> own = this.threads.stream().filter((sample) -> sample.process().equals(process)).toList();
		return growth(own, ThreadSample::time, (sample) -> time.applyAsLong(sample.totals()), window,
				ProcessSampler.SELDOM_INTERVAL);
	}

	private static boolean hasIntervals(Window window, Duration interval) {
		return window.length().compareTo(interval.multipliedBy(MIN_INTERVALS)) >= 0;
	}

	private List<ProcessSample> of(String process) {
		return this.processes.stream().filter((sample) -> sample.process().equals(process)).toList();
	}

	private static List<ProcessSample> within(List<ProcessSample> samples, Window window) {
		return samples.stream().filter((sample) -> window.contains(sample.time())).toList();
	}

	/**
	 * Null for a window that is too short, has gaps, or has no sample near one of its
	 * ends.
	 */
	private static <T> @Nullable Double growth(List<T> samples, Function<T, Instant> time, ToLongFunction<T> counter,
			Window window) {
		return growth(samples, time, counter, window, ProcessSampler.INTERVAL);
	}

	private static <T> @Nullable Double growth(List<T> samples, Function<T, Instant> time, ToLongFunction<T> counter,
			Window window, Duration interval) {
		if (!hasIntervals(window, interval)) {
			return null;
		}
		Duration gap = interval.multipliedBy(MAX_INTERVALS);
		Double start = at(samples, time, counter, window.start(), gap);
		Double end = at(samples, time, counter, window.end(), gap);
		return (start != null && end != null) ? end - start : null;
	}

	/** A counter's value at a time, on the line between the samples around it. */
	private static <T> @Nullable Double at(List<T> samples, Function<T, Instant> time, ToLongFunction<T> counter,
			Instant at, Duration greatestGap) {
		T before = null;
		for (T sample : samples) {
			if (!time.apply(sample).isAfter(at)) {
				before = sample;
			}
			else {
				return (before != null) ? between(before, sample, time, counter, at, greatestGap) : null;
			}
		}
		return (before != null && time.apply(before).equals(at)) ? (double) counter.applyAsLong(before) : null;
	}

	private static <T> @Nullable Double between(T before, T after, Function<T, Instant> time, ToLongFunction<T> counter,
			Instant at, Duration greatestGap) {
		Duration gap = Duration.between(time.apply(before), time.apply(after));
		if (gap.compareTo(greatestGap) > 0) {
			return null;
		}
		double share = (double) Duration.between(time.apply(before), at).toNanos() / gap.toNanos();
		return counter.applyAsLong(before) + share * (counter.applyAsLong(after) - counter.applyAsLong(before));
	}

}
