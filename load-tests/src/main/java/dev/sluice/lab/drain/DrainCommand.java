package dev.sluice.lab.drain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lab drain}. */
@Command(name = "drain", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Measures how fast the consumer delivers a backlog, against what its limit allows.")
public final class DrainCommand implements Callable<Integer> {

	private static final long DEADLINE_MILLIS = 300_000;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Option(names = "--orders", paramLabel = "COUNT", defaultValue = "60000",
			description = "Orders in the backlog. Default: ${DEFAULT-VALUE}.")
	private int orders = 60_000;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "100",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 100;

	@Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "50",
			description = "What the backend takes for an order. Default: ${DEFAULT-VALUE}.")
	private long delayMillis = 50;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto",
			description = "Kafka and PostgreSQL: auto, containers or embedded. Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	@Option(names = "--out", paramLabel = "DIR", description = "Where logs go. Default: results/drain-<time>.")
	private @Nullable Path out;

	@Override
	public Integer call() {
		if (this.orders < 100 || this.deliveryConcurrency < 1 || this.delayMillis < 1) {
			throw new ParameterException(this.spec.commandLine(),
					"At least 100 orders, 1 delivery at once and a delay of 1 ms are needed");
		}
		RunDirectory directory = RunDirectory.create(this.out, DrainExperiment.NAME, Instant.now());
		DrainExperiment.Settings settings = new DrainExperiment.Settings(this.orders, this.deliveryConcurrency,
				this.delayMillis, this.infrastructure, DEADLINE_MILLIS);
		try (Interruption _ = new Interruption()) {
			DrainExperiment.Result result = new DrainExperiment(settings, directory, Progress.toStandardError()).run();
			this.spec.commandLine()
				.getOut()
				.println(
						"%,.0f orders/s while %,d were delivered (%.1f s): %.1f %% of the %,.0f/s that %d at once and %d ms allow"
							.formatted(result.rate().perSecond(), result.rate().orders(),
									result.rate().window().seconds(), result.share() * 100, settings.idealPerSecond(),
									this.deliveryConcurrency, this.delayMillis));
			return 0;
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The experiment cannot go on", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted", ex);
		}
	}

}
