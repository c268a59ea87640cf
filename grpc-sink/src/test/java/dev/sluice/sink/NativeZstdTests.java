package dev.sluice.sink;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.sink.request.Decompressor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Where the native zstd cannot be loaded, as from a /tmp that runs no programs. */
class NativeZstdTests {

	private static final String FOLDER = "ZstdTempFolder";

	/** Has a zstd of its own, which is not loaded yet. */
	private final URLClassLoader loader = new URLClassLoader(
			Stream.of(Decompressor.class, Zstd.class, ByteString.class, Dictionary.class, Logger.class)
				.map((type) -> type.getProtectionDomain().getCodeSource().getLocation())
				.toArray(URL[]::new),
			ClassLoader.getPlatformClassLoader());

	@BeforeEach
	void hide() {
		System.setProperty(FOLDER, "/dev/null");
	}

	@AfterEach
	void close() throws Exception {
		System.clearProperty(FOLDER);
		this.loader.close();
	}

	@Test
	void theSinkDoesNotStart() throws Exception {
		var constructor = this.loader.loadClass(Decompressor.class.getName()).getConstructor(int.class, byte[].class);

		assertThatExceptionOfType(InvocationTargetException.class).isThrownBy(() -> constructor.newInstance(1, null))
			.havingCause()
			.withMessageContaining("java.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
	}

	@Test
	void theClientDoesNotCompress() throws Exception {
		Field available = this.loader.loadClass("dev.sluice.sink.client.wire.Compression")
			.getDeclaredField("AVAILABLE");
		available.setAccessible(true);

		assertThat(available.getBoolean(null)).isFalse();
	}

}
