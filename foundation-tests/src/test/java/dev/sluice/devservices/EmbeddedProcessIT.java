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

	private static final int PORT = Ports.free();

	private static final String READY = "the server is ready";

	@TempDir
	private Path directory;

	@Test
	void endsTheChildThoughTheServersIdCannotBeRead() throws Exception {
		long child;
		try (EmbeddedProcess process = process(ServerMain.class)) {
			process.start();
			child = Long.parseLong(Files.readString(process.data().resolve("child")));
			Files.writeString(process.data().resolve("postmaster.pid"), "\n");
		}

		assertThat(ProcessHandle.of(child)).isEmpty();
	}

	@Test
	void keepsTheDataWhenARestartFails() throws Exception {
		try (EmbeddedProcess process = process(OnceMain.class)) {
			process.start();
			process.kill();

			assertThatExceptionOfType(StartFailedException.class).isThrownBy(process::start)
				.withMessageContaining("server ended with exit code 3");
			assertThat(process.data().resolve("port")).hasContent(Integer.toString(PORT));

			Files.delete(process.data().resolve("port"));
			process.start();
		}
	}

	@Test
	void leavesNoDataWhenItsParentIsKilled() {
		try (JavaProcess parent = JavaProcess.mainClass(ParentMain.class.getName())
			.jvmArgs("-Djava.io.tmpdir=" + this.directory)
			.logFile(this.directory.resolve("parent.log"))
			.readyWhenLogged("started", DevServices.startTimeout())
			.launch()
			.awaitReady()) {
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
	void serversStartInEveryLocaleAndFolder() throws Exception {
		boolean unicode = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder().canEncode("\u0663");
		Path folder = this.directory.resolve(unicode ? "sl\u00fcice \u0663" : "a folder");
		ProcessBuilder postgres = new ProcessBuilder(server(EmbeddedPostgres.class, this.directory).words())
			.redirectErrorStream(true);
		postgres.environment().put("LC_ALL", "zz_ZZ.UTF-8");
		Process started = postgres.start();
		try (JavaProcess _ = server(EmbeddedKafka.class, folder).jvmArgs("-Duser.language=ar", "-Duser.country=EG")
			.args("1", "1@127.0.0.1:%s".formatted(Ports.free()))
			.launch()
			.awaitReady()) {
			assertThat(started.inputReader().lines().anyMatch((line) -> line.contains(READY))).isTrue();
		}
		finally {
			started.destroy();
			started.waitFor();
		}
	}

	private static JavaProcess server(Class<?> mainClass, Path folder) {
		return JavaProcess.mainClass(mainClass.getName())
			.jvmArgs("-Xmx256m")
			.args(Integer.toString(Ports.free()), folder.resolve("data").toString())
			.logFile(folder.resolve(mainClass.getSimpleName() + ".log"))
			.readyWhenLogged(READY, DevServices.startTimeout());
	}

	private static EmbeddedProcess process(Class<?> mainClass) {
		return new EmbeddedProcess(NAME, PORT, mainClass, List.of("-Xmx32m", "-XX:+UseSerialGC"), () -> true);
	}

	/** Starts a server, and waits. */
	static final class ParentMain {

		private ParentMain() {
		}

		public static void main(String[] args) throws InterruptedException {
			process(ServerMain.class).start();
			System.out.println("started");
			Thread.currentThread().join();
		}

	}

	/** Serves nothing. */
	static final class ServerMain {

		private ServerMain() {
		}

		public static void main(String[] args) throws IOException, InterruptedException {
			Files.writeString(Path.of(args[1], "child"), Long.toString(ProcessHandle.current().pid()));
			EmbeddedProcess.stopping(args, () -> {
			});
			EmbeddedProcess.ready();
			Thread.currentThread().join();
		}

	}

	/** Does not start where it has been before. */
	static final class OnceMain {

		private OnceMain() {
		}

		public static void main(String[] args) throws IOException, InterruptedException {
			Path port = Path.of(args[1], "port");
			if (Files.exists(port)) {
				System.exit(3);
			}
			Files.writeString(port, args[0]);
			ServerMain.main(args);
		}

	}

}
