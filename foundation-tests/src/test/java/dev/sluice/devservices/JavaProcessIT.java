package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class JavaProcessIT {

	private static final Duration TIMEOUT = Patience.ofSeconds(60);

	@TempDir
	private Path directory;

	private JavaProcess process;

	@AfterEach
	void killWhatIsLeft() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Test
	void isReadyHoweverMuchItHasLoggedSince() {
		Path logged = this.directory.resolve("logged");
		this.process = child("chatter", logged.toString()).readyWhenLogged("waiting", TIMEOUT).launch();
		await().until(() -> Files.exists(logged));

		this.process.awaitReady();

		assertThat(this.process.isAlive()).isTrue();
	}

	@Test
	void failsAtOnceWithTheEndOfItsLogWhenItEnds() {
		assertThatExceptionOfType(StartFailedException.class)
			.isThrownBy(() -> child("fail").readyWhenLogged("never", Duration.ofHours(1)).launch().awaitReady())
			.withMessageContaining("child ended with exit code 3")
			.withMessageContaining("the reason of the failure");
	}

	@Test
	void isGoneWhenItIsNotReadyInTime() {
		this.process = child("wait").readyWhenLogged("never", Duration.ofMillis(1)).launch();

		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.process::awaitReady)
			.withMessageContaining("was not ready after");
		assertThat(this.process.isAlive()).isFalse();
	}

	@Test
	void isGoneWhenTheWaitIsInterrupted() {
		this.process = child("wait").readyWhenLogged("never", TIMEOUT).launch();

		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.process::awaitReady)
			.withMessageContaining("interrupted");

		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.process.isAlive()).isFalse();
	}

	@Test
	void namesThePortThatIsTaken() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			int port = taken.getLocalPort();

			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> child("serve", Integer.toString(port))
					.readyWhen(URI.create("http://127.0.0.1:%s/health".formatted(port)), TIMEOUT)
					.launch()
					.awaitReady())
				.withMessageContaining("child: port %s is taken".formatted(port));
		}
	}

	@Test
	void closeEndsWhatIsFrozenForGoodAndMayBeRepeated() {
		this.process = child("wait").readyWhenLogged("waiting", TIMEOUT)
			.stopTimeout(Duration.ofDays(1))
			.launch()
			.awaitReady();

		this.process.freeze();
		this.process.close();
		this.process.close();

		assertThat(this.process.isAlive()).isFalse();
		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.process::launch)
			.withMessageContaining("it is closed");
	}

	@Test
	void closeKillsWhatDoesNotStopInTime() {
		this.process = child("ignore-sigterm").readyWhenLogged("waiting", TIMEOUT)
			.stopTimeout(Duration.ofMillis(1))
			.launch()
			.awaitReady();

		this.process.close();

		assertThat(this.process.isAlive()).isFalse();
	}

	@Test
	void answersAgainWhenItIsUnfrozen() throws Exception {
		int port = Ports.free();
		this.process = child("serve", Integer.toString(port))
			.readyWhen(URI.create("http://127.0.0.1:%s/health".formatted(port)), TIMEOUT)
			.launch()
			.awaitReady();

		this.process.freeze();
		assertThat(answers(port, 300)).isFalse();
		this.process.unfreeze();

		assertThat(answers(port, (int) TIMEOUT.toMillis())).isTrue();
	}

	@Test
	void startsAgainWithTheSameCommandAfterAKill() throws IOException {
		this.process = child("wait").jvmArgs("-Dgreeting=again")
			.readyWhenLogged("waiting", TIMEOUT)
			.launch()
			.awaitReady();
		long killed = this.process.pid();
		assertThatIllegalStateException().isThrownBy(this.process::start).withMessageContaining("still runs");
		this.process.kill();

		this.process.start();

		assertThat(this.process.isAlive()).isTrue();
		assertThat(this.process.pid()).isNotEqualTo(killed);
		assertThat(this.process.tail()).containsOnlyOnce("waiting with again");
		assertThat(Files.readAllLines(this.process.logFile())).filteredOn((line) -> line.startsWith("waiting with"))
			.hasSize(2);
	}

	@Test
	void doesNotTakeWhatAnEarlierOneLoggedForItsOwn() {
		this.process = child("ready-once", this.directory.resolve("first").toString())
			.readyWhenLogged("waiting", TIMEOUT)
			.launch()
			.awaitReady();
		this.process.kill();

		assertThatExceptionOfType(StartFailedException.class).isThrownBy(this.process::start)
			.withMessageContaining("ended with exit code 3 before it was ready");
	}

	@Test
	void endsWhenItsParentIsKilled() throws IOException {
		Path pidFile = this.directory.resolve("pid");
		this.process = child("parent", pidFile.toString()).launch();
		await().until(() -> Files.exists(pidFile));
		ProcessHandle grandchild = ProcessHandle.of(Long.parseLong(Files.readString(pidFile))).orElseThrow();

		this.process.kill();

		await().until(() -> !grandchild.isAlive());
	}

	private static boolean answers(int port, int timeoutMillis) throws IOException {
		HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:%s/health".formatted(port))
			.toURL()
			.openConnection();
		connection.setReadTimeout(timeoutMillis);
		try {
			return connection.getResponseCode() == 200;
		}
		catch (SocketTimeoutException _) {
			return false;
		}
	}

	private JavaProcess child(String... args) {
		return JavaProcess.mainClass(ChildMain.class.getName())
			.name("child")
			.jvmArgs("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
			.args(args)
			.logFile(this.directory.resolve("child.log"));
	}

}
