package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.Collectors;
import java.util.Map;
import java.util.HashMap;

import dev.sluice.lab.Browser;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.page.Page;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The page in a real browser. */
@ExtendWith(NoProcessLeft.class)
class WatchPageIT {

	@TempDir
	private Path profile;

	private Path executable;

	@BeforeEach
	void find() {
		assumeTrue(Browser.find().isPresent(), "needs an installed Chromium or Chrome on the path");
		this.executable = Browser.find().orElseThrow();
	}

	@Test
	void showsFiguresAsTheyComeAndWhoIsDownAndBack() throws Exception {
		History history = new History();
		try (StubService stays = new StubService();
				StubService goes = new StubService();
				Watch _ = new Watch(List.of(stays.target("stays"), goes.target("goes")), history,
						InstantSource.system());
				WatchServer server = new WatchServer(history::after, WatchPage.html(), 1, 0);
				Browser browser = new Browser(this.executable, this.profile,
						URI.create("http://127.0.0.1:%d/".formatted(server.port())))) {
			awaitText(browser, "document.getElementById('state').textContent", "2 of 2 services answer.");
			awaitText(browser, "document.getElementById('orders-rows').textContent", "sync saved");
			awaitText(browser, "document.getElementById('p99-rows').textContent", "100");
			awaitText(browser, "document.getElementById('circuits-rows').textContent", "stays: backend" + "open");
			awaitText(browser, "document.getElementById('said').hidden", "true");

			// A line with a point for each past second, which still grows.
			String line = "document.querySelector('#orders path').getAttribute('d')";
			awaitText(browser, line, "L");
			int length = browser.evaluate(line).length();
			await().until(() -> browser.evaluate(line).length() > length);

			assertThat(browser.evaluate("document.getElementById('big-answered').textContent")).isNotEqualTo("–");
			readsTheMomentAtTheMouse(browser);
			browser.run(Page.resource("/axe.min.js"));
			assertThat(browser
				.evaluate("axe.run().then((found) => found.violations.map((each) => each.id + each.nodes[0].html))"))
				.isEmpty();

			rememberWhatIsSaid(browser);
			goes.stop();
			awaitText(browser, "document.getElementById('services-rows').textContent", "down: ");
			awaitText(browser, "everSaid", "goes is down");
			awaitText(browser, "document.getElementById('state').textContent", "1 of 2 services answer.");

			browser.run("everSaid = ''");
			goes.startAgain();
			awaitText(browser, "everSaid", "goes answers again");
			awaitText(browser, "document.getElementById('state').textContent", "2 of 2 services answer.");
		}
	}

	@Test
	void saysThatItIsAloneAndGoesOnWithTheNextServer() throws Exception {
		History history = new History();
		history.add(WatchServerTests.moment(7));
		WatchServer first = new WatchServer(history::after, WatchPage.html(), 1, 0);
		int port = first.port();
		try (first;
				Browser browser = new Browser(this.executable, this.profile,
						URI.create("http://127.0.0.1:%d/".formatted(port)))) {
			awaitText(browser, "document.getElementById('state').textContent", "1 of 1 services answer.");

			first.close();
			awaitText(browser, "document.getElementById('said').textContent", "does not answer");

			History anew = new History();
			anew.add(new Moment(1, 5_000, List.of(), WatchServerTests.moment(1).figures()));
			try (WatchServer _ = new WatchServer(anew::after, WatchPage.html(), 2, port)) {
				awaitText(browser, "document.getElementById('state').textContent", "0 of 0 services answer.");
			}
		}
	}

	@Test
	void holdsStillWhilePaused() throws Exception {
		History history = new History();
		try (StubService service = new StubService();
				Watch _ = new Watch(List.of(service.target("gateway")), history, InstantSource.system());
				WatchServer server = new WatchServer(history::after, WatchPage.html(), 1, 0);
				Browser browser = new Browser(this.executable, this.profile,
						URI.create("http://127.0.0.1:%d/".formatted(server.port())))) {
			awaitText(browser, "document.getElementById('state').textContent", "1 of 1 services answer.");

			browser.evaluate("document.getElementById('pause').click()");
			String before = browser.evaluate("document.querySelector('main').textContent");
			long number = history.after(0).getLast().number();
			await().until(() -> history.after(0).getLast().number() > number + 2);

			assertThat(before).contains("paused");
			assertThat(browser.evaluate("document.querySelector('main').textContent")).isEqualTo(before);
		}
	}

	private static void readsTheMomentAtTheMouse(Browser browser) throws Exception {
		browser.run("document.querySelector('#orders .plot').scrollIntoView({ block: 'center' })");
		String[] box = browser.evaluate(
				"(({ right, top }) => [right - 12, top + 40])(document.querySelector('#orders .plot').getBoundingClientRect())")
			.split(",");
		browser.moveMouse(Double.parseDouble(box[0]), Double.parseDouble(box[1]));

		for (String panel : List.of("orders", "heap")) {
			awaitText(browser, "document.querySelector('#%s .at').textContent".formatted(panel), ":");
		}
		assertThat(browser.evaluate("document.querySelector('#orders-rows tr').cells[4].textContent"))
			.isNotEqualTo("–");
	}

	@Test
	void aNameLooksTheSameWhateverElseIsShown() throws Exception {
		History one = new History();
		one.add(moment("queued accepted", "sync saved"));
		History other = new History();
		other.add(moment("sync bulkhead-full", "sync saved"));

		assertThat(colour(one)).isNotBlank().isEqualTo(colour(other));
	}

	private static Moment moment(String... orders) {
		Map<String, Map<String, Double>> figures = new HashMap<>(WatchServerTests.moment(1).figures());
		figures.put("orders", Stream.of(orders).collect(Collectors.toMap((name) -> name, (_) -> 1.0)));
		return new Moment(1, 5_000, List.of(), figures);
	}

	/** Colour of the line of orders saved by sync calls. */
	private String colour(History history) throws Exception {
		try (WatchServer server = new WatchServer(history::after, WatchPage.html(), 1, 0);
				Browser browser = new Browser(this.executable, this.profile,
						URI.create("http://127.0.0.1:%d/".formatted(server.port())))) {
			awaitText(browser, "document.getElementById('orders-rows').textContent", "sync saved");
			return browser.evaluate(
					"[...document.querySelectorAll('#orders-rows tr')].find((row) => row.textContent.startsWith('sync saved')).querySelector('line').getAttribute('stroke')");
		}
	}

	/** A message may be replaced by the next one before the test sees it. */
	private static void rememberWhatIsSaid(Browser browser) throws Exception {
		browser
			.run("""
					var everSaid = '';
					new MutationObserver(() => { everSaid += document.getElementById('said').textContent + '\\n'; })
					  .observe(document.getElementById('said'), { childList: true, characterData: true, subtree: true })""");
	}

	private static void awaitText(Browser browser, String expression, String text) {
		await().pollInterval(Duration.ofMillis(200))
			.ignoreException(IOException.class)
			.until(() -> browser.evaluate(expression), (value) -> value.contains(text));
	}

}
