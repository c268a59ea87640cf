package dev.sluice.lab.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a transfer: medians of its repetitions.
 *
 * @param mode how the data is moved
 * @param seconds duration
 * @param megabytesPerSecond rate of data, in MB of 10^6 bytes
 * @param messagesPerSecond rate of messages
 * @param least rate of the slowest repetition, in MB per second
 * @param greatest rate of the fastest repetition, in MB per second
 * @param speedUp rate as a multiple of the setting's first mode
 * @param wireShare bytes sent divided by bytes of data; 0 if unknown
 * @param cpuMillisPerMegabyte CPU time of client and sink
 * @param connections number of TCP connections
 */
record SinkFigures(Mode mode, double seconds, double megabytesPerSecond, double messagesPerSecond, double least,
		double greatest, double speedUp, double wireShare, double cpuMillisPerMegabyte, int connections) {

	/** The figures in the order of the modes, without modes that have no transfer. */
	static List<SinkFigures> of(SinkResult result, Setting setting) {
		List<SinkFigures> figures = new ArrayList<>();
		Double first = null;
		for (Mode mode : SinkExperiment.Settings.modes(setting)) {
			List<Transfer> transfers = result.transfers()
				.stream()
				.filter((transfer) -> transfer.setting() == setting && transfer.mode() == mode)
				.toList();
			if (!transfers.isEmpty()) {
				double rate = median(transfers, Transfer::megabytesPerSecond);
				first = (first != null) ? first : Double.valueOf(rate);
				figures.add(new SinkFigures(mode, median(transfers, Transfer::seconds), rate,
						median(transfers, Transfer::messagesPerSecond),
						transfers.stream().mapToDouble(Transfer::megabytesPerSecond).min().orElse(rate),
						transfers.stream().mapToDouble(Transfer::megabytesPerSecond).max().orElse(rate), rate / first,
						median(transfers, (transfer) -> (double) transfer.wireBytes() / transfer.bytes()),
						median(transfers, Transfer::cpuMillisPerMegabyte), transfers.getFirst().connections()));
			}
		}
		return figures;
	}

	private static double median(List<Transfer> transfers, ToDoubleFunction<Transfer> figure) {
		return Objects.requireNonNull(Figures.median(transfers.stream().mapToDouble(figure)));
	}

	/**
	 * The reference's speed-up, over a link of 10 Gbit/s; null if it has no such mode.
	 */
	static @Nullable Double reference(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT -> 1.0;
			case STREAM -> 3.6;
			case STREAM_ZSTD -> 7.9;
			case STREAM_DICTIONARY, STREAM_SPOOL, KAFKA -> null;
		};
	}

	/** A mode's colour, the same in every chart. */
	static int style(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT, KAFKA -> 0;
			case STREAM -> 1;
			case STREAM_ZSTD -> 2;
			case STREAM_DICTIONARY, STREAM_SPOOL -> 3;
		};
	}

}
