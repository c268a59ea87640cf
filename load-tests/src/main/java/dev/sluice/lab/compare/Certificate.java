package dev.sluice.lab.compare;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.ServiceOptions;

/**
 * A key and a self-signed certificate for 127.0.0.1, made by the JDK's keytool for one
 * run: 2,048 bits of RSA, as a development certificate of the reference's platform has.
 *
 * @param store the PKCS #12 file, used as key store and as trust store
 */
record Certificate(Path store) {

	/** Not a secret: the key is useless after the run. */
	private static final String PASSWORD = "changeit";

	private static final long SECONDS = 30;

	/**
	 * Creates a certificate.
	 * @throws LabException if keytool fails, or this thread is interrupted
	 */
	static Certificate make(Path directory) throws IOException {
		Path store = directory.resolve("certificate.p12").toAbsolutePath();
		Files.deleteIfExists(store);
		Path log = directory.resolve("keytool.log");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "lab", "-keyalg", "RSA", "-keysize", "2048", "-validity", "7", "-dname",
				"CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-storetype", "PKCS12", "-keystore", store.toString(),
				"-storepass", PASSWORD)
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		try {
			if (!keytool.waitFor(SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
				throw new LabException("keytool made no certificate; see %s".formatted(log));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("interrupted", ex);
		}
		finally {
			keytool.destroyForcibly();
		}
		trustOwnCertificate(store);
		return new Certificate(store);
	}

	/**
	 * Adds the certificate a second time, without its key: Java does not trust an entry
	 * that has the key.
	 */
	private static void trustOwnCertificate(Path store) throws IOException {
		try {
			KeyStore entries = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
			entries.setCertificateEntry("trusted", entries.getCertificate("lab"));
			try (OutputStream out = Files.newOutputStream(store)) {
				entries.store(out, PASSWORD.toCharArray());
			}
		}
		catch (GeneralSecurityException ex) {
			throw new LabException("the certificate in %s cannot be trusted: %s".formatted(store, ex), ex);
		}
	}

	/** A context of clients that trust it. */
	SSLContext context() {
		try {
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(KeyStore.getInstance(this.store.toFile(), PASSWORD.toCharArray()));
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, trust.getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new LabException("the certificate in %s cannot be trusted: %s".formatted(this.store, ex), ex);
		}
	}

	/**
	 * Adds what makes a server use this certificate, and serve health and metrics on a
	 * port without TLS.
	 */
	ServiceOptions server(ServiceOptions options) {
		return options.withProperty("server.ssl.bundle", "lab")
			.withProperty("spring.ssl.bundle.jks.lab.keystore.type", "PKCS12")
			.withProperty("spring.ssl.bundle.jks.lab.keystore.location", "file:" + this.store)
			.withProperty("spring.ssl.bundle.jks.lab.keystore.password", PASSWORD)
			.withProperty(ServiceOptions.MANAGEMENT_PORT, Ports.free())
			.withProperty("management.server.address", "127.0.0.1")
			.withProperty("management.server.ssl.enabled", "false");
	}

	/** Options of a JVM whose clients trust it. */
	String[] trust() {
		return new String[] { "-Djavax.net.ssl.trustStore=" + this.store, "-Djavax.net.ssl.trustStoreType=PKCS12",
				"-Djavax.net.ssl.trustStorePassword=" + PASSWORD };
	}

}
