package dev.sluice.sink.request;

import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.github.luben.zstd.ZstdDictTrainer;

/** A dictionary for messages that are very similar, and such messages. */
public final class SampleDictionary {

	private static final int SAMPLES = 500;

	private SampleDictionary() {
	}

	public static byte[] bytes() {
		ZstdDictTrainer trainer = new ZstdDictTrainer(SAMPLES * 2_000, 8_000);
		for (int i = 0; i < SAMPLES; i++) {
			trainer.addSample(message(1_000 + i));
		}
		return trainer.trainSamples();
	}

	/** About 1,500 bytes of metrics, always the same for a seed. */
	public static byte[] message(int seed) {
		Random random = new Random(seed);
		return IntStream.range(0, 30)
			.mapToObj((line) -> "http_server_requests_seconds_count{method=\"POST\",uri=\"/orders/%s\"} %s\n"
				.formatted(random.nextInt(50), random.nextInt(100_000)))
			.collect(Collectors.joining())
			.getBytes();
	}

}
