package dev.sluice.sink;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.devservices.Patience;

/**
 * Key stores for a sink and clients that trust each other, and for strangers, created
 * with the JDK's keytool. Tests of other modules use it too.
 */
public final class Certificates {

	/** The password of every store. */
	public static final String PASSWORD = "secret";

	/**
	 * The keys protect nothing. With keytool's 10,000 rounds of hashing, each client and
	 * server that opens a store would take much of the time of its test for it.
	 */
	private static final List<String> FEW_ROUNDS = Stream
		.of("certPbeIterationCount", "keyPbeIterationCount", "macIterationCount")
		.map("-J-Dkeystore.pkcs12.%s=1"::formatted)
		.toList();

	private final Path directory;

	private Certificates(Path directory) {
		this.directory = directory;
	}

	/** Creates the stores of {@code sink} and {@code client} in a directory. */
	public static Certificates in(Path directory) throws Exception {
		return in(directory, List.of("client"), List.of());
	}

	/**
	 * Creates stores in a directory.
	 * @param clients whom the sink trusts
	 * @param strangers whom nobody trusts
	 */
	static Certificates in(Path directory, List<String> clients, List<String> strangers) throws Exception {
		Certificates made = new Certificates(directory);
		made.keyPair("sink");
		for (String name : clients) {
			made.keyPair(name);
		}
		for (String name : strangers) {
			made.keyPair(name);
		}
		made.trust("sink", clients);
		made.trust("client", List.of("sink"));
		return made;
	}

	private void keyPair(String name) throws IOException, InterruptedException {
		keytool("-genkeypair", "-keystore", name, "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
				"CN=" + name, "-ext", "san=dns:localhost,ip:127.0.0.1");
	}

	private void trust(String whose, List<String> names) throws Exception {
		// Opened faster than PKCS12.
		KeyStore trusted = KeyStore.getInstance("JKS");
		trusted.load(null, null);
		for (String name : names) {
			KeyStore keys = KeyStore.getInstance(keys(name).toFile(), PASSWORD.toCharArray());
			trusted.setCertificateEntry(name, keys.getCertificate(name));
		}
		try (OutputStream file = Files.newOutputStream(trustedBy(whose))) {
			trusted.store(file, PASSWORD.toCharArray());
		}
	}

	/** The PKCS12 store of {@code sink} or of a client. */
	public Path keys(String name) {
		return this.directory.resolve(name);
	}

	/**
	 * The JKS store with the certificates that {@code sink} or {@code client} trusts.
	 */
	public Path trustedBy(String name) {
		return this.directory.resolve("trusted-by-" + name);
	}

	/**
	 * The properties of an SSL bundle with the stores of {@code sink} or {@code client}.
	 */
	public List<String> bundle(String name) {
		String prefix = "spring.ssl.bundle.jks.%s.".formatted(name);
		return List.of(prefix + "keystore.type=PKCS12", prefix + "keystore.password=" + PASSWORD,
				prefix + "keystore.location=file:" + keys(name), prefix + "truststore.type=JKS",
				prefix + "truststore.password=" + PASSWORD, prefix + "truststore.location=file:" + trustedBy(name));
	}

	private void keytool(String... args) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
		command.addAll(List.of(args));
		command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
		command.addAll(FEW_ROUNDS);
		Path log = this.directory.resolve("keytool.log");
		Process keytool = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		try {
			if (!keytool.waitFor(Patience.ofSeconds(60)) || keytool.exitValue() != 0) {
				throw new IOException("%s: %s".formatted(String.join(" ", command), Files.readString(log)));
			}
		}
		finally {
			keytool.destroyForcibly();
		}
		Files.delete(log);
	}

}
