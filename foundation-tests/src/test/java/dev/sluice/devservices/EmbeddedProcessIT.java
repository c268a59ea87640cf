package dev.sluice.devservices;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class EmbeddedProcessIT {

	private static final String NAME = "server";

	@TempDir
	private Path directory;

	@Test
	void endsTheChildThoughTheServersIdCannotBeRead() throws Exception {
		try (EmbeddedProcess process = process(ServerMain.class)) {
			process.start();
			Files.writeString(data().resolve("postmaster.pid"), "\n");
		}

		long child = Long.parseLong(Files.readString(data().resolve("child")));
		assertThat(ProcessHandle.of(child)).isEmpty();
	}

	/** PostgreSQL cannot use a directory that it has not initialized to the end. */
	@Test
	void beginsAnewAfterAFirstStartThatFailed() throws Exception {
		try (EmbeddedProcess process = process(FailingMain.class)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(process::start)
				.withMessageContaining("server ended with exit code 3");

			process.start();

			assertThat(data().resolve("port")).hasContent(Integer.toString(process.port()));
		}
	}

	@Test
	void keepsTheDataWhenARestartFails() throws Exception {
		Files.writeString(this.directory.resolve("failed"), "");
		try (EmbeddedProcess process = process(FailingMain.class)) {
			process.start();
			process.kill();

			assertThatExceptionOfType(StartFailedException.class).isThrownBy(process::start);
			assertThat(data().resolve("port")).hasContent(Integer.toString(process.port()));

			Files.delete(data().resolve("port"));
			process.start();
		}
	}

	@Test
	void leavesNoTemporaryDataWhenItsParentIsKilled() {
		try (JavaProcess parent = JavaCommand.mainClass(ParentMain.class.getName())
			.jvmArgs("-Djava.io.tmpdir=" + this.directory)
			.logFile(this.directory.resolve("parent.log"))
			.readyWhenLogged("started", DevServices.startTimeout())
			.start()) {
			assertThat(temporary()).isNotEmpty();

			parent.kill();

			await().until(() -> temporary().length == 0);
		}
	}

	private File[] temporary() {
		return this.directory.toFile().listFiles((_, name) -> name.startsWith("sluice-" + NAME));
	}

	/**
	 * In a locale with other digits, and in one that the system does not have. In a
	 * folder with such a name as the system allows.
	 */
	@Test
	void serversStartInEveryLocaleAndFolder() {
		boolean unicode = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder().canEncode("\u0663");
		Path folder = this.directory.resolve(unicode ? "sl\u00fcice \u0663" : "a folder");
		try (EmbeddedProcess kafka = new EmbeddedProcess("kafka", 0, EmbeddedKafka.class,
				List.of("-Xmx256m", "-Duser.language=ar", "-Duser.country=EG"), folder);
				JavaProcess postgres = JavaCommand.mainClass(EmbeddedPostgres.class.getName())
					.through(List.of("env", "LC_ALL=zz_ZZ.UTF-8"))
					.args(Integer.toString(Ports.free()), this.directory.resolve("postgres").toString())
					.readyWhenLogged("the server is ready", DevServices.startTimeout())
					.launch()) {
			kafka.start();
			postgres.awaitReady();
		}
	}

	private EmbeddedProcess process(Class<?> mainClass) {
		return new EmbeddedProcess(NAME, 0, mainClass, List.of("-Xmx32m", "-XX:+UseSerialGC"), this.directory);
	}

	private Path data() {
		return this.directory.resolve(NAME);
	}

	/** Starts a server with temporary data, and waits. */
	static final class ParentMain {

		private ParentMain() {
		}

		public static void main(String[] args) throws InterruptedException {
			new EmbeddedProcess(NAME, 0, ServerMain.class, List.of("-Xmx32m", "-XX:+UseSerialGC"), null).start();
			System.out.println("started");
			Thread.currentThread().join();
		}

	}

	/** Serves nothing. */
	static final class ServerMain {

		private ServerMain() {
		}

		public static void main(String[] args) throws IOException, InterruptedException {
			Path data = Files.createDirectories(Path.of(args[1]));
			Files.writeString(data.resolve("child"), Long.toString(ProcessHandle.current().pid()));
			EmbeddedProcess.serving(args, () -> {
			});
			Thread.currentThread().join();
		}

	}

	/**
	 * Fails in the middle of the first start, and at each start that finds what that one
	 * has left.
	 */
	static final class FailingMain {

		private FailingMain() {
		}

		public static void main(String[] args) throws IOException, InterruptedException {
			Path data = Path.of(args[1]);
			Path port = Files.createFile(data.resolve("port"));
			if (data.resolveSibling("failed").toFile().createNewFile()) {
				System.exit(3);
			}
			Files.writeString(port, args[0]);
			EmbeddedProcess.serving(args, () -> {
			});
			Thread.currentThread().join();
		}

	}

}
