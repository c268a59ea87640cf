package dev.sluice.topics;

import net.jpountz.util.Native;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the native lz4. The library does this itself only if the system class loader has
 * loaded the library, which is not so in an executable jar. There, Kafka's clients would
 * compress in Java, for several times the CPU.
 */
public final class NativeLz4 {

	private static final Logger logger = LoggerFactory.getLogger(NativeLz4.class);

	private NativeLz4() {
	}

	/**
	 * Call this before the first Kafka client is created. If the native lz4 cannot be
	 * loaded, the clients compress in Java.
	 */
	public static void load() {
		try {
			Native.load();
		}
		catch (RuntimeException | LinkageError ex) {
			logger.warn("The native lz4 cannot be loaded. Compression for Kafka will need more CPU: {}", ex.toString());
		}
	}

}
