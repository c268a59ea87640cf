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
 * What the repetitions of a transfer come to, each figure their median.
 *
 * @param mode how the data was moved
 * @param seconds how long it took
 * @param megabytesPerSecond of 10^6 bytes of data
 * @param messagesPerSecond of them
 * @param least of the repetitions, in MB a second
 * @param greatest of the repetitions
 * @param speedUp against the first mode of the setting
 * @param wireShare bytes sent by bytes of data; 0 = not known
 * @param cpuMillisPerMegabyte of client and sink
 * @param connections TCP connections
 */
record SinkFigures(Mode mode, double seconds, double megabytesPerSecond, double messagesPerSecond, double least,
		double greatest, double speedUp, double wireShare, double cpuMillisPerMegabyte, int connections) {

	/** Ten times what it was before several messages went in one request. */
	private static final String ASKED_SMALL_MESSAGES = "730,000 messages/s";

	/** In the order of the modes; a mode without any transfer is left out. */
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
	 * What the reference measured, over a link of 10 Gbit/s; null where it has no such
	 * mode.
	 */
	static @Nullable Double reference(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT -> 1.0;
			case STREAM -> 3.6;
			case STREAM_ZSTD -> 7.9;
			case STREAM_DICTIONARY, STREAM_SPOOL, RELAY, KAFKA -> null;
		};
	}

	/**
	 * What is asked of it: a share of the first mode's rate, or messages a second; null
	 * if nothing is.
	 */
	@Nullable String asked(Setting setting) {
		return switch (setting) {
			case LOOPBACK -> switch (this.mode) {
				case STREAM -> "70 %";
				case STREAM_ZSTD -> "110 %";
				case STREAM_SPOOL -> "55 %";
				case STOP_AND_WAIT, STREAM_DICTIONARY, RELAY, KAFKA -> null;
			};
			case LOOPBACK_SMALL -> (this.mode == Mode.STREAM) ? ASKED_SMALL_MESSAGES : null;
			case STORAGE, LINK, LINK_SMALL -> null;
		};
	}

	/** The same colour in every chart. */
	static int style(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT, KAFKA -> 0;
			case STREAM -> 1;
			case STREAM_ZSTD, RELAY -> 2;
			case STREAM_DICTIONARY, STREAM_SPOOL -> 3;
		};
	}

	static String words(Setting setting) {
		return switch (setting) {
			case STORAGE -> "the storage's latency binds";
			case LINK -> "a thin link binds";
			case LINK_SMALL -> "a thin link binds, messages of 2-4 kB";
			case LOOPBACK -> "nothing but the machine binds";
			case LOOPBACK_SMALL -> "nothing but the machine binds, messages of 200 B";
		};
	}

	static String words(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT -> "stop and wait, 54 connections";
			case STREAM -> "stream";
			case STREAM_ZSTD -> "stream, zstd";
			case STREAM_DICTIONARY -> "stream, zstd + dictionary";
			case STREAM_SPOOL -> "stream from the spool";
			case RELAY -> "bare gRPC and Kafka's producer";
			case KAFKA -> "Kafka's producer";
		};
	}

}
