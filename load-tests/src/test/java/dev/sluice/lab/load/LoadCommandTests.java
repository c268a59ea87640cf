package dev.sluice.lab.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class LoadCommandTests {

	@TempDir
	private Path directory;

	/** The keys of the orders received, without those of warm-ups. */
	private final Set<String> orders = ConcurrentHashMap.newKeySet();

	private HttpServer gateway;

	@BeforeEach
	void startGateway() throws IOException {
		this.gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
		this.gateway.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		this.gateway.createContext("/orders", (exchange) -> {
			exchange.getRequestBody().readAllBytes();
			String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
			if (!key.contains("-warm-")) {
				this.orders.add(key);
			}
			exchange.sendResponseHeaders(201, -1);
			exchange.close();
		});
		this.gateway.start();
	}

	@AfterEach
	void stopGateway() {
		this.gateway.stop(0);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			                                                            | --target says where
			--target T --of 3/2                                         | --of must be like 2/5
			--target T --of 1/3                                         | The first part has --listen
			--target T --of 2/3                                         | part 2 of 3 has --coordinator
			--target T --of 2/3 --listen 127.0.0.1:0                    | part 2 of 3 has --coordinator
			--target T --listen 127.0.0.1:0                             | add --of
			--target T --of 1/2 --listen nonsense                       | --listen must be an address
			--target T --of 2/2 --coordinator ftp://127.0.0.1/          | --coordinator must be like
			--target T --of 2/2 --coordinator http://127.0.0.1:1 -r 5   | leave -r, -d and --mode out
			--target T -r 0                                             | must be above 0
			--target T -r 1 -d 1 --of 1/2 --listen 127.0.0.1:0          | less than one order for each part
			--target T --mode luck                                      | luck
			--target T --join-timeout 0                                 | --join-timeout: 1 to
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		Execution refused = execute((arguments != null) ? arguments.replace("T", target()).split(" ") : new String[0]);

		assertThat(refused.exit).isEqualTo(2);
		assertThat(refused.err).contains(message);
	}

	@Tag("full")
	@Test
	void threePartsPlaceEachOrderOnceAndTheFirstHasAllFigures() throws Exception {
		int port = Ports.free();
		List<CompletableFuture<Execution>> parts = new ArrayList<>();
		parts.add(part(1, "-r", "90", "-d", "2", "--mode", "queued", "--listen", "127.0.0.1:" + port));
		parts.add(part(2, "--coordinator", "http://127.0.0.1:" + port));
		parts.add(part(3, "--coordinator", "http://127.0.0.1:" + port));

		for (CompletableFuture<Execution> part : parts) {
			assertThat(part.get().exit).as(part.get().err).isZero();
		}
		ClientResult client = (ClientResult) RunFile.read(this.directory.resolve("1").resolve(RunFile.NAME)).finding();
		assertThat(client.runs()).extracting(Run::name)
			.containsExactly("queued, 3 parts together", "queued, part 1 of 3", "queued, part 2 of 3",
					"queued, part 3 of 3");
		assertThat(client.runs()).extracting((run) -> run.tally().answered()).containsExactly(180L, 60L, 60L, 60L);
		assertThat(client.runs()).extracting(Run::requestsPerSecond).containsExactly(90.0, 30.0, 30.0, 30.0);
		assertThat(this.orders).hasSize(180);
		assertThat(Files.readString(this.directory.resolve("1").resolve("latencies.hlog"), StandardCharsets.UTF_8))
			.contains("Tag=part-1", "Tag=part-2", "Tag=part-3");
	}

	@Tag("full")
	@Test
	void placesNoOrderIfAPartDoesNotJoin() throws Exception {
		Execution alone = part(1, "-r", "90", "-d", "1", "--listen", "127.0.0.1:0", "--join-timeout", "1").get();

		assertThat(alone.exit).isEqualTo(1);
		assertThat(alone.err).contains("these have not joined within 1 s: 2, 3");
		assertThat(this.orders).isEmpty();
	}

	private CompletableFuture<Execution> part(int number, String... more) {
		List<String> arguments = new ArrayList<>(List.of("--target", target(), "--of", number + "/3", "--out",
				this.directory.resolve(String.valueOf(number)).toString()));
		arguments.addAll(List.of(more));
		return CompletableFuture.supplyAsync(() -> execute(arguments.toArray(String[]::new)),
				(task) -> Thread.ofPlatform().start(task));
	}

	private String target() {
		return "http://127.0.0.1:" + this.gateway.getAddress().getPort();
	}

	private record Execution(int exit, String err) {
	}

	private static Execution execute(String... arguments) {
		StringWriter err = new StringWriter();
		CommandLine command = new CommandLine(new LoadCommand(Report::write))
			.setOut(new PrintWriter(new StringWriter()))
			.setErr(new PrintWriter(err));
		int exit = command.setExecutionExceptionHandler((ex, _, _) -> {
			err.write(String.valueOf(ex.getMessage()));
			return 1;
		}).execute(arguments);
		return new Execution(exit, err.toString());
	}

}
