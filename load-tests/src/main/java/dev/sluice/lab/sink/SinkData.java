package dev.sluice.lab.sink;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;

import com.github.luben.zstd.ZstdDictTrainer;

/**
 * Data like the reference's: metrics, in batches of a few kB to a few hundred kB. The
 * metrics are lines of real scrapes of this system's services under load. Each batch
 * takes consecutive lines from a random point on and varies the digits of their values,
 * all drawn from a seed. So batches are similar, and hardly ever equal.
 *
 * @param lines of the recorded scrapes
 */
record SinkData(List<String> lines) {

	private static final int LEAST_BYTES = 2_000;

	private static final int MOST_BYTES = 300_000;

	/**
	 * Mean and standard deviation of the logarithm of a batch's size: a mean of about 17
	 * kB; the reference's is 10 to 25 kB.
	 */
	private static final double MU = 9.3;

	private static final double SIGMA = 0.95;

	private static final String SAMPLE = "/dev/sluice/lab/sink/scrapes.txt.gz";

	private static final int DICTIONARY_BYTES = 110 * 1024;

	private static final int TRAINING_BYTES = 12 * 1024 * 1024;

	/** Loads the recorded scrapes that are part of the lab. */
	static SinkData load() {
		try (BufferedReader sample = new BufferedReader(new InputStreamReader(
				new GZIPInputStream(Objects.requireNonNull(SinkData.class.getResourceAsStream(SAMPLE), SAMPLE)),
				StandardCharsets.UTF_8))) {
			// Batches contain neither help texts nor types.
			return new SinkData(
					sample.lines().filter((line) -> !line.startsWith("#") && line.indexOf(' ') > 0).toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Batches of at least this many bytes in total; the same for the same seed. */
	List<byte[]> batches(long seed, long bytes) {
		Random random = new Random(seed);
		List<byte[]> batches = new ArrayList<>();
		long sum = 0;
		while (sum < bytes) {
			int size = (int) Math.clamp(Math.exp(MU + SIGMA * random.nextGaussian()), LEAST_BYTES, MOST_BYTES);
			byte[] batch = batch(random, size);
			batches.add(batch);
			sum += batch.length;
		}
		return batches;
	}

	private byte[] batch(Random random, int size) {
		StringBuilder text = new StringBuilder(size + 200);
		int line = random.nextInt(this.lines.size());
		while (text.length() < size) {
			append(text, this.lines.get(line), random);
			line = (line + 1) % this.lines.size();
		}
		return text.toString().getBytes(StandardCharsets.UTF_8);
	}

	/** Changes half of the digits of a value. The first digit stays, so 0 stays 0. */
	private static void append(StringBuilder text, String line, Random random) {
		int value = line.lastIndexOf(' ') + 1;
		text.append(line, 0, Math.min(line.length(), value + 1));
		for (int i = value + 1; i < line.length(); i++) {
			char c = line.charAt(i);
			boolean other = c >= '0' && c <= '9' && line.charAt(i - 1) != 'E' && random.nextBoolean();
			text.append(other ? (char) ('0' + random.nextInt(10)) : c);
		}
		text.append('\n');
	}

	/** A zstd dictionary for such batches, trained on other ones than those sent. */
	byte[] train(long seed) {
		ZstdDictTrainer trainer = new ZstdDictTrainer(TRAINING_BYTES, DICTIONARY_BYTES);
		for (byte[] sample : batches(~seed, TRAINING_BYTES)) {
			if (!trainer.addSample(sample)) {
				break;
			}
		}
		return trainer.trainSamples();
	}

}
