package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Opens the files of a log: {@link FileChannel#open}, or a disk that fails in a test. */
@FunctionalInterface
interface Disk {

	FileChannel open(Path file, OpenOption... options) throws IOException;

}
