package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class CgroupTests {

	private static final long PID = 42;

	@TempDir
	private Path directory;

	private Path proc;

	private Path sys;

	@BeforeEach
	void procfs() throws IOException {
		this.proc = this.directory.resolve("proc");
		this.sys = this.directory.resolve("sys");
		write(this.proc.resolve("self/cgroup"), "2:cpu,cpuacct:/\n0::/user.slice\n");
	}

	@Test
	void readsTheSecondVersion() throws IOException {
		of("0::/docker/abc\n");
		write(this.sys.resolve("docker/abc/cpu.stat"), "usage_usec 1234567\nuser_usec 1000000\n");

		assertThat(Cgroup.of(this.proc, this.sys, PID))
			.hasValueSatisfying((group) -> assertThat(group.cpuMillis()).isEqualTo(1_234));
	}

	@Test
	void readsTheFirstVersionWhereBothAre() throws IOException {
		of("0::/docker/abc\n2:cpu,cpuacct:/docker/abc\n1:pids:/docker/abc\n");
		write(this.sys.resolve("unified/docker/abc/cpu.stat"), "usage_usec 0\n");
		write(this.sys.resolve("cpu,cpuacct/docker/abc/cpuacct.usage"), "7654321987\n");

		assertThat(Cgroup.of(this.proc, this.sys, PID))
			.hasValueSatisfying((group) -> assertThat(group.cpuMillis()).isEqualTo(7_654));
	}

	@Test
	void findsAnAccountThatIsMountedAlone() throws IOException {
		of("3:cpuacct,cpu:/docker/abc\n");
		write(this.sys.resolve("cpuacct/docker/abc/cpuacct.usage"), "5000000\n");

		assertThat(Cgroup.of(this.proc, this.sys, PID))
			.hasValueSatisfying((group) -> assertThat(group.cpuMillis()).isEqualTo(5));
	}

	@Test
	void doesNotCountAGroupThatIsItsOwnOrTheWholeMachine() throws IOException {
		write(this.sys.resolve("user.slice/cpu.stat"), "usage_usec 1\n");
		write(this.sys.resolve("cpu.stat"), "usage_usec 1\n");

		of("0::/user.slice\n");
		assertThat(Cgroup.of(this.proc, this.sys, PID)).isEmpty();

		of("0::/\n");
		assertThat(Cgroup.of(this.proc, this.sys, PID)).isEmpty();
	}

	@Test
	void findsNoneThatCannotBeRead() throws IOException {
		of("0::/docker/abc\n");
		assertThat(Cgroup.of(this.proc, this.sys, PID)).isEmpty();
		assertThat(Cgroup.of(this.proc, this.sys, PID + 1)).isEmpty();

		write(this.sys.resolve("docker/abc/cpu.stat"), "usage_usec many\n");
		assertThat(Cgroup.of(this.proc, this.sys, PID)).isEmpty();
	}

	@Test
	void isNotKnownWhenTheContainerHasEnded() throws IOException {
		of("0::/docker/abc\n");
		Path account = this.sys.resolve("docker/abc/cpu.stat");
		write(account, "usage_usec 1000\n");
		Cgroup group = Cgroup.of(this.proc, this.sys, PID).orElseThrow();

		Files.delete(account);

		assertThat(group.cpuMillis()).isNull();
	}

	private void of(String cgroup) throws IOException {
		write(this.proc.resolve("42/cgroup"), cgroup);
	}

	private static void write(Path file, String text) throws IOException {
		Files.createDirectories(file.getParent());
		Files.writeString(file, text);
	}

}
