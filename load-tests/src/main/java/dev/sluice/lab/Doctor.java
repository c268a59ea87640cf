package dev.sluice.lab;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.devservices.DockerEngine;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.LabCommand;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Workspace;
import picocli.CommandLine.Command;

/** {@code lab doctor}: checks the machine. Starts nothing and changes nothing. */
@Command(name = "doctor", description = "Checks the prerequisites on this machine, and says how to meet them.",
		footer = { "", "Exit code: 0 all prerequisites are met, 1 one is not." })
final class Doctor extends LabCommand {

	private static final int JAVA = 25;

	private static final long MIB = 1024 * 1024;

	private boolean failed;

	@Override
	public Integer call() throws InterruptedException {
		Workspace workspace = Workspace.find();
		boolean maven = checkMaven();
		checkJava();
		checkMachine();
		checkBusy();
		checkDisk(workspace.root());
		Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
		checkDisk(temporary);
		checkPrograms(temporary);
		checkDocker();
		for (Module module : Module.values()) {
			boolean built = Files.exists(workspace.jar(module));
			print((built || maven) ? Verdict.OK : Verdict.FAIL, module.directory() + ".jar",
					built ? "built" : "not built: './lab' builds it, with Maven");
		}
		Stack.defaultPorts().forEach(this::checkPort);
		return this.failed ? 1 : 0;
	}

	private void checkJava() {
		int feature = Runtime.version().feature();
		print((feature == JAVA) ? Verdict.OK : Verdict.FAIL, "JDK", "%s in %s%s".formatted(Runtime.version(),
				System.getProperty("java.home"), (feature == JAVA) ? "" : ": install a JDK " + JAVA));
	}

	private boolean checkMaven() {
		boolean found = Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, "mvn")));
		print(found ? Verdict.OK : Verdict.WARN, "Maven",
				found ? "there is a 'mvn'" : "there is no 'mvn': nothing can be built; install Maven 3.8.7 or newer");
		return found;
	}

	/** Native libraries, and an embedded PostgreSQL, are unpacked into the directory. */
	private void checkPrograms(Path directory) throws InterruptedException {
		try {
			Path program = Files.createTempFile(directory, "sluice-", ".sh",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
			try {
				Files.writeString(program, "#!/usr/bin/env sh\n");
				new ProcessBuilder(program.toString()).start().waitFor();
			}
			finally {
				Files.delete(program);
			}
			print(Verdict.OK, "programs", "run from " + directory);
		}
		catch (IOException | UnsupportedOperationException ex) {
			print(Verdict.FAIL, "programs",
					"none runs from %s (%s): use Linux, macOS or Windows' Linux subsystem, and a -Djava.io.tmpdir without noexec"
						.formatted(directory, ex.getMessage()));
		}
	}

	private void checkMachine() {
		int cores = Runtime.getRuntime().availableProcessors();
		print((cores >= 2) ? Verdict.OK : Verdict.WARN, "cores",
				cores + ((cores >= 2) ? "" : ": the load generator and the system will wait for each other"));
		long available = availableMemory() / MIB;
		print((available >= 6144) ? Verdict.OK : (available >= 4096) ? Verdict.WARN : Verdict.FAIL, "memory",
				String.format(Locale.ROOT, "%,d MiB available%s", available,
						(available >= 6144) ? "" : ": 'lab up' needs 4,096, 'lab compare' 6,144; end other programs"));
	}

	private void checkBusy() throws InterruptedException {
		double foreign = EnvironmentProbe.foreignCpuShare();
		boolean busy = Reliability.disturbed(foreign);
		print(busy ? Verdict.WARN : Verdict.OK, "CPU",
				(foreign < 0) ? "what other processes use is not known"
						: String.format(Locale.ROOT, "other processes use %.0f %%%s", foreign * 100,
								busy ? ": 'lab compare' concludes nothing on a busy machine; end other programs" : ""));
	}

	/** In bytes: what Linux calls available; elsewhere the machine's whole memory. */
	private static long availableMemory() {
		try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
			return lines.filter((line) -> line.startsWith("MemAvailable:"))
				.map((line) -> line.replaceAll("\\D", ""))
				.mapToLong((kibibytes) -> Long.parseLong(kibibytes) * 1024)
				.findFirst()
				.orElse(0);
		}
		catch (IOException _) {
			return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
		}
	}

	private void checkDisk(Path directory) {
		if (!Files.isWritable(directory)) {
			print(Verdict.FAIL, "disk", directory + " cannot be written");
			return;
		}
		try {
			long free = Files.getFileStore(directory).getUsableSpace() / MIB;
			String text = String.format(Locale.ROOT, "%,d MiB free for %s", free, directory);
			if (free >= 2048) {
				print(Verdict.OK, "disk", text);
			}
			else {
				print((free >= 512) ? Verdict.WARN : Verdict.FAIL, "disk",
						text + ": 2,048 are wanted; delete something");
			}
		}
		catch (IOException ex) {
			print(Verdict.FAIL, "disk", "cannot be read: " + ex);
		}
	}

	private void checkDocker() {
		print(Verdict.OK, "Docker",
				DockerEngine.problem()
					.map("Kafka and PostgreSQL run embedded: "::concat)
					.orElse("it answers and has the images: Kafka and PostgreSQL run as containers"));
	}

	private void checkPort(String name, int port) {
		boolean free = Ports.isFree(port);
		print(free ? Verdict.OK : Verdict.WARN, "port " + port,
				free ? "free for " + name : "%s's is taken%s: stop that, or use 'lab up --port-offset'".formatted(name,
						Ports.holder(port).map((process) -> " by process " + process.pid()).orElse("")));
	}

	private void print(Verdict verdict, String what, String text) {
		this.failed |= verdict == Verdict.FAIL;
		say("%-4s  %-20s  %s".formatted(verdict.name().toLowerCase(Locale.ROOT), what, text));
	}

	private enum Verdict {

		OK, WARN, FAIL

	}

}
