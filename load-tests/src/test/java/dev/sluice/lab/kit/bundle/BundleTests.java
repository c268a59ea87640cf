package dev.sluice.lab.kit.bundle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.kit.bundle.Bundle.Content;
import dev.sluice.lab.kit.bundle.Bundle.Limits;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.RawFiles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

@Tag("full")
class BundleTests {

	@TempDir
	private Path directory;

	@Test
	void holdsTheRunAndNothingElse() throws IOException {
		Path run = run();
		Files.writeString(run.resolve("report.html"), "<p>");
		Files.writeString(run.resolve("put here later.txt"), "mine");
		Path bundle = this.directory.resolve("run.zip");

		Bundle.pack(run, bundle, Content.ALL);
		Path opened = this.directory.resolve("opened");
		Bundle.unpack(bundle, opened);

		assertThat(names(opened)).containsExactlyInAnyOrder("run.json", "files.sha256", "report.html",
				"outcomes/1/a b.json");
		assertThat(opened.resolve("run.json")).hasSameBinaryContentAs(run.resolve("run.json"));
		assertThat(RawFiles.check(opened).holds()).isTrue();
	}

	@Test
	void holdsOnlyWhatTheCellsAreComputedFrom() throws IOException {
		Path run = run();
		for (String name : List.of("samples/1.csv", "gatling/1/orders-1/simulation.log", "gatling/1/plan.json",
				"scrapes/1/backend.prom.gz", "jfr/all-consumer.jfr", "logs/all-consumer.log")) {
			Files.createDirectories(run.resolve(name).getParent());
			Files.writeString(run.resolve(name), name);
		}
		RawFiles.write(run);
		Files.writeString(run.resolve("report.html"), "<p>");
		Path bundle = this.directory.resolve("run.zip");

		Bundle.pack(run, bundle, Content.CELLS);
		Path opened = this.directory.resolve("opened");
		Bundle.unpack(bundle, opened);

		assertThat(names(opened)).containsExactlyInAnyOrder("run.json", "files.sha256", "outcomes/1/a b.json",
				"samples/1.csv", "gatling/1/orders-1/simulation.log");
	}

	@Test
	void theSameRunMakesTheSameBytes() throws IOException {
		Path run = run();

		Bundle.pack(run, this.directory.resolve("one.zip"), Content.ALL);
		Bundle.pack(run, this.directory.resolve("other.zip"), Content.ALL);

		assertThat(this.directory.resolve("one.zip")).hasSameBinaryContentAs(this.directory.resolve("other.zip"));
	}

	@Test
	void aRunWithChangedRawDataIsNotPacked() throws IOException {
		Path run = run();
		Files.writeString(run.resolve("outcomes/1/a b.json"), "{\"saved\":9}");

		Throwable refused = catchThrowable(() -> Bundle.pack(run, this.directory.resolve("run.zip"), Content.ALL));

		assertThat(refused).hasMessageContaining("changed: outcomes/1/a b.json");
		assertThat(this.directory.resolve("run.zip")).doesNotExist();
	}

	@Test
	void anExistingFileIsNotReplaced() throws IOException {
		Path bundle = Files.writeString(this.directory.resolve("run.zip"), "mine");

		Throwable refused = catchThrowable(() -> Bundle.pack(run(), bundle, Content.ALL));

		assertThat(refused).hasMessageContaining("exists");
		assertThat(bundle).hasContent("mine");
	}

	@ParameterizedTest
	@ValueSource(strings = { "../outside", "a/../../outside", "/tmp/outside", "a//b", "./a", "a/.", "..", "a\\..\\b",
			"C:a", "a/" })
	void aMemberElsewhereIsNotWritten(String name) throws IOException {
		String refused = refusal(zip(List.of(Map.entry("run.json", "{}"), Map.entry(name, "x"))));

		assertThat(refused).contains("would lie outside the directory");
		assertThat(names(this.directory)).containsExactly("hostile.zip");
	}

	@Test
	void aMissingMemberIsNoticed() throws IOException {
		assertThat(refusal(zip(manifest("run.json", "{}", "a", "x"), List.of(Map.entry("run.json", "{}")))))
			.endsWith("its member 'a' is missing");
	}

	@Test
	void anAlteredMemberIsNoticed() throws IOException {
		assertThat(refusal(zip(manifest("run.json", "{}"), List.of(Map.entry("run.json", "{ }")))))
			.endsWith("its member 'run.json' was altered: its SHA-256 is not the manifest's");
	}

	@Test
	void aMemberThatTheManifestDoesNotNameIsNotWritten() throws IOException {
		assertThat(refusal(
				zip(manifest("run.json", "{}"), List.of(Map.entry("run.json", "{}"), Map.entry("more\n", "x")))))
			.endsWith("manifest.sha256 does not name its member 'more?'");
	}

