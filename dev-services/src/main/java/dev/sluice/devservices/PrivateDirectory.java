package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import com.sun.security.auth.module.UnixSystem;

/** Directories that no other user can read, write or create in advance. */
final class PrivateDirectory {

	static final Set<PosixFilePermission> PERMISSIONS = PosixFilePermissions.fromString("rwx------");

	private PrivateDirectory() {
	}

	/**
	 * Creates a directory, or uses an existing one if it is as private. Its parent must
	 * exist and may be writable for everyone.
	 * @throws IOException if it cannot be created, is not a directory (a link is not),
	 * belongs to another user or is open to others
	 */
	static Path create(Path directory) throws IOException {
		try {
			return Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PERMISSIONS));
		}
		catch (FileAlreadyExistsException _) {
			requirePrivate(directory);
			return directory;
		}
	}

	private static void requirePrivate(Path directory) throws IOException {
		PosixFileAttributes found = Files.readAttributes(directory, PosixFileAttributes.class,
				LinkOption.NOFOLLOW_LINKS);
		int owner = (int) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
		if (!found.isDirectory() || !PERMISSIONS.containsAll(found.permissions())
				|| owner != new UnixSystem().getUid()) {
			throw new IOException(
					"%s is not private: it must be a directory, belong to this user and be closed to others (mode 700): remove it"
						.formatted(directory));
		}
	}

}
