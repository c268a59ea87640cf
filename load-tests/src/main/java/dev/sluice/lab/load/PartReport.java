package dev.sluice.lab.load;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.DataFormatException;

import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.statistics.Percentile;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.statistics.Timing;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The results of a part, or of all parts together. Latencies and lags are histograms of
 * microseconds with three significant digits, in HdrHistogram's compressed format and
 * Base64, so that they can be added without losing a percentile.
 *
 * @param part number of the part from 1; 0 for all together
 * @param latencies times from when answered requests were due until their answers
 * @param lags delays between due and sent
 * @param cpuMillisPerRequest CPU time of the process; null if nothing was sent
 * @param clockErrorMicros maximum error of its clock against the coordinator's
 */
record PartReport(int part, Tally tally, String latencies, String lags, @Nullable Double cpuMillisPerRequest,
		List<Second> seconds, long clockErrorMicros) {

	private static final int DIGITS = 3;

	PartReport {
		Objects.requireNonNull(tally, "tally");
		seconds = List.copyOf(seconds);
	}

	static PartReport of(Part part, Figures figures, long clockErrorMicros) {
		return new PartReport(part.number(), figures.tally(), encoded(histogram(figures.samples().latencies())),
				encoded(histogram(figures.samples().lags())), figures.cpuMillisPerRequest(), figures.seconds(),
				clockErrorMicros);
	}

	/** The sum of all parts. */
	static PartReport sum(List<PartReport> reports) {
		Histogram latencies = new Histogram(DIGITS);
		Histogram lags = new Histogram(DIGITS);
		Map<String, Long> failures = new TreeMap<>();
		for (PartReport each : reports) {
			latencies.add(each.latencyHistogram());
			lags.add(decoded(each.lags));
			each.tally.failures().forEach((failure, times) -> failures.merge(failure, times, Long::sum));
		}
		List<Tally> tallies = reports.stream().map(PartReport::tally).toList();
		Tally tally = new Tally(tallies.stream().mapToLong(Tally::due).sum(),
				tallies.stream().mapToLong(Tally::sent).sum(), tallies.stream().mapToLong(Tally::notSent).sum(),
				tallies.stream().mapToLong(Tally::answered).sum(), tallies.stream().mapToLong(Tally::outstanding).sum(),
				failures);
		double cpuMillis = reports.stream()
			.mapToDouble((each) -> Objects.requireNonNullElse(each.cpuMillisPerRequest, 0.0) * each.tally.sent())
			.sum();
		return new PartReport(0, tally, encoded(latencies), encoded(lags),
				(tally.sent() > 0) ? cpuMillis / tally.sent() : null,
				seconds(reports.stream().map(PartReport::seconds).toList()),
				reports.stream().mapToLong(PartReport::clockErrorMicros).max().orElse(0));
	}

	/** Sums second by second, for the seconds that all parts report. */
	private static List<Second> seconds(List<List<Second>> parts) {
		int whole = parts.stream().mapToInt(List::size).min().orElse(0);
		List<Second> all = new ArrayList<>();
		for (int i = 0; i < whole; i++) {
			int index = i;
			List<Second> now = parts.stream().map((part) -> part.get(index)).toList();
			long answered = now.stream().mapToLong(Second::answeredNow).sum();
			double millis = now.stream()
				.mapToDouble((each) -> Objects.requireNonNullElse(each.latencyMillis(), 0.0) * each.answeredNow())
				.sum();
			all.add(new Second(i + 1, now.stream().mapToLong(Second::sent).sum(),
					now.stream().mapToLong(Second::answered).sum(), now.stream().mapToLong(Second::outstanding).sum(),
					now.stream().mapToLong(Second::sentNow).sum(), answered, (answered > 0) ? millis / answered : null,
					now.stream().mapToInt(Second::threads).sum()));
		}
		return all;
	}

	/** Latencies of the answered requests, in microseconds. */
	Histogram latencyHistogram() {
		return decoded(this.latencies);
	}

	/** Null if nothing was answered. */
	@Nullable Timing latency() {
		return timing(latencyHistogram());
	}

	Timing lag() {
		Timing lag = timing(decoded(this.lags));
		return (lag != null) ? lag : new Timing(0, 0, null, null, null, 0);
	}

	private static @Nullable Timing timing(Histogram micros) {
		return (micros.getTotalCount() == 0) ? null : new Timing(micros.getMinValue() / 1e3, micros.getMean() / 1e3,
				millis(micros, 50), millis(micros, 95), millis(micros, 99), micros.getMaxValue() / 1e3);
	}

	private static @Nullable Double millis(Histogram micros, int percent) {
		return Percentile.rank(micros.getTotalCount(), percent).isPresent()
				? Double.valueOf(micros.getValueAtPercentile(percent) / 1e3) : null;
	}

	private static Histogram histogram(IntStream micros) {
		Histogram histogram = new Histogram(DIGITS);
		micros.forEach((each) -> histogram.recordValue(Math.max(0, each)));
		return histogram;
	}

	private static String encoded(Histogram histogram) {
		ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
		int length = histogram.encodeIntoCompressedByteBuffer(buffer);
		return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
	}

	private static Histogram decoded(String text) {
		try {
			return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException("This is not a histogram: " + ex.getMessage(), ex);
		}
	}

}
