package dev.sluice.lab.kit.run;

import dev.sluice.devservices.Infrastructure;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --infra}. */
public final class InfrastructureOption {

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto", order = 90, converter = Converter.class,
			description = "Kafka and PostgreSQL as containers, embedded, or auto: containers if Docker answers."
					+ " Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	public Infrastructure value() {
		return this.infrastructure;
	}

	/** Refuses an unknown value and names the known ones. */
	static final class Converter implements ITypeConverter<Infrastructure> {

		@Override
		public Infrastructure convert(String value) {
			try {
				return Infrastructure.of(value);
			}
			catch (IllegalArgumentException ex) {
				throw new TypeConversionException(ex.getMessage());
			}
		}

	}

}
