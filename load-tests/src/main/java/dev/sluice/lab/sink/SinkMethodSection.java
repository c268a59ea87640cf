package dev.sluice.lab.sink;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;

/** The method, and the limits of the figures. */
final class SinkMethodSection extends Section {

	private final SinkResult sink;

	SinkMethodSection(SinkResult sink) {
		super("how", "How it was measured, and what limits it");
		this.sink = sink;
	}

	@Override
	public void write(RunResult run, Html html) {
		String delay = Figures.measured(this.sink.storeDelayMillis()) + " ms";
		List<String> points = new ArrayList<>(List.of(
				"Each transfer is a process of its own, warmed up with other messages, for seconds where the transfer itself is fast: a JVM that still compiles uses more CPU for that than for the messages. Its clock runs from the first message sent until the last is stored and acknowledged. Repetitions of the modes are interleaved.",
				"Data: lines of real scrapes of this system's metrics, cut into batches whose sizes are log-normal (2 to 300 kB), half of the digits of each value drawn again. 64 MB of it are made beforehand and sent in turn under ids of their own, so that the making is not measured. zstd sees one message at a time and gains nothing from the repetition.",
				"Where the storage's latency binds, each message takes the storage %s: with that, 54 connections that wait reach the 49 Mbit/s of the reference. The delay holds no thread."
					.formatted(delay),
				"The measurement this repeats moved 7 GB over a link of 10 Gbit/s to spinning disks; its factors stand beside ours for the setting that resembles it most. Its window was 100, ours adapts: that, and not the protocol, is most of the difference.",
				"Where nothing but the machine binds, storage is Kafka. Its producer has the sink's settings. Bare gRPC is a stream that hands each message to the same producer and acknowledges it, and promises nothing else: what one more hop costs at least.",
				"Client and sink share the machine's %s cores: their total CPU often limits a rate."
					.formatted(Figures.count(run.environment().cores()))));
		if (this.sink.link() != null) {
			points.add("The thin link is %s.".formatted(this.sink.link()));
		}
		html.list(points);
	}

}
