package dev.sluice.lab;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.imageio.ImageIO;

import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The report in a real browser. */
@Tag("serverless")
class ReportPageIT {

	private static final int LAPTOP = 1280;

	/** The expected look of a page, scaled down so that details of fonts vanish. */
	private static final Path PICTURE = Path.of("src/test/resources/dev/sluice/lab/report/first-screen.png");

	private static final int SMALLER = 8;

	@TempDir
	private static Path directory;

	private static Path html;

	private static Browser browser;

	@BeforeAll
	static void open() throws Exception {
		assumeTrue(Browser.find().isPresent(), "needs an installed Chromium or Chrome on the path");
		html = directory.resolve("report.html");
		Report.write(Runs.full(), html);
		browser = new Browser(Browser.find().orElseThrow(), directory.resolve("profile"), URI.create("about:blank"));
	}

	@BeforeEach
	void load() throws Exception {
		browser.show("screen", "light");
		browser.resize(LAPTOP, 900);
		browser.load(html.toUri());
	}

	@AfterAll
	static void close() {
		if (browser != null) {
			browser.close();
		}
	}

	@ParameterizedTest
	@MethodSource("dev.sluice.lab.kit.result.Runs#ofEveryKind")
	void noTableIsWiderThanALaptopsScreen(RunResult run) throws Exception {
		show(run);

		assertThat(browser.evaluate(
				"""
						[...document.querySelectorAll('table')].filter((table) => table.scrollWidth > table.closest('.scroll').clientWidth)
						  .map((table) => table.caption.textContent).join('; ')"""))
			.isEmpty();
	}

	@ParameterizedTest
	@MethodSource("dev.sluice.lab.kit.result.Runs#ofEveryKind")
	void noTextInAChartIsCutOrOverlaps(RunResult run) throws Exception {
		try {
			for (int width : List.of(390, 800, 1_400)) {
				browser.resize(width, 900);
				show(run);

				assertThat(browser.evaluate(
						"""
								[...document.querySelectorAll('.chart svg')].flatMap((svg) => {
								  const room = svg.getBoundingClientRect();
								  const texts = [...svg.querySelectorAll('text')].map((each) => ({ said: each.textContent, box: each.getBoundingClientRect() }))
								    .filter(({ said }) => said !== '');
								  return texts.flatMap(({ said, box }, i) => [
								    ...(box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 3 || box.bottom > room.bottom + 3 ? [said + ' is cut'] : []),
								    ...texts.slice(i + 1).filter((other) => Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 2
								      && Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 5).map((other) => said + ' overlaps ' + other.said)]);
								}).join('; ')"""))
					.as("at %s px", width)
					.isEmpty();
			}
		}
		finally {
			browser.resize(LAPTOP, 900);
		}
	}

	@ParameterizedTest
	@MethodSource("dev.sluice.lab.kit.result.Runs#ofEveryKind")
	void isAccessible(RunResult run) throws Exception {
		show(run);

		assertThat(violations("")).isEmpty();
	}

	@Tag("full")
	@Test
	void canBeReadInTheDark() throws Exception {
		browser.show("screen", "dark");
		unfold();

		assertThat(violations(", runOnly: ['color-contrast']")).isEmpty();
	}

	/** The rows of a table look alike: some of each are examined. */
	private static String violations(String options) throws Exception {
		browser.run(Html.resource("/axe.min.js"));
		return browser.evaluate(
				"""
						axe.run({ include: [['html']], exclude: [['tbody tr:nth-child(n+%s)']] }, { resultTypes: ['violations']%s }).then((found) => found.violations
						  .map((each) => each.id + ': ' + each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' and ')).join('; '))"""
					.formatted(Boolean.getBoolean("sluice.full") ? 11 : 3, options));
	}

	@Test
	void eachMarkOfFailedCallsHasItsOwnShare() throws Exception {
		assertThat(browser.evaluate(
				"""
						[...document.querySelectorAll('.chart')].map((chart) => {
						  const data = JSON.parse(chart.querySelector('script').textContent);
						  const failed = data.kind === 'lines' ? data.lines.flatMap((line) => line.points.filter((p) => p.failedShare >= 0.01)) : [];
						  const said = [...chart.querySelectorAll('svg text')].filter((text) => / %$/.test(text.textContent));
						  return failed.length === 0 ? '' : failed.length + ' of ' + said.length;
						}).filter((it) => it !== '').join(' ')"""))
			.isEqualTo("3 of 3 12 of 12 12 of 12 12 of 12");
	}

	@Test
	void everyMarkHasATooltip() throws Exception {
		for (String kind : List.of("lines", "stack")) {
			assertThat(tooltips(kind)).as(kind).isNotEmpty();
		}
		show(Runs.client());
		assertThat(tooltips("seconds")).isNotEmpty();
	}

	/** The tooltip at the middle of a chart's marks. */
	private static String tooltips(String kind) throws Exception {
		String chart = "[...document.querySelectorAll('.chart')].find((each) => JSON.parse(each.querySelector('script').textContent).kind === '%s')"
			.formatted(kind);
		browser.evaluate("%s.scrollIntoView({ block: 'center' })".formatted(chart));
		String marks = "[...%s.querySelectorAll('svg path')]".formatted(chart);
		int count = Integer.parseInt(browser.evaluate(marks + ".length"));
		StringBuilder said = new StringBuilder();
		for (int i = 0; i < count && said.isEmpty(); i++) {
			String[] at = browser.evaluate("(() => { const box = " + marks + "[" + i
					+ "].getBoundingClientRect(); return (box.x + box.width / 2) + ' ' + (box.y + box.height / 2); })()")
				.split(" ");
			browser.moveMouse(Double.parseDouble(at[0]) - 1, Double.parseDouble(at[1]));
			browser.moveMouse(Double.parseDouble(at[0]), Double.parseDouble(at[1]));
			said.append(browser.evaluate(
					"[...%s.querySelectorAll('div')].filter((each) => getComputedStyle(each).position === 'absolute' && getComputedStyle(each).visibility === 'visible').map((each) => each.textContent).join('')"
						.formatted(chart)));
		}
		return said.toString();
	}

