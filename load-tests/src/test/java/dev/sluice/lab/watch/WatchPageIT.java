package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import dev.sluice.lab.NoProcessLeft;
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
			assertThat(browser.evaluate("document.getElementById('said').hidden")).isEqualTo("true");

			// A line with a point for each second that has passed, and more to come.
			String line = "document.querySelector('#orders path').getAttribute('d')";
			awaitText(browser, line, "L");
			int length = browser.evaluate(line).length();
			await().atMost(Duration.ofSeconds(30)).until(() -> browser.evaluate(line).length() > length);

			goes.stop();
			awaitText(browser, "document.getElementById('services-rows').textContent", "down: ");
			awaitText(browser, "document.getElementById('said').textContent", "goes is down");
			awaitText(browser, "document.getElementById('state').textContent", "1 of 2 services answer.");

			goes.startAgain();
			awaitText(browser, "document.getElementById('said').textContent", "goes answers again");
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
			await().atMost(Duration.ofSeconds(30)).until(() -> history.after(0).getLast().number() > number + 2);

			assertThat(before).contains("paused");
			assertThat(browser.evaluate("document.querySelector('main').textContent")).isEqualTo(before);
		}
	}

	private static void awaitText(Browser browser, String expression, String text) {
		await().atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(200))
			.ignoreException(IOException.class)
			.until(() -> browser.evaluate(expression), (value) -> value.contains(text));
	}

}
