package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Set;
import java.util.jar.JarOutputStream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.NoProcessLeft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(NoProcessLeft.class)
class FastStartIT {

	private static final Instant BUILT = Instant.parse("2026-01-01T00:00:00Z");

	@TempDir
	private Path directory;

	@Test
	void belongsToTheJarItWasMadeOf() throws IOException {
		Path jar = jar();
		assertThat(FastStart.find(jar)).isEmpty();

		Path cache = cacheOf(jar);
		assertThat(FastStart.find(jar)).hasValueSatisfying((start) -> {
			assertThat(start.cache()).isEqualTo(cache);
			assertThat(start.jvmArgs()).contains("-XX:AOTCache=" + cache);
		});

		Files.setLastModifiedTime(jar, FileTime.from(BUILT.plusSeconds(60)));
		assertThat(FastStart.find(jar)).isEmpty();
	}

	@Test
	void belongsToTheJvmAndTheOptionsItWasMadeWith() throws IOException {
		Path jar = jar();

		Path cache = FastStart.of(jar, "").cache();

		assertThat(cache.toString()).contains(Runtime.version().toString());
		assertThat(cache).isNotEqualTo(FastStart.of(jar, "JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1").cache());
	}

	@Test
	void isNotNeededToStart() throws IOException {
		Workspace workspace = new Workspace(this.directory);
		Set<Module> modules = Set.of(Module.BACKEND, Module.CONSUMER);
		for (Module module : modules) {
			Files.createDirectories(workspace.jar(module).getParent());
			// A jar that cannot be unpacked: it has no tools.
			new JarOutputStream(Files.newOutputStream(workspace.jar(module))).close();
		}
		StringBuffer output = new StringBuffer();
		try (Stack stack = new Stack(workspace, Infrastructure.EMBEDDED, this.directory, StackOptions.DEFAULT)) {
			stack.prepare(modules, output::append);
		}

		assertThat(output).contains("Preparing a fast start")
			.as("one that fails does not end the others")
			.contains("backend-mock.jar starts slower than it could", "order-consumer.jar starts slower than it could");
		assertThat(FastStart.find(workspace.jar(Module.BACKEND))).isEmpty();
	}

	private Path jar() throws IOException {
		Path jar = Files.writeString(this.directory.resolve("a.jar"), "");
		Files.setLastModifiedTime(jar, FileTime.from(BUILT));
		return jar;
	}

	private Path cacheOf(Path jar) throws IOException {
		Path cache = FastStart.of(jar, JavaProcess.inheritedOptions()).cache();
		Files.createDirectories(cache.getParent());
		Files.writeString(cache, "");
		Files.setLastModifiedTime(cache, FileTime.from(BUILT));
		return cache;
	}

}
