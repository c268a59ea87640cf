package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTests {

	private static final Pattern DATA = Pattern.compile("<script type=\"application/json\">(.*?)</script>",
			Pattern.DOTALL);

	private static final Pattern ID = Pattern.compile("<[a-z1-6]+ [^>]*?\\bid=\"([^\"]+)\"");

	private static final Pattern LINK = Pattern.compile("href=\"#([^\"]+)\"");

	@TempDir
	private Path raw;

	@TempDir
	private Path directory;

	private final LabRun lab = new LabRun();

	@ParameterizedTest
	@MethodSource("dev.sluice.lab.kit.result.Runs#ofEveryKind")
	void everyIdIsThereOnceAndEveryLinkLeadsToOne(RunResult run) {
		String page = withoutScripts(Report.page(run));

		List<String> ids = ID.matcher(page).results().map((match) -> match.group(1)).toList();
		assertThat(ids).doesNotHaveDuplicates();
		assertThat(LINK.matcher(page).results().map((match) -> match.group(1))).isNotEmpty().allMatch(ids::contains);
	}

	@Test
	void theFirstScreenOfAComparisonIsBrief() {
		String page = withoutScripts(Report.page(Runs.full()));
		String summary = page.substring(page.indexOf("<section id=\"summary\""), page.indexOf("<nav"));

		String shown = summary.replaceAll("(?s)<details>.*?</details>", "");
		assertThat(shown.split("<figure>", -1)).as("one picture").hasSize(2);
		assertThat(shown.split("<strong>", -1)).as("four big figures").hasSize(5);
		assertThat(words(shown.replaceAll("(?s)<div class=\"verdict\">.*", ""))).isBetween(5L, 90L);
		assertThat(words(shown.replaceAll("(?s)<(figure|table)\\b[^>]*>.*?</\\1>", ""))).isLessThan(150);
	}

	private static long words(String html) {
		return Stream.of(html.replaceAll("(?s)<[^>]*>", " ").split("\\s+"))
			.filter((word) -> word.matches(".*\\p{L}.*"))
			.count();
	}

	@Test
	void tablesHoldTheFiguresWithoutJavaScript() {
		RunResult run = Runs.run("compare", null,
				List.of(Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1), 4321),
						Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 2), 5000),
						Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 3), 6789)));

		String page = withoutScripts(Report.page(run));

		assertThat(page).contains("5,000 (4,320–6,790)");
	}

	@Test
	void loadsNothingFromAnywhereAndForbidsIt() {
		String page = Report.page(Runs.partial());

		assertThat(page).contains("Content-Security-Policy", "default-src &#39;none&#39;").contains("echarts");
		assertThat(withoutScripts(page))
			.doesNotContainPattern("(?i)(src|href|action|data)\\s*=\\s*[\"']?\\s*(https?:|//)")
			.doesNotContainPattern("(?i)<(link|img|iframe|object|embed)\\b")
			.doesNotContainPattern("(?i)url\\(|@import");
		assertThat(page).doesNotContainPattern("(?i)<script[^>]+src");
	}

	@Test
	void whatARunSaysIsNeverMarkup() {
		String evil = "</script><script>alert(1)</script><!--\"'&";
		RunResult run = Runs.run("compare", evil,
				List.of(Runs.rate(new Cell(evil, "sync", "starved", Load.inFlight(10), 1), 10),
						Runs.rate(new Cell(evil, "sync", "starved", Load.inFlight(100), 1), 10),
						Runs.bare(new Cell("reactive", "queued", evil, Load.inFlight(10), 1), evil)));

		String page = Report.page(run);

		assertThat(page).doesNotContain("<script>alert", "</script><script>alert").contains("&lt;script&gt;alert");
		assertThat(charts(page)).anySatisfy((chart) -> assertThat(chart.findValuesAsString("name")).contains(evil));
	}

	@Test
	void rendersARunInterruptedBeforeItsFirstCell() {
		String page = withoutScripts(Report.page(Runs.run("compare", "interrupted", List.of())));

		assertThat(page).contains("Partial: interrupted", "No cell was measured").doesNotContain("null", "NaN");
	}

	private static List<JsonNode> charts(String page) {
		JsonMapper json = new JsonMapper();
		return DATA.matcher(page).results().map((MatchResult match) -> json.readTree(match.group(1))).toList();
	}

	private static String withoutScripts(String page) {
		return page.replaceAll("(?s)<script.*?</script>", "");
	}

	@Test
	void writesThePageIntoTheRunsDirectoryAndPrintsItsPath() throws IOException {
		RunFile.write(Runs.partial(), this.directory);

		int exit = report(this.directory.toString());

		Path page = this.directory.resolve("report.html");
		assertThat(exit).isZero();
		assertThat(this.lab.out()).isEqualTo(page + System.lineSeparator());
		assertThat(page).content().contains("Partial: interrupted by the user");
	}

	@Test
	void failsWithOneLineWhereThereIsNoRun() {
		int exit = report(this.directory.resolve("none").toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.lab.err().lines()).singleElement().asString().contains("There is no", "none");
	}

	@Test
	void failsWithOneLineIfThePageCannotBeWritten() throws IOException {
		RunFile.write(Runs.partial(), this.directory);
		Files.createDirectory(this.directory.resolve("report.html"));

		int exit = report(this.directory.toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.lab.err().lines()).singleElement().asString().contains("report.html");
	}

	@Test
	void refusesToGuessADirectory() {
		assertThat(report()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "compare-20261124-143607/", "results/compare-20261124-143607/" })
	void writesThePageBesideTheArchive(String prefix) throws IOException {
		Path zip = zip(files(prefix));

		assertThat(report(zip.toString())).as(this.lab.err()).isZero();

		assertThat(this.directory.resolve("run.zip.html")).content().contains("id=\"run\"");
	}

	@Test
	void saysThatAFileIsNoArchive() throws IOException {
		assertThat(refusal(Files.writeString(this.directory.resolve("run.zip"), "no archive"))).contains("run.zip");
		assertThat(refusal(zip(List.of(Map.entry("a/b/c/run.json", new byte[1]))))).contains("it holds no run.json");
	}

	private String refusal(Path zip) {
		assertThat(report(zip.toString())).isEqualTo(1);
		return this.lab.err();
	}

	private List<Map.Entry<String, byte[]>> files(String prefix) throws IOException {
		return List.of(Map.entry(prefix + "outcomes/1/a b.json", new byte[] { '{', '}' }),
				Map.entry(prefix + RunFile.NAME, Files.readAllBytes(RunFile.write(Runs.grid(), this.raw))));
	}

	private Path zip(List<Map.Entry<String, byte[]>> files) throws IOException {
		Path zip = this.directory.resolve("run.zip");
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
			for (Map.Entry<String, byte[]> file : files) {
				out.putNextEntry(new ZipEntry(file.getKey()));
				out.write(file.getValue());
			}
		}
		return zip;
	}

	private int report(String... arguments) {
		return this.lab.execute(Stream.concat(Stream.of("report"), Stream.of(arguments)).toArray(String[]::new));
	}

}
