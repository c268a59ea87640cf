package dev.sluice.topics;

import net.jpountz.util.Native;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native lz4. The library takes it by itself only where the system's class loader has
 * loaded it, which in an executable jar is not so: there Kafka's clients compress in
 * Java, for several times the CPU.
 */
public final class NativeLz4 {

	private static final Logger logger = LoggerFactory.getLogger(NativeLz4.class);

	private NativeLz4() {
	}

	/** To be called before any client of Kafka's is made. Without it, Java's is used. */
	public static void load() {
		try {
			Native.load();
		}
		catch (RuntimeException | LinkageError ex) {
			logger.warn("The native lz4 cannot be loaded, so that compressing for Kafka needs more CPU: {}",
					ex.toString());
		}
	}

}
