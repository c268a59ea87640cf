package dev.sluice.lab.kit.run;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Patience;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of what starts services. */
public final class ServicesOptions {

	private static final double MAX = 100;

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec command;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto", order = 90,
			description = "Kafka and PostgreSQL as containers, embedded, or auto: containers if Docker answers."
					+ " Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	public Infrastructure infrastructure() {
		return this.infrastructure;
	}

	/**
	 * Sets {@link Patience} for this JVM while the command line is read, before the
	 * command starts anything. Without the option the factor stays as it is.
	 */
	@Option(names = "--patience", paramLabel = "N", order = 90,
			description = "Multiplies each deadline that only ends a hang, of a start (3 minutes), a restart, a recovery or a drain:"
					+ " for a slow or busy machine. 1 to 100. Default: 1.")
	void set(@Nullable Double factor) {
		if (factor == null) {
			return;
		}
		if (!(factor >= 1 && factor <= MAX)) {
			throw new ParameterException(this.command.commandLine(), "--patience: 1 to 100");
		}
		System.setProperty(Patience.PROPERTY, factor.toString());
	}

}
