package dev.sluice.lab.kit.run;

import java.util.List;

import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --variants}. */
public final class VariantsOption {

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all, "
					+ "but servlet-virtual and reactive for a quick compare.")
	private @Nullable List<Variant> variants;

	/** The variants chosen, or these if none is. */
	public List<Variant> value(List<Variant> all) {
		return (this.variants != null) ? this.variants.stream().distinct().toList() : all;
	}

}
