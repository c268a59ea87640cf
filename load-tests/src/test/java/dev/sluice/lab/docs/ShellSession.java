package dev.sluice.lab.docs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A shell that runs one command after another, as a reader types them: variables persist
 * from one to the next. Each command has a deadline.
 */
final class ShellSession implements AutoCloseable {

	private static final String END = "";

	private final Process shell;

	private final Writer input;

	private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

	/**
	 * The result of a command.
	 *
	 * @param exitCode its exit code
	 * @param output its standard output and error
	 */
	record Result(int exitCode, String output) {
	}

	ShellSession() throws IOException {
		this.shell = new ProcessBuilder("bash", "--noprofile", "--norc").redirectErrorStream(true).start();
		this.input = this.shell.outputWriter(StandardCharsets.UTF_8);
		BufferedReader reader = this.shell.inputReader(StandardCharsets.UTF_8);
		Thread.ofVirtual().start(() -> {
			reader.lines().forEach((line) -> this.output.add(line + "\n"));
			this.output.add(END);
		});
	}

	/**
	 * Splits a block into commands, each with the comment directly before it. A command
	 * may have several lines; it ends where the shell would run it.
	 * @param lines of the block
	 * @return the lines of each command, with its comment first if it has one
	 */
	static List<List<String>> commands(List<String> lines) throws IOException, InterruptedException {
		List<List<String>> commands = new ArrayList<>();
		List<String> open = new ArrayList<>();
		for (String line : lines) {
			if (line.isBlank() && open.stream().allMatch((before) -> before.startsWith("#"))) {
				open.clear();
				continue;
			}
			open.add(line);
			if (!line.startsWith("#") && isWhole(String.join("\n", open))) {
				commands.add(List.copyOf(open));
				open.clear();
			}
		}
		return commands;
	}

	private static boolean isWhole(String command) throws IOException, InterruptedException {
		return !command.endsWith("\\")
				&& new ProcessBuilder("bash", "-n", "-c", command).redirectErrorStream(true).start().waitFor() == 0;
	}

	/**
	 * Runs a command.
	 * @param command command of one or several lines
	 * @param deadline time limit of the whole command
	 * @throws AssertionError if it has not ended in that time
	 */
	Result run(String command, Duration deadline) throws IOException, InterruptedException {
		String mark = UUID.randomUUID().toString();
		this.input.write("%s\nprintf '\\n%s %%d\\n' $?\n".formatted(command, mark));
		this.input.flush();
		StringBuilder text = new StringBuilder();
		long end = System.nanoTime() + deadline.toNanos();
		while (true) {
			@Nullable String line = this.output.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
			if (line == null || line.equals(END)) {
				throw new AssertionError("not done within %s: %s%n%s".formatted(deadline, command, text));
			}
			if (line.startsWith(mark)) {
				return new Result(Integer.parseInt(line.substring(mark.length()).strip()), text.toString());
			}
			text.append(line);
		}
	}

	@Override
	public void close() {
		this.shell.descendants().forEach(ProcessHandle::destroyForcibly);
		this.shell.destroyForcibly();
	}

}
