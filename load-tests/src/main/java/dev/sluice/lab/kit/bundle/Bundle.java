package dev.sluice.lab.kit.bundle;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.RawFiles;
import dev.sluice.lab.kit.run.ReportWriter;

/**
 * A run in one file: a ZIP archive with {@code run.json}, which has plan, machine,
 * versions and command, the raw data and the report. Its first member is
 * {@value #MANIFEST}, the SHA-256 of every other member in the form of {@code sha256sum}.
 * Members are sorted by name and have one fixed time, so that the same run gives the same
 * bytes.
 * <p>
 * A bundle may come from anybody, and opening it trusts nothing in it: a member is kept
 * only if the manifest names it, its name stays below the directory, its content has the
 * manifest's digest, and all members together are no larger than a run can be. When a
 * bundle is refused, the files written from it are deleted. The message of every
 * exception is one line for the user.
 */
public final class Bundle {

	/** The file name extension of a bundle. */
	public static final String SUFFIX = ".zip";

	static final String MANIFEST = "manifest.sha256";

	/** A line of the manifest. */
	private static final Pattern LINE = Pattern.compile("([0-9a-f]{64})  (.+)");

	private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

	/** A run of three hours leaves some hundred files and 2 GB. */
	private static final Limits LIMITS = new Limits(10_000, 8L << 30, 100);

	private static final int BUFFER = 1 << 16;

	private Bundle() {
	}

	/** The part of a run that is packed. */
	public enum Content {

		/** All its files and the report. */
		ALL,

		/**
		 * The files that its cells are computed from, without recordings, scrapes, logs
		 * and report, which are most of the bytes.
		 */
		CELLS;

		private static final Pattern OF_CELLS = Pattern
			.compile("run\\.json|files\\.sha256|(outcomes|samples)/.+|gatling/.+/simulation\\.log");

		boolean has(String name) {
			return switch (this) {
				case ALL -> true;
				case CELLS -> OF_CELLS.matcher(name).matches();
			};
		}

	}

	/**
	 * The upper limits of a bundle.
	 *
	 * @param members number of files
	 * @param bytes size of all members together
	 * @param ratio of that size to the bundle's own
	 */
	record Limits(int members, long bytes, int ratio) {

		/** Any bundle may unpack to this size, however small it is. */
		private static final long ALWAYS = 1 << 20;

		long bytes(Path bundle) throws IOException {
			return Math.min(this.bytes, Math.max(ALWAYS, Files.size(bundle) * this.ratio));
		}

	}

	/**
	 * Packs a run.
	 * @param directory the run's
	 * @param bundle the file, which must not exist
	 * @param content the part to pack
	 * @throws IOException if the directory holds no run, its files are not those that the
	 * run left, or the bundle cannot be written
	 */
	public static void pack(Path directory, Path bundle, Content content) throws IOException {
		if (!Files.isRegularFile(directory.resolve(RunFile.NAME))) {
			throw new IOException(
					"There is no %s in %s: name the directory of a finished run".formatted(RunFile.NAME, directory));
		}
		Check check = RawFiles.check(directory);
		if (!check.holds()) {
			throw new IOException("%s is not packed, as its files are not those that the run left: %s"
				.formatted(directory, check.detail()));
		}
		if (Files.exists(bundle)) {
			throw new IOException("%s exists: name another with --out".formatted(bundle));
		}
		Map<String, String> digests = new TreeMap<>(RawFiles.listed(directory));
		for (String more : List.of(RawFiles.NAME, ReportWriter.NAME)) {
			if (Files.exists(directory.resolve(more))) {
				digests.put(more, RawFiles.digest(directory.resolve(more)));
			}
		}
		digests.keySet().removeIf((name) -> !content.has(name));
		Path unfinished = bundle.resolveSibling(bundle.getFileName() + ".tmp");
		try {
			write(directory, digests, unfinished);
			Files.move(unfinished, bundle, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new IOException("%s cannot be written (%s)".formatted(bundle, ex), ex);
		}
		finally {
			Files.deleteIfExists(unfinished);
		}
	}

	private static void write(Path directory, Map<String, String> digests, Path file) throws IOException {
		try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
			begin(zip, MANIFEST);
			zip.write(digests.entrySet()
				.stream()
				.map((entry) -> "%s  %s\n".formatted(entry.getValue(), entry.getKey()))
				.collect(Collectors.joining())
				.getBytes(StandardCharsets.UTF_8));
			for (String name : digests.keySet()) {
				begin(zip, name);
				Files.copy(directory.resolve(name), zip);
			}
		}
	}

	private static void begin(ZipOutputStream zip, String name) throws IOException {
		ZipEntry entry = new ZipEntry(name);
		entry.setTimeLocal(TIME);
		zip.putNextEntry(entry);
	}

	/** Whether a path is opened as a bundle: a file other than {@value RunFile#NAME}. */
	public static boolean isBundle(Path path) {
		return Files.isRegularFile(path) && !path.endsWith(RunFile.NAME);
	}

	/**
	 * Opens a bundle.
	 * @param into a directory that does not exist yet
	 * @throws IOException if it is not a bundle, is damaged or altered, or holds more
	 * than a run can
	 */
	public static void unpack(Path bundle, Path into) throws IOException {
		unpack(bundle, into, LIMITS);
	}

