package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class PrivateDirectoryTests {

	@TempDir
	private Path parent;

	@Test
	void isClosedToOtherUsersAndUsedAgain() throws IOException {
		Path directory = PrivateDirectory.create(this.parent.resolve("own"));
		Files.writeString(directory.resolve("file"), "content");

		assertThat(Files.getPosixFilePermissions(directory)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
		assertThat(PrivateDirectory.create(directory).resolve("file")).hasContent("content");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rwxrwxrwx", "rwxr-xr-x", "rwx-----x" })
	void refusesOneThatIsOpenToOthers(String permissions) throws IOException {
		Path directory = Files.createDirectory(this.parent.resolve("open"));
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));

		assertThatIOException().isThrownBy(() -> PrivateDirectory.create(directory))
			.withMessageContaining("%s is not private".formatted(directory));
	}

	@Test
	void refusesALinkToOne() throws IOException {
		Path directory = PrivateDirectory.create(this.parent.resolve("own"));
		Path link = Files.createSymbolicLink(this.parent.resolve("link"), directory);

		assertThatIOException().isThrownBy(() -> PrivateDirectory.create(link)).withMessageContaining("not private");
	}

	@Test
	void refusesAnotherUsersDirectory() throws IOException {
		Path directory = PrivateDirectory.create(this.parent.resolve("theirs"));
		try {
			Files.setOwner(directory,
					directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
		}
		catch (IOException ex) {
			assumeTrue(false, "only root gives a directory to another user: " + ex);
		}

		assertThatIOException().isThrownBy(() -> PrivateDirectory.create(directory))
			.withMessageContaining("not private");
	}

}
