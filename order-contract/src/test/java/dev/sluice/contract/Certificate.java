package dev.sluice.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import dev.sluice.devservices.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A self-signed certificate for 127.0.0.1, made by the JDK's keytool. All tests of a JVM
 * share it: to make it, or to open its file, takes longer than most of their requests.
 *
 * @param keyStore file with key and certificate, PKCS 12
 * @param trusting the context of clients that trust only it
 */
record Certificate(Path keyStore, SSLContext trusting) {

	private static final String PASSWORD = "changeit";

	/**
	 * The key protects nothing. With keytool's 10,000 rounds of hashing, each server that
	 * opens the file would take most of the time of its test for it.
	 */
	private static final List<String> FEW_ROUNDS = Stream
		.of("certPbeIterationCount", "keyPbeIterationCount", "macIterationCount")
		.map("-J-Dkeystore.pkcs12.%s=1"::formatted)
		.toList();

	private static Certificate shared;

	/**
	 * The JVM's certificate. It is valid for a day, and its file exists as long as the
	 * JVM.
	 */
	static synchronized Certificate shared() throws Exception {
		if (shared == null) {
			Path directory = Files.createTempDirectory("certificate");
			directory.toFile().deleteOnExit();
			shared = selfSigned(directory);
		}
		return shared;
	}

	private static Certificate selfSigned(Path directory) throws Exception {
		Path file = directory.resolve("gateway.p12");
		file.toFile().deleteOnExit();
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
						"-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", "gateway", "-keyalg", "EC", "-groupname",
						"secp256r1", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-validity", "1",
						"-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString()));
		command.addAll(FEW_ROUNDS);
		Path log = directory.resolve("keytool.log");
		log.toFile().deleteOnExit();
		Process keytool = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		try {
			assertThat(keytool.waitFor(Patience.ofSeconds(60))).isTrue();
			assertThat(keytool.exitValue()).as(Files.readString(log)).isZero();
		}
		finally {
			keytool.destroyForcibly();
		}
		return new Certificate(file, trusting(file));
	}

	/** Properties of a server that uses it. */
	Map<String, String> properties() {
		return Map.of("server.ssl.key-store", this.keyStore.toUri().toString(), "server.ssl.key-store-password",
				PASSWORD);
	}

	private static SSLContext trusting(Path keyStore) throws GeneralSecurityException, IOException {
		KeyStore trusted = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
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
