package dev.sluice.topics;

import java.net.URL;
import java.net.URLClassLoader;

import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import static org.assertj.core.api.Assertions.assertThat;

class NativeLz4Tests {

	/** As in an executable jar, whose class loader is not the system's. */
	@Test
	void isUsedWhicheverClassLoaderItHas() throws Exception {
		try (URLClassLoader loader = new URLClassLoader(
				new URL[] { jar(NativeLz4.class), jar(LZ4Factory.class), jar(Logger.class) },
				ClassLoader.getPlatformClassLoader())) {
			Class<?> factory = loader.loadClass(LZ4Factory.class.getName());
			assertThat(factory.getMethod("fastestInstance").invoke(null)).asString().doesNotContain("JNI");

			loader.loadClass(NativeLz4.class.getName()).getMethod("load").invoke(null);

			assertThat(factory.getMethod("fastestInstance").invoke(null)).asString().contains("JNI");
		}
	}

	private static URL jar(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation();
	}

}
