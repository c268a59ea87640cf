package dev.sluice.lab.kit.run;

import java.util.Locale;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --quick} and {@code --smallest}: at most one of them. */
public final class LengthOptions {

	@ArgGroup
	private @Nullable Choice choice;

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

	private static final class Choice {

		@Option(names = "--quick", required = true, description = "The main points, in a few minutes.")
		private boolean quick;

		@Option(names = "--smallest", required = true,
				description = "The smallest run: shows that everything works; its figures mean little.")
		private boolean smallest;

	}

	public Length value() {
		if (this.choice == null) {
			return Length.WHOLE;
		}
		return this.choice.smallest ? Length.SMALLEST : Length.QUICK;
	}

}
