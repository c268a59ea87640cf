package dev.sluice.sink;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.random.RandomGenerator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a test with many seeds: the same few in each build, and with
 * {@code -Dsluice.fuzz=PT1H} as many new ones as fit into that time. A failure names its
 * seed; {@code -Dsluice.fuzz.seed=N} runs only that one.
 */
public final class Fuzz {

	/** Enough for the gate. */
	private static final int ROUNDS = 100;

	/** The test of one seed. */
	@FunctionalInterface
	public interface Round {

		void run(Random random) throws Exception;

	}

	private Fuzz() {
	}

	/**
	 * Runs rounds until all are done or the time is up.
	 * @param rounds number of rounds with {@code -Pfull}; without it at most 100
	 */
	public static void run(int rounds, Round round) {
		// Each damage logs a line.
		Logger sink = (Logger) LoggerFactory.getLogger("dev.sluice.sink");
		Level before = sink.getLevel();
		sink.setLevel(Level.OFF);
		try {
			runAll(rounds, round);
		}
		finally {
			sink.setLevel(before);
		}
	}

	private static void runAll(int rounds, Round round) {
		String time = System.getProperty("sluice.fuzz");
		Long only = Long.getLong("sluice.fuzz.seed");
		if (only != null) {
			once(only, round);
		}
		else if (time == null) {
			for (int seed = 0; seed < rounds(rounds); seed++) {
				once(seed, round);
			}
		}
		else {
			long first = System.nanoTime();
			long seed = first;
			while (System.nanoTime() - first < Duration.parse(time).toNanos()) {
				once(seed++, round);
			}
			System.out.printf("%,d rounds, seeds from %s%n", seed - first, first);
		}
	}

	private static int rounds(int all) {
		return Boolean.getBoolean("sluice.full") ? all : Math.min(all, ROUNDS);
	}

	private static void once(long seed, Round round) {
		try {
			round.run(new Random(seed));
		}
		catch (Throwable ex) {
			throw new AssertionError("-Dsluice.fuzz.seed=%s: %s".formatted(seed, ex.getMessage()), ex);
		}
	}

	/** Returns a copy that is damaged in one place or a few. */
	public static byte[] mutated(byte[] bytes, RandomGenerator random) {
		byte[] result = bytes.clone();
		for (int times = 1 + random.nextInt(3); times > 0 && result.length > 0; times--) {
			int at = random.nextInt(result.length);
			int length = 1 + random.nextInt(Math.min(result.length - at, random.nextBoolean() ? 8 : 8_192));
			result = switch (random.nextInt(7)) {
				case 0 -> flipped(result, at, random);
				case 1 -> {
					Arrays.fill(result, at, at + length, (byte) 0);
					yield result;
				}
				case 2 -> {
					byte[] noise = new byte[length];
					random.nextBytes(noise);
					System.arraycopy(noise, 0, result, at, length);
					yield result;
				}
				case 3 -> Arrays.copyOf(result, at);
				case 4 -> {
					// A part of it is copied to another place.
					System.arraycopy(result, at, result, random.nextInt(result.length - length + 1), length);
					yield result;
				}
				case 5 -> spliced(result, at, Arrays.copyOfRange(result, at, at + length));
				default -> without(result, at, length);
			};
		}
		return result;
	}

	private static byte[] flipped(byte[] bytes, int at, RandomGenerator random) {
		bytes[at] ^= (byte) (1 << random.nextInt(8));
		return bytes;
	}

	private static byte[] spliced(byte[] bytes, int at, byte[] part) {
		byte[] longer = Arrays.copyOf(bytes, bytes.length + part.length);
		System.arraycopy(bytes, at, longer, at + part.length, bytes.length - at);
		System.arraycopy(part, 0, longer, at, part.length);
		return longer;
	}

	private static byte[] without(byte[] bytes, int at, int length) {
		byte[] shorter = Arrays.copyOf(bytes, bytes.length - length);
		System.arraycopy(bytes, at + length, shorter, at, bytes.length - at - length);
		return shorter;
	}

}
