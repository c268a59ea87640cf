package dev.sluice.lab.kit.run;

import java.util.List;

import dev.sluice.lab.kit.plan.Mode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --modes}. */
public final class ModesOption {

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private @Nullable List<Mode> modes;

	/** The modes chosen; both if none is. */
	public List<Mode> value() {
		return (this.modes != null) ? this.modes.stream().distinct().toList() : List.of(Mode.values());
	}

}
