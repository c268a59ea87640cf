package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.Browser;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.watch.Watch.Moment;
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

	private static final String STATE = "document.getElementById('state').textContent";

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
		try (StubService stays = new StubService();
				StubService goes = new StubService();
				Watch watch = new Watch(Map.of("stays", stays.uri(), "goes", goes.uri()));
				WatchServer server = new WatchServer(watch::after, 0);
				Browser browser = browser(server)) {
			awaitText(browser, STATE, "2 of 2 services answer.");
			awaitText(browser, drawn("orders"), "sync saved");
			awaitText(browser, drawn("p99"), "sync  100");
			awaitText(browser, drawn("circuits"), "stays: backend  open");
			awaitText(browser, "document.getElementById('said').hidden", "true");

			// A line with a point for each past second, which still grows.
			String line = "Math.max(...[...document.querySelectorAll('#orders svg path')].map((path) => path.getAttribute('d').length))";
			int length = Integer.parseInt(browser.evaluate(line));
			await().until(() -> Integer.parseInt(browser.evaluate(line)) > length);
			readsTheMomentAtTheMouse(browser);
			browser.run(Html.resource("/axe.min.js"));
			assertThat(browser
				.evaluate("axe.run().then((found) => found.violations.map((each) => each.id + each.nodes[0].html))"))
				.isEmpty();

			goes.stop();
			awaitText(browser, "document.getElementById('services').textContent", "down: ");
			awaitText(browser, "document.getElementById('said').textContent", "goes is down");
			awaitText(browser, STATE, "1 of 2 services answer.");

			goes.startAgain();
			awaitText(browser, STATE, "2 of 2 services answer.");
			awaitText(browser, "document.getElementById('said').hidden", "true");
		}
	}

	@Test
	void saysThatItIsAloneAndGoesOnWithTheNextServer() throws Exception {
		WatchServer first = new WatchServer((_) -> List.of(WatchServerTests.moment(5_000)), 0);
		int port = first.port();
		try (first; Browser browser = browser(first)) {
			awaitText(browser, STATE, "1 of 1 services answer.");

			first.close();
			awaitText(browser, "document.getElementById('said').textContent", "does not answer");

			Moment none = new Moment(9_000, List.of(), WatchServerTests.moment(1).figures());
			try (WatchServer _ = new WatchServer((_) -> List.of(none), port)) {
				awaitText(browser, STATE, "0 of 0 services answer.");
				awaitText(browser, "document.getElementById('said').hidden", "true");
			}
		}
	}

	/** All charts have a tooltip at the same moment. */
	private static void readsTheMomentAtTheMouse(Browser browser) throws Exception {
		browser.run("document.getElementById('orders').scrollIntoView({ block: 'center' })");
		String[] box = browser.evaluate(
				"(({ right, top }) => [right - 20, top + 60])(document.getElementById('orders').getBoundingClientRect())")
			.split(",");
		browser.moveMouse(Double.parseDouble(box[0]), Double.parseDouble(box[1]));

		for (String panel : List.of("orders", "threads")) {
			awaitText(browser,
					"[...document.querySelectorAll('#%s > div')].slice(1).map((each) => each.textContent).join()"
						.formatted(panel),
					panel.equals("orders") ? "sync saved" : "stays");
		}
	}

	private Browser browser(WatchServer server) throws Exception {
		return new Browser(this.executable, this.profile, URI.create("http://127.0.0.1:%s/".formatted(server.port())));
	}

	/** What a chart says in writing. */
	private static String drawn(String panel) {
		return "document.querySelector('#%s svg')?.textContent".formatted(panel);
	}

	private static void awaitText(Browser browser, String expression, String text) {
		await().pollInterval(Duration.ofMillis(200))
			.ignoreException(IOException.class)
			.until(() -> browser.evaluate(expression), (value) -> value.contains(text));
	}

}
