package dev.sluice.lab.kit.run;

import dev.sluice.devservices.Infrastructure;
import picocli.CommandLine.Option;

/** {@code --infra}. */
public final class InfrastructureOption {

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto", order = 90,
			description = "Kafka and PostgreSQL as containers, embedded, or auto: containers if Docker answers."
					+ " Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	public Infrastructure value() {
		return this.infrastructure;
	}

}
