package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Key stores for a sink and two clients that trust each other, and for a stranger,
 * created with the JDK's keytool. Tests of other modules use it too.
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

	/** Creates the stores in a directory. */
	public static Certificates in(Path directory) throws IOException, InterruptedException {
		Certificates made = new Certificates(directory);
		for (String name : List.of("sink", "client", "other-client", "stranger")) {
			made.keytool("-genkeypair", "-keystore", name, "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1",
					"-dname", "CN=" + name, "-ext", "san=dns:localhost,ip:127.0.0.1");
			made.keytool("-exportcert", "-keystore", name, "-alias", name, "-file", name + ".crt");
		}
		for (String client : List.of("client", "other-client")) {
			made.keytool("-importcert", "-noprompt", "-keystore", "trusted-by-sink", "-alias", client, "-file",
					client + ".crt");
		}
		made.keytool("-importcert", "-noprompt", "-keystore", "trusted-by-client", "-alias", "sink", "-file",
				"sink.crt");
		return made;
	}

	/**
	 * The PKCS12 store of {@code sink}, {@code client}, {@code other-client} or
	 * {@code stranger}.
	 */
	public Path keys(String name) {
		return this.directory.resolve(name);
	}

	/**
	 * The PKCS12 store with the certificates that {@code sink} or {@code client} trusts.
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
				prefix + "keystore.location=file:" + keys(name), prefix + "truststore.type=PKCS12",
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
			if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
				throw new IOException("%s: %s".formatted(String.join(" ", command), Files.readString(log)));
			}
		}
		finally {
			keytool.destroyForcibly();
		}
		Files.delete(log);
	}

}
