package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedProcessTests {

	private static final String NAME = "server";

	@TempDir
	private Path directory;

	@Test
	void endsTheChildThoughTheServersIdCannotBeRead() throws Exception {
		try (EmbeddedProcess process = new EmbeddedProcess(NAME, ServerMain.class, List.of(), this.directory)) {
			process.start(1);
			Files.writeString(this.directory.resolve(NAME).resolve("postmaster.pid"), "\n");
		}

		long child = Long.parseLong(Files.readString(this.directory.resolve(NAME).resolve("child")));
		assertThat(ProcessHandle.of(child)).isEmpty();
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

}