	@Test
	void aTableSortsByAnyColumnAndComesBack() throws Exception {
		browser
			.run("""
					var table = [...document.querySelectorAll('table')].find((each) => each.caption.textContent.startsWith('All cells: orders'));
					var column = (name) => [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === name);
					var values = (name) => [...table.tBodies[0].rows].map((row) => row.cells[column(name)].textContent);
					var sort = (name) => table.tHead.rows[0].cells[column(name)].querySelector('button').click()""");
		String before = browser.evaluate("values('saved per second')");

		browser.run("sort('saved per second')");
		String rising = browser.evaluate("values('saved per second').map((it) => it.replace(/,/g, ''))");
		browser.run("sort('saved per second')");
		String falling = browser.evaluate("values('saved per second').map((it) => it.replace(/,/g, ''))");
		browser.run("sort('saved per second')");

		assertThat(numbers(rising)).isSorted();
		assertThat(numbers(falling).reversed()).isSorted();
		assertThat(browser.evaluate("values('saved per second')")).isEqualTo(before);
	}

	private static List<Double> numbers(String joined) {
		return List.of(joined.split(",")).stream().map(Double::valueOf).toList();
	}

	@Test
	void chartsAndTablesAreSavedAsFiles() throws Exception {
		browser.run("""
				var saved = [];
				URL.createObjectURL = (blob) => { saved.push(blob.text()); return 'data:,'; };
				document.querySelectorAll('.tools button').forEach((button) => button.click())""");

		assertThat(
				browser.evaluate("Promise.all(saved).then((all) => all.filter((it) => it.startsWith('<svg')).length)"))
			.isEqualTo(browser.evaluate("document.querySelectorAll('.chart').length"));
		assertThat(browser.evaluate("Promise.all(saved).then((all) => all.filter((it) => it.startsWith('\"')).length)"))
			.isEqualTo(browser.evaluate("document.querySelectorAll('table').length"));
		assertThat(browser.evaluate("Promise.all(saved).then((all) => all.filter((it) => it.includes('var(')).length)"))
			.as("files that need the page's style sheet")
			.isEqualTo("0");
	}

	@Test
	void onPaperChartsAndTablesHaveTheWholeWidth() throws Exception {
		unfold();
		browser.show("print", "light");
		browser.resize(720, 1_000);

		assertThat(browser.evaluate(
				"""
						[...document.querySelectorAll('.chart svg')].filter((svg) => {
						  const room = svg.closest('figure').getBoundingClientRect().width, own = svg.getBoundingClientRect().width;
						  return Math.abs(room - own) > 2;
						}).length"""))
			.isEqualTo("0");
		assertThat(browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
			.isEqualTo("0");
	}

	@Test
	void looksAsItDid() throws Exception {
		browser.run("location.hash = 'run'");
		BufferedImage now = smaller(ImageIO.read(new ByteArrayInputStream(browser.picture())));
		if ("write".equals(System.getProperty("sluice.docs"))) {
			Files.createDirectories(PICTURE.getParent());
			ImageIO.write(now, "png", PICTURE.toFile());
		}
		BufferedImage before = ImageIO.read(PICTURE.toFile());

		assertThat(now.getWidth()).isEqualTo(before.getWidth());
		assertThat(now.getHeight()).isEqualTo(before.getHeight());
		assertThat(differing(now, before))
			.as("share of the picture that differs from %s; look at it, and if it is well, write it with -Dsluice.docs=write",
					PICTURE)
			.isLessThan(0.05);
	}

	private static BufferedImage smaller(BufferedImage picture) {
		BufferedImage small = new BufferedImage(picture.getWidth() / SMALLER, picture.getHeight() / SMALLER,
				BufferedImage.TYPE_BYTE_GRAY);
		for (int x = 0; x < small.getWidth(); x++) {
			for (int y = 0; y < small.getHeight(); y++) {
				int sum = 0;
				for (int i = 0; i < SMALLER * SMALLER; i++) {
					int rgb = picture.getRGB(x * SMALLER + i % SMALLER, y * SMALLER + i / SMALLER);
					sum += ((rgb >> 16 & 0xff) + 2 * (rgb >> 8 & 0xff) + (rgb & 0xff)) / 4;
				}
				small.getRaster().setSample(x, y, 0, sum / (SMALLER * SMALLER));
			}
		}
		return small;
	}

	/** Share of pixels that differ by more than a sixth of the range. */
	private static double differing(BufferedImage one, BufferedImage other) {
		int differing = 0;
		for (int x = 0; x < one.getWidth(); x++) {
			for (int y = 0; y < one.getHeight(); y++) {
				int difference = one.getRaster().getSample(x, y, 0) - other.getRaster().getSample(x, y, 0);
				differing += (Math.abs(difference) > 42) ? 1 : 0;
			}
		}
		return (double) differing / (one.getWidth() * one.getHeight());
	}

	private static void show(RunResult run) throws Exception {
		Path page = directory.resolve("%s.html".formatted(run.experiment().replaceAll("\\W", "")));
		Report.write(run, page);
		browser.load(page.toUri());
		unfold();
	}

	private static void unfold() throws IOException, InterruptedException {
		browser.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
	}

}
