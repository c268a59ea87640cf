package dev.sluice.lab.kit.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.sluice.lab.kit.measure.ProcessSampler.MachineSample;
import dev.sluice.lab.kit.measure.ProcessSampler.ProcessSample;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ProcessSampler} has seen. A counter's growth in a window is taken from
 * the last sample not after its start to the first not before its end: a cell has quiet
 * time on both sides, so nothing is missed and little is added.
 */
public record ProcessSamples(List<ProcessSample> processes, List<MachineSample> machine, List<Failure> failures) {

	/** No sample: what a system without procfs gives. */
	public static final ProcessSamples NONE = new ProcessSamples(List.of(), List.of());

	/**
	 * What could not be sampled.
	 *
	 * @param time when
	 * @param why in words
	 */
	public record Failure(Instant time, String why) {
	}

	public ProcessSamples(List<ProcessSample> processes, List<MachineSample> machine) {
		this(processes, machine, List.of());
	}

	public ProcessSamples {
		failures = List.copyOf(failures);
		processes = List.copyOf(processes);
		machine = List.copyOf(machine);
	}

	/** The same, and what others could not sample. */
	public ProcessSamples with(List<Failure> more) {
		return new ProcessSamples(this.processes, this.machine,
				Stream.concat(this.failures.stream(), more.stream()).toList());
	}

	/** Why the window was not sampled whole; null if no sampling failed in it. */
	public @Nullable String failure(Window window) {
		return this.failures.stream()
			.filter((failure) -> window.contains(failure.time()))
			.map(Failure::why)
			.findFirst()
			.orElse(null);
	}

	/** A process's CPU time in the window, in milliseconds. */
	public @Nullable Long cpuMillis(String process, Window window) {
		return growth(of(process), ProcessSample::time, ProcessSample::cpuMillis, window);
	}

	/** A process's CPU use within one second of the window, 1 = one core. */
	public @Nullable Double cpuShare(String process, Window second) {
		List<ProcessSample> own = of(process).stream()
			.filter((sample) -> !sample.time().isBefore(second.start().minus(ProcessSampler.INTERVAL))
					&& !sample.time().isAfter(second.end().plus(ProcessSampler.INTERVAL)))
			.toList();
		if (own.size() < 2) {
			return null;
		}
		ProcessSample first = own.getFirst();
		ProcessSample last = own.getLast();
		long millis = Duration.between(first.time(), last.time()).toMillis();
		return (millis > 0) ? (double) (last.cpuMillis() - first.cpuMillis()) / millis : null;
	}

	public @Nullable Long peakRssBytes(String process, Window window) {
		return within(of(process), window).stream().map(ProcessSample::rssBytes).max(Long::compare).orElse(null);
	}

	public @Nullable Integer peakThreads(String process, Window window) {
		return within(of(process), window).stream().map(ProcessSample::threads).max(Integer::compare).orElse(null);
	}

	/** Open connections that a process accepted. */
	public @Nullable Integer peakConnections(String process, Window window) {
		return within(of(process), window).stream()
			.map(ProcessSample::connections)
			.filter(Objects::nonNull)
			.max(Integer::compare)
			.orElse(null);
	}

	/** The same, the last known at a time; null if none was before. */
	public @Nullable Integer connectionsAt(String process, Instant time) {
		return of(process).stream()
			.filter((sample) -> sample.connections() != null && !sample.time().isAfter(time))
			.reduce((_, later) -> later)
			.map(ProcessSample::connections)
			.orElse(null);
	}

	/**
	 * The share of the machine's CPU that none of the sampled processes used, 0 to 1;
	 * null if it is not known.
	 */
	public @Nullable Double foreignCpuShare(Window window, int cores) {
		if (failure(window) != null) {
			return null;
		}
		Long busy = growth(this.machine, MachineSample::time, MachineSample::busyMillis, window);
		Long own = growth(this.machine, MachineSample::time, MachineSample::ownMillis, window);
		if (busy == null || own == null) {
			return null;
		}
		// The window as it was sampled, not as it was asked for.
		Long elapsed = growth(this.machine, MachineSample::time, (sample) -> sample.time().toEpochMilli(), window);
		return (elapsed != null && elapsed > 0) ? Math.clamp((double) (busy - own) / (elapsed * cores), 0.0, 1.0)
				: null;
	}

	private List<ProcessSample> of(String process) {
		return this.processes.stream().filter((sample) -> sample.process().equals(process)).toList();
	}

	private static List<ProcessSample> within(List<ProcessSample> samples, Window window) {
		return samples.stream().filter((sample) -> window.contains(sample.time())).toList();
	}

	/**
	 * Null for a window of less than two intervals, or one that was not sampled whole.
	 */
	private static <T> @Nullable Long growth(List<T> samples, Function<T, Instant> time, ToLongFunction<T> counter,
			Window window) {
		if (window.length().compareTo(ProcessSampler.INTERVAL.multipliedBy(2)) < 0) {
			return null;
		}
		T before = null;
		T after = null;
		for (T sample : samples) {
			Instant at = time.apply(sample);
			if (!at.isAfter(window.start())) {
				before = sample;
			}
			else if (after == null && !at.isBefore(window.end())) {
				after = sample;
			}
		}
		return (before != null && after != null) ? counter.applyAsLong(after) - counter.applyAsLong(before) : null;
	}

}
