package dev.sluice.lab.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import org.jspecify.annotations.Nullable;

/**
 * The four runs of the measurement that {@code lab client} repeats: another machine,
 * another language, the same question.
 */
final class ReferenceCases {

	private static final String TABLE = "reference-fixed-rate-client.csv";

	private ReferenceCases() {
	}

	/**
	 * A run of the client.
	 *
	 * @param threads number of threads that wait; null if the mode needs none
	 * @param path path of the target
	 * @param reference the reference's figures; null if the case is not one of the
	 * reference's
	 */
	record Case(String name, CallMode mode, @Nullable Integer threads, double requestsPerSecond, Duration duration,
			String path, @Nullable Reference reference) {
	}

	/** In the order of the table. */
	static List<Case> all() {
		try (InputStream table = Objects.requireNonNull(ReferenceCases.class.getResourceAsStream(TABLE), TABLE)) {
			return new String(table.readAllBytes(), StandardCharsets.UTF_8).lines()
				.skip(1)
				.map((line) -> parse(line.split(",", -1)))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Case parse(String[] fields) {
		CallMode mode = CallMode.valueOf(fields[0].toUpperCase(Locale.ROOT).replace('-', '_'));
		Integer threads = fields[3].isEmpty() ? mode.threads() : Integer.valueOf(fields[3]);
		Reference reference = new Reference(Integer.parseInt(fields[4]), Long.parseLong(fields[5]),
				Long.parseLong(fields[6]), Long.parseLong(fields[7]), Double.parseDouble(fields[8]),
				Integer.parseInt(fields[9]), Boolean.parseBoolean(fields[10]));
		String name = "%s, %s/s%s".formatted(mode, fields[1],
				(threads != null) ? ", %s threads".formatted(threads) : "");
		return new Case(name, mode, threads, Double.parseDouble(fields[1]),
				Duration.ofSeconds(reference.elapsedSeconds()), "/" + fields[2], reference);
	}

}