	@Test
	void aMemberInPlaceOfADirectoryIsOneLine() throws IOException {
		assertThat(refusal(zip(List.of(Map.entry("run.json", "{}"), Map.entry("a", "x"), Map.entry("a/b", "y")))))
			.contains("hostile.zip");
	}

	@Test
	void aBombIsNotUnpacked() throws IOException {
		Path bundle = zip(List.of(Map.entry("run.json", "0".repeat(50 << 20))));

		assertThat(refusal(bundle)).contains("its members are more than", "MB, which no run of its length has");
	}

	@Test
	void noMoreMembersAreWrittenThanARunCanHave() throws IOException {
		Path bundle = zip(List.of(Map.entry("a", ""), Map.entry("b", ""), Map.entry("run.json", "{}")));

		Throwable refused = catchThrowable(
				() -> Bundle.unpack(bundle, this.directory.resolve("opened"), new Limits(2, 1 << 20, 100)));

		assertThat(refused).hasMessageContaining("it names 3 members, and a run has 2 at most");
	}

	@Test
	void whatIsNoBundleIsSaid() throws IOException {
		Path text = Files.writeString(this.directory.resolve("hostile.zip"), "no archive");

		assertThat(refusal(text)).contains("it was not made by lab bundle");
		assertThat(refusal(this.directory.resolve("none.zip"))).startsWith("There is no ");
	}

	/** Wherever a byte is flipped or the file cut, it is opened as it was or refused. */
	@Test
	void aDamagedBundleIsRefusedOrWhole() throws IOException {
		Path run = run();
		Path bundle = this.directory.resolve("run.zip");
		Bundle.pack(run, bundle, Content.ALL);
		byte[] whole = Files.readAllBytes(bundle);
		Random random = new Random(16);
		int refused = 0;
		for (int i = 0; i < 300; i++) {
			byte[] damaged = (i % 2 == 0) ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
			if (i % 2 == 1) {
				damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
			}
			Path file = Files.write(this.directory.resolve("damaged.zip"), damaged);
			Path opened = this.directory.resolve("opened");
			Throwable failure = catchThrowable(() -> Bundle.unpack(file, opened));
			if (failure == null) {
				assertThat(opened.resolve("run.json")).hasSameBinaryContentAs(run.resolve("run.json"));
				assertThat(opened.resolve("outcomes/1/a b.json"))
					.hasSameBinaryContentAs(run.resolve("outcomes/1/a b.json"));
				Bundle.delete(opened);
			}
			else {
				refused++;
				assertThat(failure).isInstanceOf(IOException.class).message().doesNotContain("\n");
				assertThat(opened).doesNotExist();
			}
		}
		assertThat(refused).isGreaterThan(200);
	}

	private Path run() throws IOException {
		Path run = this.directory.resolve("run");
		RunFile.write(Runs.partial(), run);
		Files.createDirectories(run.resolve("outcomes/1"));
		Files.writeString(run.resolve("outcomes/1/a b.json"), "{}");
		RawFiles.write(run);
		return run;
	}

	private String refusal(Path bundle) throws IOException {
		Path opened = this.directory.resolve("opened");
		@Nullable Throwable refused = catchThrowable(() -> Bundle.unpack(bundle, opened));
		assertThat(refused).isInstanceOf(IOException.class).message().doesNotContain("\n");
		assertThat(opened).doesNotExist();
		return String.valueOf(refused.getMessage());
	}

	private Path zip(List<Map.Entry<String, String>> members) throws IOException {
		List<String> manifest = new ArrayList<>();
		members.forEach((member) -> manifest.addAll(List.of(member.getKey(), member.getValue())));
		return zip(manifest(manifest.toArray(String[]::new)), members);
	}

	private Path zip(String manifest, List<Map.Entry<String, String>> members) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
			for (Map.Entry<String, String> member : Stream
				.concat(Stream.of(Map.entry(Bundle.MANIFEST, manifest)), members.stream())
				.toList()) {
				zip.putNextEntry(new ZipEntry(member.getKey()));
				zip.write(member.getValue().getBytes(StandardCharsets.UTF_8));
			}
		}
		return Files.write(this.directory.resolve("hostile.zip"), bytes.toByteArray());
	}

	private static String manifest(String... namesAndContents) {
		StringBuilder manifest = new StringBuilder();
		for (int i = 0; i < namesAndContents.length; i += 2) {
			manifest
				.append(HexFormat.of()
					.formatHex(RawFiles.sha256().digest(namesAndContents[i + 1].getBytes(StandardCharsets.UTF_8))))
				.append("  ")
				.append(namesAndContents[i])
				.append('\n');
		}
		return manifest.toString();
	}

	private static List<String> names(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter(Files::isRegularFile)
				.map((file) -> directory.relativize(file).toString())
				.collect(Collectors.toList());
		}
	}

}