	static void unpack(Path bundle, Path into, Limits limits) throws IOException {
		Files.createDirectory(into);
		try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(bundle))) {
			read(bundle, zip, into.toRealPath(), limits);
		}
		catch (NoSuchFileException ex) {
			delete(into);
			throw new IOException("There is no " + bundle, ex);
		}
		catch (Refusal ex) {
			delete(into);
			throw new IOException("%s is not opened: %s".formatted(bundle, ex.getMessage()), ex);
		}
		catch (ZipException | EOFException ex) {
			delete(into);
			throw new IOException("%s is not opened: it is damaged or incomplete (%s)".formatted(bundle,
					oneLine(String.valueOf(ex.getMessage()))), ex);
		}
		catch (IOException ex) {
			delete(into);
			throw new IOException("%s cannot be opened (%s)".formatted(bundle, oneLine(ex.toString())), ex);
		}
		catch (IllegalArgumentException ex) {
			// Names that are not UTF-8.
			delete(into);
			throw new IOException("%s is not opened: a member's name cannot be read".formatted(bundle), ex);
		}
	}

	private static void read(Path bundle, ZipInputStream zip, Path into, Limits limits) throws IOException {
		Counted content = new Counted(zip, limits.bytes(bundle));
		ZipEntry first = zip.getNextEntry();
		if (first == null || !first.getName().equals(MANIFEST)) {
			throw new Refusal("it was not made by lab bundle: its first member is not " + MANIFEST);
		}
		ByteArrayOutputStream manifest = new ByteArrayOutputStream();
		content.transferTo(manifest);
		Map<String, String> digests = digests(manifest.toString(StandardCharsets.UTF_8), limits);
		Set<String> seen = new HashSet<>();
		for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
			String name = entry.getName();
			String digest = digests.get(name);
			if (digest == null) {
				throw new Refusal("%s does not name its member '%s'".formatted(MANIFEST, printable(name)));
			}
			if (!seen.add(name)) {
				throw new Refusal("its member '%s' is there twice".formatted(printable(name)));
			}
			write(content, name, digest, into);
		}
		for (String name : digests.keySet()) {
			if (!seen.contains(name)) {
				throw new Refusal("its member '%s' is missing".formatted(printable(name)));
			}
		}
		if (!seen.contains(RunFile.NAME)) {
			throw new Refusal("it has no " + RunFile.NAME);
		}
	}

	private static Map<String, String> digests(String manifest, Limits limits) throws Refusal {
		Map<String, String> digests = new TreeMap<>();
		for (String line : manifest.lines().toList()) {
			Matcher parts = LINE.matcher(line);
			if (!parts.matches()) {
				throw new Refusal("%s has the line '%s'".formatted(MANIFEST, printable(line)));
			}
			digests.put(parts.group(2), parts.group(1));
		}
		if (digests.size() > limits.members()) {
			throw new Refusal(
					"it names %,d members, and a run has %,d at most".formatted(digests.size(), limits.members()));
		}
		return digests;
	}

	private static void write(Counted content, String name, String digest, Path into) throws IOException {
		Path file = below(into, name);
		Files.createDirectories(file.getParent());
		DigestInputStream digested = new DigestInputStream(content, RawFiles.sha256());
		try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
			byte[] buffer = new byte[BUFFER];
			for (int read = digested.read(buffer); read >= 0; read = digested.read(buffer)) {
				out.write(buffer, 0, read);
			}
		}
		catch (FileAlreadyExistsException ex) {
			throw new Refusal("its member '%s' and another one are the same file".formatted(printable(name)));
		}
		if (!RawFiles.hex(digested.getMessageDigest()).equals(digest)) {
			throw new Refusal(
					"its member '%s' was altered: its SHA-256 is not the manifest's".formatted(printable(name)));
		}
	}

	/** Refuses names with {@code ..}, a root or another system's separators. */
	private static Path below(Path into, String name) throws Refusal {
		try {
			Path file = into.resolve(name);
			boolean plain = Stream.of(name.split("/", -1))
				.noneMatch((part) -> part.isEmpty() || part.equals(".") || part.equals(".."));
			if (plain && name.indexOf('\\') < 0 && name.indexOf(':') < 0 && file.normalize().equals(file)
					&& file.startsWith(into)) {
				return file;
			}
		}
		catch (InvalidPathException _) {
			// Refused as well.
		}
		throw new Refusal("its member '%s' would lie outside the directory".formatted(printable(name)));
	}

	private static String printable(String name) {
		String some = name.substring(0, Math.min(name.length(), 80));
		return some.replaceAll("\\p{C}", "?");
	}

	private static String oneLine(String message) {
		return message.lines().findFirst().orElse("no detail");
	}

	/**
	 * Deletes a directory and everything in it.
	 * @throws IOException if a file cannot be deleted
	 */
	public static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	/** Why a bundle is not opened. */
	private static final class Refusal extends IOException {

		Refusal(String message) {
			super(message);
		}

	}

	/** Refuses to read on once all members together are too large. */
	private static final class Counted extends FilterInputStream {

		private final long most;

		private long count;

		Counted(InputStream in, long most) {
			super(in);
			this.most = most;
		}

		@Override
		public int read() throws IOException {
			int read = super.read();
			count((read >= 0) ? 1 : 0);
			return read;
		}

		@Override
		public int read(byte[] bytes, int offset, int length) throws IOException {
			int read = super.read(bytes, offset, length);
			count(read);
			return read;
		}

		private void count(int read) throws Refusal {
			this.count += Math.max(0, read);
			if (this.count > this.most) {
				throw new Refusal(
						"its members are more than %,d MB, which no run of its length has".formatted(this.most >> 20));
			}
		}

	}

}
