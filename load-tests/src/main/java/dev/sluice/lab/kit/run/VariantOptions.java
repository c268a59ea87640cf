package dev.sluice.lab.kit.run;

import java.util.List;

import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --variants} and {@code --modes}. */
public final class VariantOptions {

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all.")
	private @Nullable List<String> variants;

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private @Nullable List<String> modes;

	/**
	 * The variants chosen.
	 * @param all what to return if none is chosen
	 * @throws IllegalArgumentException if one is unknown
	 */
	public List<Variant> variants(List<Variant> all) {
		return (this.variants != null) ? this.variants.stream().map(Variant::of).distinct().toList() : all;
	}

	/**
	 * The modes chosen; both if none is.
	 * @throws IllegalArgumentException if one is unknown
	 */
	public List<Mode> modes() {
		return (this.modes != null) ? this.modes.stream().map(Mode::of).distinct().toList() : List.of(Mode.values());
	}

}
