package dev.sluice.lab.compare.figures;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SettingTests {

	@Test
	void theBaseIsFirstAndEachFactorIsChangedAlone() {
		assertThat(Setting.all()).first().isEqualTo(Setting.BASE);
		assertThat(Setting.all().stream().filter((setting) -> setting.changed().size() == 1))
			.flatExtracting(Setting::changed)
			.containsExactly(Factor.values());
		assertThat(Setting.all()).last().isEqualTo(Setting.ALL).extracting(Setting::name).isEqualTo("all together");
	}

	@Test
	void onlyHeapAndCollectorConcernMemoryAlone() {
		assertThat(Setting.all().stream().filter(Setting::concernsMemoryAlone)).extracting(Setting::name)
			.containsExactly("base", "192 MiB", "Serial");
	}

}
