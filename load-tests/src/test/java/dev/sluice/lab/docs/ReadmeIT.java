package dev.sluice.lab.docs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.Browser;
import dev.sluice.lab.Lab;
import dev.sluice.lab.NoProcessLeft;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the lines of the README's section "Try it" in a shell against {@code lab up}. The
 * comment before a command lists the statuses that its answer may have.
 */
@ExtendWith(NoProcessLeft.class)
@Tag("embedded")
class ReadmeIT {

	private static final int PORT_OFFSET = 20_000;

	private static final Pattern PORT = Pattern.compile("localhost:([0-9$])");

	private static final Pattern STATUS = Pattern.compile("\\b[1-5][0-9]{2}\\b");

	private static final Pattern RETRY_LATER = Pattern.compile("(?is)HTTP/1\\.1 503.*^retry-after: \\d+",
			Pattern.MULTILINE);

	/** Once the page has been made. */
	private static final String LINES_OF_DOCS = """
			new Promise((done) => {
			  const look = () => {
			    const lines = [...document.querySelectorAll('pre')].map((each) => each.textContent);
			    const made = document.querySelector('#problem-list h3');
			    return made ? done(lines.filter((each) => each.startsWith('curl ')).join(';')) : setTimeout(look, 50);
			  };
			  look();
			})""";

	/** For each line, and for a client that retries. */
	private final Duration deadline = Patience.ofSeconds(60);

	@TempDir
	private Path directory;

	@Test
	void theLinesUnderTryItDoWhatTheySay() throws Exception {
		List<MarkdownDocument.Block> blocks = new MarkdownDocument(MarkdownDocument.ROOT.resolve("README.md")).blocks()
			.stream()
			.filter((block) -> block.heading().equals("Try it") && block.language().equals("sh"))
			.toList();
		assertThat(blocks.getFirst().lines()).containsExactly("./lab up");

		Path log = this.directory.resolve("up.log");
		Process up = up(log);
		try {
			awaitReady(up, log);
			int compared = 0;
			try (ShellSession shell = new ShellSession()) {
				for (MarkdownDocument.Block block : blocks.subList(1, blocks.size())) {
					for (List<String> command : ShellSession.commands(block.lines())) {
						compared += run(shell, command);
					}
				}
				for (Path browser : Browser.find().stream().toList()) {
					theLinesOfDocsWork(browser, shell);
				}
			}
			startsAgain(up, log);
			saysThatKafkaHasEnded(up, log);
			assertThat(compared).as("answers that the README names").isGreaterThanOrEqualTo(5);
		}
		catch (AssertionError | ConditionTimeoutException ex) {
			throw new AssertionError("%s%n%nlab up:%n%s".formatted(ex.getMessage(), Files.readString(log)), ex);
		}
		finally {
			up.destroy();
			assertThat(up.waitFor(Patience.ofSeconds(120))).as("lab up ends on SIGTERM").isTrue();
		}
	}

	private Process up(Path log) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), "-Xmx256m", "--enable-native-access=ALL-UNNAMED",
						Lab.class.getName(), "up", "--port-offset", Integer.toString(PORT_OFFSET), "--patience",
						System.getProperty(Patience.PROPERTY, "1")));
		String infrastructure = System.getenv("TEST_INFRA");
		if (infrastructure != null) {
			command.addAll(List.of("--infra", infrastructure));
		}
		return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
	}

	/** The page fits a phone, and each line for a shell can be pasted into one. */
	private void theLinesOfDocsWork(Path executable, ShellSession shell) throws Exception {
		for (int port : List.of(8080, 8081)) {
			URI page = URI.create("http://localhost:%s/docs".formatted(PORT_OFFSET + port));
			try (Browser browser = new Browser(executable, Files.createTempDirectory(this.directory, "browser"),
					page)) {
				browser.load(page);
				browser.resize(390, 844);
				String lines = browser.evaluate(LINES_OF_DOCS);
				assertThat(lines.split(";")).as(lines)
					.hasSizeGreaterThanOrEqualTo(7)
					.allSatisfy(
							(line) -> assertThat(placed(shell, line).output()).containsPattern("HTTP/1.1 (2..|404) ?"));
				assertThat(
						browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
					.as("cut of %s", page)
					.isEqualTo("0");
			}
		}
	}

	/** {@code lab up} ends by itself if anything does not start in time. */
	private static void awaitReady(Process up, Path log) {
		await().atMost(DevServices.startTimeout().multipliedBy(3))
			.until(() -> !up.isAlive() || Files.readString(log).contains("Sluice is ready")
					&& Files.readString(log).contains("grpc-sink is ready"));
		assertThat(up.isAlive()).as("lab up runs").isTrue();
	}

	/** A service that dies does not end the others. */
	private static void startsAgain(Process up, Path log) {
		up.descendants()
			.filter((process) -> process.info().commandLine().orElse("").contains("grpc-sink.jar"))
			.findFirst()
			.orElseThrow()
			.destroyForcibly();

		await().atMost(DevServices.startTimeout())
			.until(() -> !up.isAlive() || Files.readString(log).contains("grpc-sink is ready again"));
		assertThat(up.isAlive()).as("lab up runs").isTrue();
	}

	private static void saysThatKafkaHasEnded(Process up, Path log) {
		Ports.holder(PORT_OFFSET + 9092).orElseThrow().destroyForcibly();

		await().until(() -> Files.readString(log).contains("Kafka has ended"));
		assertThat(up.isAlive()).as("lab up runs").isTrue();
	}

	/** Like a client, retries a 503 with Retry-After. */
	private ShellSession.Result placed(ShellSession shell, String command) throws Exception {
		long end = System.nanoTime() + this.deadline.toNanos();
		while (true) {
			ShellSession.Result result = shell.run(command, this.deadline);
			if (!RETRY_LATER.matcher(result.output()).find() || System.nanoTime() - end > 0) {
				return result;
			}
			TimeUnit.SECONDS.sleep(1);
		}
	}

	/** Returns the number of answers that were compared with a comment. */
	private int run(ShellSession shell, List<String> lines) throws Exception {
		String command = String.join("\n", lines);
		// With --port-offset every port of the README has a 2 before it.
		ShellSession.Result result = placed(shell, PORT.matcher(command).replaceAll("localhost:2$1"));
		assertThat(result.exitCode()).as("%s%n%s", command, result.output()).isZero();
		if (!command.contains("curl -i ")) {
			return 0;
		}
		List<String> statuses = lines.getFirst().startsWith("#")
				? STATUS.matcher(lines.getFirst()).results().map(MatchResult::group).toList() : List.of();
		assertThat(result.output()).as(command)
			.containsPattern("HTTP/1.1 (%s) ?".formatted(statuses.isEmpty() ? "2.." : String.join("|", statuses)));
		if (statuses.isEmpty()) {
			return 0;
		}
		return 1;
	}

}
