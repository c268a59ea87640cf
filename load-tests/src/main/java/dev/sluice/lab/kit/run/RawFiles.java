package dev.sluice.lab.kit.run;

import java.io.IOException;
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
 * when the run ends: it shows later whether a report is built from the files of that run.
 */
public final class RawFiles {

	/** The list's name, in the run's directory. */
	public static final String NAME = "files.sha256";

	/** Maximum number of names in a message. */
	private static final int MAX_NAMED = 5;

	private RawFiles() {
	}

	/**
	 * Lists all files below a run's directory, except the report.
	 * @throws IOException if one cannot be read, or the list cannot be written
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
		Map<String, String> listed = listed(directory);
		listed.forEach((name, digest) -> {
			if (!now.containsKey(name)) {
				missing.add(name);
			}
			else if (!digest.equals(now.get(name))) {
				changed.add(name);
			}
		});
		if (listed.isEmpty()) {
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
				details.isEmpty() ? "%,d files".formatted(listed.size()) : String.join("; ", details));
	}

	private static String names(List<String> names) {
		String some = String.join(", ", names.subList(0, Math.min(MAX_NAMED, names.size())));
		return (names.size() <= MAX_NAMED) ? some : "%s and %,d more".formatted(some, names.size() - MAX_NAMED);
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

	/**
	 * The SHA-256 by name from the run's list.
	 * @throws IOException if it cannot be read
	 */
	public static Map<String, String> listed(Path directory) throws IOException {
		Map<String, String> listed = new TreeMap<>();
		for (String line : Files.readAllLines(directory.resolve(NAME))) {
			String[] parts = line.split("  ", 2);
			if (parts.length == 2) {
				listed.put(parts[1], parts[0]);
			}
		}
		return listed;
	}

	/**
	 * A file's SHA-256 in hexadecimal digits.
	 * @throws IOException if it cannot be read
	 */
	public static String digest(Path file) throws IOException {
		try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), sha256())) {
			in.transferTo(OutputStream.nullOutputStream());
			return HexFormat.of().formatHex(in.getMessageDigest().digest());
		}
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JDK has SHA-256", ex);
		}
	}

}
