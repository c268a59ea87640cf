package dev.sluice.lab.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.chaos.TargetChaos.Planned;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.plan.OrderId;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** With a deployed gateway that needs a token and saves orders immediately. */
@Tag("full")
class TargetChaosTests {

	private final Map<UUID, OrderStatus> orders = new ConcurrentHashMap<>();

	private final AtomicInteger placed = new AtomicInteger();

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path directory;

	private volatile int refusal;

	private HttpServer gateway;

	@BeforeEach
	void start() throws IOException {
		this.gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
		this.gateway.createContext("/orders", this::answer);
		this.gateway.start();
		Files.writeString(this.directory.resolve("token"), "secret");
	}

	@AfterEach
	void stop() {
		this.gateway.stop(0);
	}

	@Test
	void withoutFaultsItPlacesAndLooksUp() throws IOException {
		int exit = execute("--target", uri(), "--token-file", path("token"), "--rate", "50", "--orders", "20");

		assertThat(exit).as(this.err.toString()).isZero();
		assertThat(this.out.toString()).contains("Nothing was broken", "at most 50.0 per second",
				"Not seen: orders saved twice;");
		RunResult run = RunFile.read(this.directory.resolve("run/run.json"));
		ChaosResult chaos = (ChaosResult) run.finding();
		assertThat(chaos.witness()).isEqualTo(ChaosResult.Witness.GATEWAYS);
		assertThat(chaos.customerOrder()).isNull();
		assertThat(chaos.faults()).isEmpty();
		assertThat(run.checks()).singleElement().extracting("what").asString().contains("certificates");
		assertThat(chaos.balance().acceptedSync()).isEqualTo(4);
		assertThat(chaos.balance().saved()).isEqualTo(20);
		assertThat(chaos.balance().doubled()).isNull();
		assertThat(run.configuration())
			.containsEntry("faults planned", "the target names no 'faults', so orders are placed and looked up")
			.extractingByKey("look-ups")
			.asString()
			.contains("at most 50.0 per second");
		assertThat(this.directory.resolve("run/report.html")).content()
			.contains("Yes, as far as the gateways report: 20 orders were accepted", "0 lost, doubled ones not seen.",
					"Nothing was broken", "not seen by the gateways", "The gateways are the witness")
			.doesNotContain("0 doubled");
	}

	@Test
	void doesNothingToASystemThatDoesNotLetItIn() {
		int exit = execute("--target", uri(), "--rate", "50", "--orders", "20");

		assertThat(exit).isOne();
		assertThat(this.err.toString()).contains("Orders cannot be looked up at the gateway 127.0.0.1:",
				"nothing was done: 401");
		assertThat(this.placed).hasValue(0);
	}

	@Test
	void whereNoOrderIsAcceptedNothingIsProved() {
		this.refusal = 422;

		int exit = execute("--target", uri(), "--token-file", path("token"), "--rate", "50", "--orders", "5");

		assertThat(exit).isOne();
		assertThat(this.err.toString()).contains("No order was accepted, so nothing is proved");
		assertThat(this.placed).hasValue(5);
	}

	@Test
	void aRunWhoseCommandFailsIsPartialAndSaysSo() throws IOException {
		Target target = new Target(Target.of(uri()).gateways(), Map.of(), null,
				new Target.Access(this.directory.resolve("token"), null, null, false), Map.of("consumer",
						new Target.Fault("echo no such pod; exit 7", Duration.ofSeconds(5), "touch " + path("ended"))));

		RunResult run;
		try (Interruption interruption = new Interruption()) {
			run = new TargetChaos(
					new Run("lab chaos", RunDirectory.create(this.directory.resolve("run"), "chaos", Instant.now()),
							new Progress(new PrintStream(OutputStream.nullOutputStream()), false, Instant.now()),
							new PrintWriter(this.out), interruption),
					target, List.of(new Planned(1, "consumer", 0)), load(100_000, 20))
				.run();
		}

		assertThat(run.partial())
			.startsWith("consumer did not get over fault 1 (command): begin ended with exit code 7")
			.endsWith("its last lines: no such pod");
		assertThat(run.checks()).filteredOn((check) -> !check.holds())
			.singleElement()
			.satisfies((check) -> assertThat(check.detail()).isEqualTo(run.partial()));
		assertThat(this.directory.resolve("ended")).exists();
		assertThat(run.configuration().get("fault consumer")).contains("exit 7; for 5.0 s; touch");
	}

	@Test
	void eachFaultHappensSoOftenAtTimesThatTheSeedDraws() {
		List<Planned> plan = Planned.of(Set.of("consumer", "broker"), 3, load(2_000, 20));

		assertThat(plan).hasSize(6).isEqualTo(Planned.of(Set.of("consumer", "broker"), 3, load(2_000, 20)));
		assertThat(plan).filteredOn((fault) -> fault.name().equals("consumer")).hasSize(3);
		assertThat(plan).extracting(Planned::number).containsExactly(1, 2, 3, 4, 5, 6);
		assertThat(plan).extracting(Planned::atMillis).isSorted().allMatch((at) -> at >= 5_000 && at <= 90_000);
		assertThat(Planned.of(Set.of(), 3, load(1, 20))).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> Planned.of(Set.of("consumer"), 6, load(600, 20)))
			.withMessage("The load must last at least 33 s for 6 faults; this one lasts 30 s");
	}

	private static Trial.Workload load(int orders, double rate) {
		return new Trial.Workload(orders, rate, 0.2, 997, false, 7, 0);
	}

	private int execute(String... arguments) {
		CommandLine command = new CommandLine(new ChaosCommand(Report::write)).setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err))
			.setExecutionExceptionHandler((ex, line, _) -> {
				line.getErr().println(ex.getMessage());
				return 1;
			});
		String[] all = Stream.concat(Stream.of(arguments), Stream.of("--out", path("run"))).toArray(String[]::new);
		return command.execute(all);
	}

	private void answer(HttpExchange exchange) throws IOException {
		byte[] body = exchange.getRequestBody().readAllBytes();
		if (!"Bearer secret".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
			send(exchange, 401, Map.of("title", "no token"));
		}
		else if (exchange.getRequestMethod().equals("GET")) {
			String path = exchange.getRequestURI().getPath();
			UUID id = UUID.fromString(path.substring(path.lastIndexOf('/') + 1));
			OrderStatus status = this.orders.get(id);
			send(exchange, (status != null) ? 200 : 404,
					(status != null) ? new OrderView(id, status, 1, null, null, null) : Map.of());
		}
		else {
			this.placed.incrementAndGet();
			String key = exchange.getRequestHeaders().getFirst(HttpNames.IDEMPOTENCY_KEY).replace("\"", "");
			UUID id = OrderId.of(JsonMapper.shared().readValue(body, Order.class).customerId(), key);
			if (this.refusal != 0) {
				send(exchange, this.refusal, Map.of());
				return;
			}
			this.orders.put(id, OrderStatus.SAVED);
			exchange.getResponseHeaders().set("Location", "/orders/" + id);
			send(exchange, exchange.getRequestHeaders().containsKey(HttpNames.PREFER) ? 202 : 201, Map.of());
		}
	}

	private static void send(HttpExchange exchange, int status, Object body) throws IOException {
		byte[] bytes = JsonMapper.shared().writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, bytes.length);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(bytes);
		}
	}

	private String uri() {
		return "http://127.0.0.1:" + this.gateway.getAddress().getPort();
	}

	private String path(String file) {
		return this.directory.resolve(file).toString();
	}

}
