package dev.sluice.contract;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A self-signed certificate for 127.0.0.1, made by the JDK's keytool.
 *
 * @param keyStore file with key and certificate, PKCS 12
 */
record Certificate(Path keyStore) {

	private static final String PASSWORD = "changeit";

	/** Creates one that is valid for a day. */
	static Certificate selfSigned(Path directory) throws IOException, InterruptedException {
		Path file = directory.resolve("gateway.p12");
		Process keytool = new ProcessBuilder(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
						"gateway", "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-validity",
						"1", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString()))
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("keytool.log").toFile())
			.start();
		try {
			assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(keytool.exitValue()).isZero();
		}
		finally {
			keytool.destroyForcibly();
		}
		return new Certificate(file);
	}

	/** Properties of a server that uses it. */
	Map<String, String> properties() {
		return Map.of("server.ssl.key-store", this.keyStore.toUri().toString(), "server.ssl.key-store-password",
				PASSWORD);
	}

	/** The context of a client that trusts only it. */
	SSLContext trusting() throws GeneralSecurityException, IOException {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		try (InputStream stream = Files.newInputStream(this.keyStore)) {
			trusted.load(stream, PASSWORD.toCharArray());
		}
		KeyStore certificates = KeyStore.getInstance("PKCS12");
		certificates.load(null, null);
		certificates.setCertificateEntry("gateway", trusted.getCertificate("gateway"));
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(certificates);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		return context;
	}

}
