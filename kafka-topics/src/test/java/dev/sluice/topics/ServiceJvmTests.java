package dev.sluice.topics;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Locale;
import java.util.TimeZone;

import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.springframework.boot.health.contributor.HealthIndicator;

import static org.assertj.core.api.Assertions.assertThat;

class ServiceJvmTests {

	private final Locale locale = Locale.getDefault();

	private final TimeZone zone = TimeZone.getDefault();

	@AfterEach
	void restore() {
		Locale.setDefault(this.locale);
		TimeZone.setDefault(this.zone);
	}

	@Test
	void hasNeitherTheLocaleNorTheZoneOfTheMachine() {
		Locale.setDefault(Locale.of("ar", "EG"));
		TimeZone.setDefault(TimeZone.getTimeZone("Asia/Calcutta"));

		ServiceJvm.prepare();

		assertThat("%d".formatted(1)).isEqualTo("1");
		assertThat(TimeZone.getDefault().getID()).isEqualTo("UTC");
	}

	/** As in an executable jar, whose class loader is not the system's. */
	@Test
	void isUsedWhicheverClassLoaderItHas() throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[] { jar(ServiceJvm.class), jar(LZ4Factory.class),
				jar(Logger.class), jar(HealthIndicator.class) }, ClassLoader.getPlatformClassLoader())) {
			Class<?> factory = loader.loadClass(LZ4Factory.class.getName());
			assertThat(factory.getMethod("fastestInstance").invoke(null)).asString().doesNotContain("JNI");

			loader.loadClass(ServiceJvm.class.getName()).getMethod("prepare").invoke(null);

			assertThat(factory.getMethod("fastestInstance").invoke(null)).asString().contains("JNI");
		}
	}

	private static URL jar(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation();
	}

}
