package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The list of a run's files with their SHA-256, written when the run ends.
 * {@code sha256sum -c} says later whether they are still those that the run left.
 */
final class RawFiles {

	/** The list's name, in the run's directory. */
	static final String NAME = "files.sha256";

	private RawFiles() {
	}

	/**
	 * Lists all files below a run's directory, except the report.
	 * @throws IOException if one cannot be read, or the list cannot be written
	 */
	static void write(Path directory) throws IOException {
		StringBuilder list = new StringBuilder();
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
				String name = directory.relativize(file).toString();
				if (!List.of(NAME, ReportWriter.NAME).contains(name)) {
					list.append(digest(file)).append("  ").append(name).append('\n');
				}
			}
		}
		catch (UncheckedIOException ex) {
			throw new IOException("The files of %s cannot be read (%s)".formatted(directory, ex.getCause()), ex);
		}
		Files.writeString(directory.resolve(NAME), list);
	}

	/** A file's SHA-256 in hexadecimal digits. */
	private static String digest(Path file) throws IOException {
		try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file),
				MessageDigest.getInstance("SHA-256"))) {
			in.transferTo(OutputStream.nullOutputStream());
			return HexFormat.of().formatHex(in.getMessageDigest().digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JDK has SHA-256", ex);
		}
	}

}
