package dev.sluice.lab.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.RawFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code lab report} with ZIP archives of runs. */
class RunArchiveTests {

	/** The signature of an entry in an archive's central directory. */
	private static final int CENTRAL_HEADER = 0x0201_4b50;

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path raw;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "", "compare-20261124-143607/", "results/compare-20261124-143607/" })
	void writesThePageBesideTheArchive(String prefix) throws IOException {
		Path zip = zip(run(prefix));

		assertThat(report(zip, zip)).as(this.err.toString()).isZero();

		assertThat(this.err.toString()).isEmpty();
		assertThat(this.directory.resolve("run.zip.html")).content()
			.contains("The raw files are those that the run left", "id=\"run-1\"")
			.doesNotContain("id=\"run-2\"", "This run fails a check");
	}

	@Test
	void saysWhichFileWasChangedOrIsMissing() throws IOException {
		List<Map.Entry<String, byte[]>> run = run("");

		report(zip(run.stream().filter((file) -> !file.getKey().equals("outcomes/1/a b.json")).toList()));

		assertThat(this.err.toString()).contains("deleted: outcomes/1/a b.json");
	}

	@ParameterizedTest
	@ValueSource(strings = { "../outside", "a/../../outside", "/outside", "..", "./a", "a\\..\\..\\outside" })
	void writesNothingButThePage(String name) throws IOException {
		report(zip(Stream.concat(run("").stream(), Stream.of(Map.entry(name, new byte[1]))).toList()));

		assertThat(this.directory)
			.isDirectoryNotContaining((file) -> !file.getFileName().toString().startsWith("run.zip"));
		assertThat(this.directory.resolveSibling("outside")).doesNotExist();
	}

	@Test
	void refusesMoreFilesThanARunHas() throws IOException {
		assertThat(
				refusal(zip(IntStream.range(0, 10_001).mapToObj((i) -> Map.entry("file-" + i, new byte[0])).toList())))
			.contains("more than 10,000 files");
	}

	@Test
	void refusesFilesThatAreLargerThanARuns() throws IOException {
		assertThat(refusal(withSizes(0xFFFF_FFF0))).contains("its files are more than 8,192 MB");
	}

	/** A bomb: the entry says less than it holds. */
	@Test
	void refusesAFileThatIsLongerThanItsEntrySays() throws IOException {
		assertThat(refusal(withSizes(10))).contains("is longer than its entry says");
	}

	@Test
	void saysThatAFileIsNoArchive() throws IOException {
		assertThat(refusal(Files.writeString(this.directory.resolve("run.zip"), "no archive"))).contains("run.zip");
		assertThat(refusal(Files.writeString(this.directory.resolve("run.txt"), "no archive")))
			.contains("it is not a ZIP archive of a run");
		assertThat(refusal(zip(List.of(Map.entry("a", new byte[1]))))).contains("There is no /run.json");
	}

	/** Wherever a byte is flipped or the file cut, it is read as it was or refused. */
	@Test
	void noticesEveryDamage() throws IOException {
		byte[] whole = Files.readAllBytes(zip(run("")));
		Path page = this.directory.resolve("damaged.zip.html");
		report(Files.write(this.directory.resolve("damaged.zip"), whole));
		String expected = Files.readString(page);
		Random random = new Random(16);
		for (int i = 0; i < 60; i++) {
			byte[] damaged = (i % 2 == 0) ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
			if (i % 2 == 1) {
				damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
			}
			Files.deleteIfExists(page);

			int exit = report(Files.write(this.directory.resolve("damaged.zip"), damaged));

			if (exit == 0 && this.err.toString().isEmpty()) {
				assertThat(Files.readString(page)).isEqualTo(expected);
			}
			else {
				assertThat(exit).isLessThanOrEqualTo(1);
				assertThat(this.err.toString().lines()).as(this.err.toString()).hasSize(1);
			}
		}
	}

	private String refusal(Path zip) {
		assertThat(report(zip)).isEqualTo(1);
		assertThat(this.err.toString().lines()).hasSize(1);
		return this.err.toString();
	}

	private int report(Path... runs) {
		this.err.getBuffer().setLength(0);
		return new CommandLine(new ReportCommand()).setOut(new PrintWriter(new StringWriter(), true))
			.setErr(new PrintWriter(this.err, true))
			.execute(Stream.of(runs).map(Path::toString).toArray(String[]::new));
	}

	private List<Map.Entry<String, byte[]>> run(String prefix) throws IOException {
		RunFile.write(Runs.grid(), this.raw);
		Files.createDirectories(this.raw.resolve("outcomes/1"));
		Files.writeString(this.raw.resolve("outcomes/1/a b.json"), "{\"saved\":12345}");
		RawFiles.write(this.raw);
		List<Map.Entry<String, byte[]>> files = new ArrayList<>();
		for (String name : List.of("files.sha256", "outcomes/1/a b.json", RunFile.NAME)) {
			files.add(Map.entry(prefix + name, Files.readAllBytes(this.raw.resolve(name))));
		}
		return files;
	}

	private Path zip(List<Map.Entry<String, byte[]>> files) throws IOException {
		Path zip = this.directory.resolve("run.zip");
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
			for (Map.Entry<String, byte[]> file : files) {
				out.putNextEntry(entry(file.getKey(), file.getValue()));
				out.write(file.getValue());
			}
		}
		return zip;
	}

	/** Short files are stored without compression, as zip does. */
	private static ZipEntry entry(String name, byte[] content) {
		ZipEntry entry = new ZipEntry(name);
		if (content.length < 100) {
			CRC32 crc = new CRC32();
			crc.update(content);
			entry.setMethod(ZipEntry.STORED);
			entry.setSize(content.length);
			entry.setCrc(crc.getValue());
		}
		return entry;
	}

	/** An archive whose directory says this size of each file. */
	private Path withSizes(int bytes) throws IOException {
		Path zip = zip(run(""));
		ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(zip)).order(ByteOrder.LITTLE_ENDIAN);
		for (int i = 0; i < content.capacity() - 28; i++) {
			if (content.getInt(i) == CENTRAL_HEADER) {
				content.putInt(i + 24, bytes);
			}
		}
		return Files.write(zip, content.array());
	}

}
