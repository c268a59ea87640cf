package dev.sluice.lab.kit.jvm;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.devservices.JavaCommand;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.stack.ServiceOptions;
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
		launch();

		this.process.close();

		assertThat(this.records.read("jvm"))
			.hasValueSatisfying((recording) -> assertThat(recording.pauses()).isNotEmpty());
		assertThat(this.directory.resolve("jfr")).isDirectoryNotContaining(Files::isDirectory);
	}

	@Test
	void ofAJvmThatIsKilledOrNeverBeganNothingIsKnown() throws Exception {
		launch();

		this.process.kill();

		assertThat(this.records.read("jvm")).isEmpty();
		assertThat(this.records.read("another")).isEmpty();
	}

	private void launch() {
		ServiceOptions options = this.records.recorded("jvm", ServiceOptions.NONE);
		this.process = JavaCommand.mainClass(Child.class.getName())
			.jvmArgs(options.jvmArgs())
			.logFile(this.directory.resolve("jvm.log"))
			.launch();
		await().until(() -> this.process.tail().contains("collected"));
	}

	static final class Child {

		private Child() {
		}

		public static void main(String[] args) throws Exception {
			System.gc();
			System.out.println("collected");
			Thread.currentThread().join();
		}

	}

}
