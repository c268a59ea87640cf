package dev.sluice.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.devservices.Patience;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An installed Chromium or Chrome without a window, controlled by its DevTools protocol.
 * Every wait ends after {@link #PATIENCE}. Not thread-safe.
 */
public final class Browser implements AutoCloseable {

	/** On a slow machine the checks of a long page take more than a minute. */
	private static final Duration PATIENCE = Patience.of(Duration.ofMinutes(3));

	private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome",
			"google-chrome-stable", "chrome");

	private static final String LISTENING = "DevTools listening on ws://";

	private final HttpClient client = HttpClient.newHttpClient();

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private final Process process;

	private final WebSocket page;

	private int sent;

	/** The first browser on the path, by the usual names. */
	public static Optional<Path> find() {
		String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
		return NAMES.stream()
			.flatMap((name) -> Stream.of(path.split(":")).map((directory) -> Path.of(directory, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Opens a page.
	 * @param profile an empty directory
	 */
	public Browser(Path executable, Path profile, URI uri) throws IOException, InterruptedException {
		this.process = new ProcessBuilder(executable.toString(), "--headless", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
				"--disable-component-update", "--disable-sync", "--disable-quic", "--remote-debugging-port=0",
				"--user-data-dir=" + profile, "--window-size=1000,900", uri.toString())
			.redirectErrorStream(true)
			.start();
		try {
			this.page = this.client.newWebSocketBuilder()
				.buildAsync(pageSocket(authority()), new Messages())
				.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (IOException | InterruptedException ex) {
			stop();
			throw ex;
		}
		catch (Exception ex) {
			stop();
			throw new IOException("The browser cannot be told what to do", ex);
		}
	}

	/** Address of the browser's DevTools, from the first lines of its output. */
	private String authority() throws Exception {
		CompletableFuture<String> said = new CompletableFuture<>();
		Thread.ofVirtual().start(() -> {
			try (BufferedReader out = this.process.inputReader()) {
				// Reads to the end, so that a full pipe never blocks the browser.
				out.lines()
					.filter((line) -> line.startsWith(LISTENING))
					.forEach((line) -> said.complete(line.substring(LISTENING.length()).split("/")[0]));
			}
			catch (IOException ex) {
				said.completeExceptionally(ex);
			}
			said.completeExceptionally(new IOException("The browser has ended"));
		});
		return said.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private URI pageSocket(String authority) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (System.nanoTime() - deadline < 0) {
			JsonNode targets = JsonMapper.shared()
				.readTree(this.client
					.send(HttpRequest.newBuilder(URI.create("http://" + authority + "/json/list"))
						.timeout(PATIENCE)
						.build(), BodyHandlers.ofString())
					.body());
			for (JsonNode target : targets) {
				if (target.path("type").asString().equals("page")) {
					return URI.create(target.path("webSocketDebuggerUrl").asString());
				}
			}
			Thread.sleep(100);
		}
		throw new IOException("The browser has opened no page");
	}

	/**
	 * Evaluates an expression of JavaScript on the page, and awaits a promise. Returns
	 * the value as text.
	 * @throws IOException if the expression throws, or the browser does not answer
	 */
	public String evaluate(String expression) throws IOException, InterruptedException {
		JsonNode result = command("Runtime.evaluate",
				Map.of("expression", "Promise.resolve(%s).then(String)".formatted(expression), "awaitPromise", true));
		return result.at("/result/value").asString();
	}

	/** Goes to a page, and returns when it is loaded completely. */
	public void load(URI uri) throws IOException, InterruptedException {
		command("Page.navigate", Map.of("url", uri.toString()));
		evaluate(
				"new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))");
	}

	/** Runs a script and ignores its value. */
	public void run(String script) throws IOException, InterruptedException {
		command("Runtime.evaluate", Map.of("expression", script + ";0"));
	}

	/**
	 * Shows the page in another size.
	 * @param width in pixels
	 * @param height in pixels
	 */
	public void resize(int width, int height) throws IOException, InterruptedException {
		command("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	/**
	 * Shows the page as another medium.
	 * @param medium {@code screen} or {@code print}
	 * @param scheme {@code light} or {@code dark}
	 */
	public void show(String medium, String scheme) throws IOException, InterruptedException {
		command("Emulation.setEmulatedMedia",
				Map.of("media", medium, "features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
	}

	/** Moves the mouse to a place of the page's window, in pixels. */
	public void moveMouse(double x, double y) throws IOException, InterruptedException {
		command("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", x, "y", y));
	}

	/** A picture of the visible part of the page, as PNG. */
	public byte[] picture() throws IOException, InterruptedException {
		return Base64.getDecoder().decode(command("Page.captureScreenshot", Map.of()).path("data").asString());
	}

	private JsonNode command(String method, Map<String, ?> params) throws IOException, InterruptedException {
		this.sent++;
		this.page.sendText(
				JsonMapper.shared().writeValueAsString(Map.of("id", this.sent, "method", method, "params", params)),
				true);
		while (true) {
			String message = this.messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			if (message == null) {
				throw new IOException("The browser does not answer");
			}
			JsonNode answer = JsonMapper.shared().readTree(message);
			if (answer.path("id").asInt() == this.sent) {
				if (answer.has("error") || answer.path("result").has("exceptionDetails")) {
					throw new IOException(answer.toString());
				}
				return answer.path("result");
			}
		}
	}

	@Override
	public void close() {
		this.page.abort();
		stop();
	}

	private void stop() {
		this.client.shutdownNow();
		List<ProcessHandle> all = Stream.concat(this.process.descendants(), Stream.of(this.process.toHandle()))
			.toList();
		all.forEach(ProcessHandle::destroyForcibly);
		all.forEach((each) -> each.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
	}

	/** Joins messages that arrive in parts. */
	private final class Messages implements WebSocket.Listener {

		private final StringBuilder parts = new StringBuilder();

		@Override
		public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
			this.parts.append(data);
			if (last) {
				Browser.this.messages.add(this.parts.toString());
				this.parts.setLength(0);
			}
			socket.request(1);
			return null;
		}

	}

}
