package dev.sluice.lab.chaos;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.contract.BackendAudit;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** A user's command stops the consumer of a running system. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class TargetChaosIT {

	@TempDir
	private Path directory;

	@Test
	void noAcceptedOrderIsLostWhileItsOwnersCommandsBreakIt() throws Exception {
		try (Stack stack = Stack.builder()
			.infrastructure(Infrastructure.fromEnvironment())
			.directory(this.directory.resolve("stack"))
			.build()) {
			stack.startInfrastructure();
			Service backend = stack.startBackend(ServiceOptions.NONE);
			Service consumer = stack.startConsumer(ServiceOptions.NONE);
			Service servlet = stack.startGateway(Variant.of("servlet-virtual"), ServiceOptions.NONE);
			Service reactive = stack.startGateway(Variant.of("reactive"), ServiceOptions.NONE);
			Path target = Files.writeString(this.directory.resolve("target.yaml"), """
					gateways:
					  servlet: %s
					  reactive: %s
					faults:
					  consumer:
					    begin: kill -STOP %3$d && ps -o state= -p %3$d
					    for: 3s
					    end: kill -CONT %3$d
					""".formatted(servlet.uri(), reactive.uri(), consumer.pid()));
			Path results = this.directory.resolve("results");
			StringWriter out = new StringWriter();

			int exitCode = new CommandLine(new ChaosCommand(Report::write)).setOut(new PrintWriter(out))
				.execute("--target", target.toString(), "--rate", "20", "--orders", "380", "--seed", "4", "--out",
						results.toString());

			assertThat(exitCode).as(out.toString()).isZero();
			assertThat(results.resolve("faults/fault-1-begin.log")).content().startsWith("T");
			RunResult run = RunFile.read(results.resolve(RunFile.NAME));
			assertThat(run.partial()).isNull();
			ChaosResult chaos = (ChaosResult) run.finding();
			assertThat(chaos.faults()).singleElement().satisfies((fault) -> {
				assertThat(fault.target()).isEqualTo("consumer");
				assertThat(fault.healedMillis() - fault.beganMillis()).isGreaterThanOrEqualTo(3_000);
			});
			ChaosResult.Balance balance = chaos.balance();
			assertThat(balance.holds()).isTrue();
			assertThat(balance.acceptedQueued()).isPositive();
			assertThat(balance.acceptedSync()).isPositive();
			assertThat(balance.saved()).isEqualTo(balance.accepted());
			// The gateways' figures agree with the backend's.
			assertThat(saved(backend)).isEqualTo(balance.saved() + balance.inDoubtSaved());
			assertThat(consumer.isAlive()).isTrue();
			assertThat(out.toString()).contains("Orders DOUBLED", "not seen", "consumer, command");
		}
	}

	private static long saved(Service backend) throws Exception {
		try (HttpClient client = HttpClient.newHttpClient()) {
			String audit = client
				.send(HttpRequest.newBuilder(backend.uri().resolve("/audit")).build(), BodyHandlers.ofString())
				.body();
			return JsonMapper.shared().readValue(audit, BackendAudit.class).saved();
		}
	}

}
