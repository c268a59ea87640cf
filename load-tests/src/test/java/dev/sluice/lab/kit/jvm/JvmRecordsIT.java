package dev.sluice.lab.kit.jvm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

import dev.sluice.devservices.JavaCommand;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.stack.ServiceOptions;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.EventStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(NoProcessLeft.class)
class JvmRecordsIT {

	@TempDir
	private Path directory;

	private JvmRecords records;

	private JavaProcess process;

	@BeforeEach
	void begin() throws Exception {
		this.records = new JvmRecords(Files.createDirectory(this.directory.resolve("jfr")));
	}

	@AfterEach
	void killWhatIsLeft() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Test
	void jvmThatStopsLeavesItsRecordingAndNothingElse() throws Exception {
		launch("wait");
		awaitFlush();

		this.process.close();

		assertThat(this.records.read("jvm")).hasValueSatisfying(JvmRecordsIT::hasCollections);
		assertThat(this.directory.resolve("jfr")).isDirectoryNotContaining(Files::isDirectory);
	}

	@Test
	void jvmThatRunsOutOfMemoryHasToldUntilThen() throws Exception {
		launch("hoard");

		await().until(() -> !this.process.isAlive());

		assertThat(this.process.tail()).contains("OutOfMemoryError");
		assertThat(this.records.read("jvm")).hasValueSatisfying(JvmRecordsIT::hasCollections);
		assertThat(this.directory.resolve("jfr")).isDirectoryNotContaining(Files::isDirectory);
	}

	@Test
	void jvmThatIsKilledHasToldUntilThen() throws Exception {
		launch("wait");
		awaitFlush();

		this.process.kill();

		assertThat(this.records.read("jvm")).hasValueSatisfying(JvmRecordsIT::hasCollections);
	}

	@Test
	void jvmThatNeverBeganHasToldNothing() throws Exception {
		assertThat(this.records.read("jvm")).isEqualTo(Optional.empty());
	}

	private void launch(String what) {
		ServiceOptions options = this.records.recorded("jvm", ServiceOptions.NONE);
		this.process = JavaCommand.mainClass(Child.class.getName())
			.args(what)
			.jvmArgs(options.jvmArgs())
			.jvmArgs("-Xmx32m", "-XX:+ExitOnOutOfMemoryError")
			.logFile(this.directory.resolve("jvm.log"))
			.launch();
	}

	private void awaitFlush() {
		await().until(() -> this.process.tail().contains("flushed"));
	}

	private static void hasCollections(JfrRecording recording) {
		assertThat(recording.pauses()).hasSizeGreaterThanOrEqualTo(2);
		assertThat(recording.heapUsed()).isNotEmpty();
	}

	/** Collects garbage twice, and goes on once its recorder has flushed that. */
	static final class Child {

		private static final List<byte[]> KEPT = new ArrayList<>();

		private Child() {
		}

		public static void main(String[] args) throws Exception {
			System.gc();
			// The recorder begins another file.
			FlightRecorder.getFlightRecorder().takeSnapshot().close();
			System.gc();
			// What it tells now may have begun before.
			CountDownLatch flushes = new CountDownLatch(2);
			try (EventStream recorded = EventStream.openRepository()) {
				recorded.onFlush(flushes::countDown);
				recorded.startAsync();
				flushes.await();
			}
			System.out.println("flushed");
			while (args[0].equals("hoard")) {
				KEPT.add(new byte[100_000]);
			}
			Thread.currentThread().join();
		}

	}

}
