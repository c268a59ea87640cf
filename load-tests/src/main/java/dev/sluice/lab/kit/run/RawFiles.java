package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.RunResult.Check;

/**
 * The list of a run's files with their SHA-256, in the form of {@code sha256sum}, written
 * when the run ends: it shows later whether a report is built from what was measured.
 */
public final class RawFiles {

	/** The list's name, in the run's directory. */
	public static final String NAME = "files.sha256";

	/** So many names are told of. */
	private static final int MOST_NAMED = 5;

	private RawFiles() {
	}

	/**
	 * Lists all files below a run's directory, but for the report.
	 * @throws IOException if one cannot be read, or the list not be written
	 */
	public static void write(Path directory) throws IOException {
		StringBuilder list = new StringBuilder();
		digests(directory).forEach((name, digest) -> list.append(digest).append("  ").append(name).append('\n'));
		Files.writeString(directory.resolve(NAME), list);
	}

	/**
	 * Whether the files are those that the run left.
	 * @throws IOException if they cannot be read
	 */
	public static Check check(Path directory) throws IOException {
		String what = "The raw files are those that the run left";
		Path list = directory.resolve(NAME);
		if (!Files.exists(list)) {
			return new Check(what, false, "the run has no %s, so it cannot be checked".formatted(NAME));
		}
		Map<String, String> now = digests(directory);
		List<String> missing = new ArrayList<>();
		List<String> changed = new ArrayList<>();
		int listed = 0;
		for (String line : Files.readAllLines(list)) {
			String[] parts = line.split("  ", 2);
			if (parts.length == 2) {
				listed++;
				String digest = now.get(parts[1]);
				if (digest == null) {
					missing.add(parts[1]);
				}
				else if (!digest.equals(parts[0])) {
					changed.add(parts[1]);
				}
			}
		}
		if (listed == 0) {
			return new Check(what, false, NAME + " lists no file");
		}
		List<String> details = new ArrayList<>();
		if (!missing.isEmpty()) {
			details.add("deleted: " + names(missing));
		}
		if (!changed.isEmpty()) {
			details.add("changed: " + names(changed));
		}
		return new Check(what, details.isEmpty(),
				details.isEmpty() ? "%,d files".formatted(listed) : String.join("; ", details));
	}

	private static String names(List<String> names) {
		String some = String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size())));
		return (names.size() <= MOST_NAMED) ? some : "%s and %,d more".formatted(some, names.size() - MOST_NAMED);
	}

	private static Map<String, String> digests(Path directory) throws IOException {
		Map<String, String> digests = new TreeMap<>();
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				String name = directory.relativize(file).toString();
				if (!name.equals(NAME) && !name.equals(ReportWriter.NAME)) {
					digests.put(name, digest(file));
				}
			}
		}
		catch (UncheckedIOException ex) {
			throw new IOException("The files of %s cannot be read (%s)".formatted(directory, ex.getCause()), ex);
		}
		return digests;
	}

	private static String digest(Path file) throws IOException {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
				in.transferTo(OutputStream.nullOutputStream());
			}
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JDK has SHA-256", ex);
		}
	}

}
