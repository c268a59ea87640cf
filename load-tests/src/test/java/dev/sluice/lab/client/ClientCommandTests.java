package dev.sluice.lab.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.Lab;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClientCommandTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final StubServer server = new StubServer();

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			                                                    | --uri says what to GET
			--uri ftp://127.0.0.1/                              | --uri must be like http
			--uri http://127.0.0.1:70000/                       | --uri must be like http
			--uri http://127.0.0.1/ --mode luck                 | expected one of
			--uri http://127.0.0.1/ --duration 0                | 1 to 5000000 requests in at least 1 s
			--uri http://127.0.0.1/ -r 0                        | 1 to 5000000 requests
			--uri http://127.0.0.1/ -r 0.01 -d 20               | 1 to 5000000 requests
			--uri http://127.0.0.1/ -r 1e6 -d 60                | 1 to 5000000 requests
			--uri http://127.0.0.1/ --reference-table                | leave --uri out
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		int exit = execute((arguments != null) ? arguments.split(" ") : new String[0]);

		assertThat(exit).isEqualTo(2);
		assertThat(this.err.toString()).contains(message);
	}

	@Test
	void tellsEachSecondAndLeavesAResultAndAReport() throws Exception {
		this.server.on("/", 200, null);

		int exit = execute("--uri", this.server.uri("/").toString(), "-r", "50", "-d", "2", "--mode", "virtual",
				"--out", this.directory.toString());

		assertThat(exit).as(this.err.toString()).isZero();
		assertThat(this.out.toString()).containsPattern("Tot Req \\d+ +Tot Rsp \\d+ +Out Req \\d+ +Cur Q/S \\d+");
		RunResult run = RunFile.read(this.directory.resolve(RunFile.NAME));
		assertThat(run.finding()).isInstanceOfSatisfying(ClientResult.class,
				(client) -> assertThat(client.runs()).singleElement()
					.satisfies((only) -> assertThat(only.tally().answered()).isEqualTo(100)));
		assertThat(this.directory.resolve("report.html")).isNotEmptyFile();
	}

	@Test
	void aTargetIsWarmedUpByOrdersThatDoNotCount() throws Exception {
		AtomicInteger orders = new AtomicInteger();
		this.server.on("/orders", (exchange) -> {
			orders.incrementAndGet();
			StubServer.answer(exchange, 201, null);
		});

		int exit = execute("--target", this.server.uri("").toString(), "-r", "20", "-d", "1", "--modes", "sync",
				"--out", this.directory.toString());

		assertThat(exit).as(this.err.toString()).isZero();
		ClientResult client = (ClientResult) RunFile.read(this.directory.resolve(RunFile.NAME)).finding();
		assertThat(client.runs()).singleElement().satisfies((only) -> assertThat(only.tally().due()).isEqualTo(20));
		assertThat(orders).as("20, after 5 s of as many").hasValue(120);
	}

	@Test
	void repeatsTheFourRunsOfTheReference() {
		assertThat(ReferenceCases.all()).extracting(ReferenceCases.Case::name)
			.containsExactly("async, 100/s", "sync-over-async, 100/s, 12 threads", "sync-over-async, 2/s, 12 threads",
					"sync-over-async, 100/s, 1000 threads");
		assertThat(ReferenceCases.all()).extracting(ReferenceCases.Case::path).containsOnly("/5000");
	}

	private int execute(String... arguments) {
		return Lab.commandLine()
			.setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err))
			.execute(Stream.concat(Stream.of("client"), Stream.of(arguments)).toArray(String[]::new));
	}

}
