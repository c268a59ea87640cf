package dev.sluice.lab.kit.run;

import java.util.Locale;

import picocli.CommandLine.Option;

/** {@code --quick} and {@code --smallest}: a group of which at most one is given. */
public final class LengthOptions {

	/** How much of an experiment to run. */
	public enum Length {

		/** Shows that everything works; its figures mean little. */
		SMALLEST,

		/** The main points. */
		QUICK,

		/** The whole experiment. */
		WHOLE;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	@Option(names = "--quick", required = true, description = "The main points, in a few minutes.")
	private boolean quick;

	@Option(names = "--smallest", required = true,
			description = "The smallest run: shows that everything works; its figures mean little.")
	private boolean smallest;

	public Length value() {
		return this.smallest ? Length.SMALLEST : this.quick ? Length.QUICK : Length.WHOLE;
	}

}
