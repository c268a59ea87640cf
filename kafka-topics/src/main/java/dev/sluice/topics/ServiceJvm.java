package dev.sluice.topics;

import java.util.Locale;
import java.util.TimeZone;

import dev.sluice.threads.CarrierWatch;
import net.jpountz.util.Native;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the JVM of a service needs, whatever the machine's settings are. */
public final class ServiceJvm {

	private static final Logger logger = LoggerFactory.getLogger(ServiceJvm.class);

	private ServiceJvm() {
	}

	/**
	 * Call this first. Libraries format numbers in the default locale, and some locales
	 * have other digits. PostgreSQL's driver sends the default time zone, and a server
	 * that does not know its name refuses the connection. Loads the native lz4, which the
	 * library does by itself only outside of an executable jar: in Java, Kafka's clients
	 * compress for several times the CPU. Starts the {@link CarrierWatch}.
	 */
	public static void prepare() {
		Locale.setDefault(Locale.ROOT);
		TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
		CarrierWatch.start();
		try {
			Native.load();
		}
		catch (RuntimeException | LinkageError ex) {
			logger.warn("The native lz4 cannot be loaded. Compression for Kafka will need more CPU: {}", ex.toString());
		}
	}

}
