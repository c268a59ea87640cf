package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** TCP ports of the loopback interface. */
public final class Ports {

	/** The highest port. */
	public static final int MAX = 65_535;

	private static final int LOWEST = 10_000;

	private static final int HIGHEST = 24_999;

	private static final int TRIES = 1_000;

	private static final String LISTEN = "0A";

	private Ports() {
	}

	/**
	 * A port that is free now. It is not reserved: bind it soon. It is below the ports of
	 * outgoing connections (Linux: from 32768), one of which could take it meanwhile.
	 * @return from 10,000 to 24,999
	 * @throws IllegalStateException if none was found in {@value #TRIES} tries
	 */
	public static int free() {
		return ThreadLocalRandom.current()
			.ints(TRIES, LOWEST, HIGHEST + 1)
			.filter(Ports::isFree)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"No free port of the loopback interface found from %s to %s".formatted(LOWEST, HIGHEST)));
	}

	/** The port, or a free one for 0. */
	static int orFree(int port) {
		return (port != 0) ? port : free();
	}

	/** This many different ports that are free now. */
	public static List<Integer> free(int count) {
		return Stream.generate(Ports::free).distinct().limit(count).toList();
	}

	/**
	 * Whether a server could listen on the port now. Only binds and does not listen: a
	 * process that another thread starts at this moment inherits the socket until it has
	 * closed its descriptors. A listening one would keep servers away for milliseconds.
	 */
	public static boolean isFree(int port) {
		try (Socket socket = new Socket()) {
			// As servers do: connections that linger from an earlier server do not count.
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException _) {
			return false;
		}
	}

	/**
	 * Fails if the port is taken. The message names the process that has it, if that is
	 * known.
	 * @param port 0 is always free
	 * @param what the server that needs the port
	 * @throws StartFailedException if it is taken
	 */
	public static void requireFree(int port, String what) {
		if (port != 0 && !isFree(port)) {
			throw new StartFailedException("%s: port %s is taken%s".formatted(what, port,
					holder(port).map((holder) -> " by process " + describe(holder)).orElse("")));
		}
	}

	/**
	 * The process that listens on the port. Empty if there is none, if it belongs to
	 * another user, or if the system has no {@code /proc}.
	 */
	public static Optional<ProcessHandle> holder(int port) {
		return inode(port).flatMap((inode) -> {
			String link = "socket:[%s]".formatted(inode);
			return ProcessHandle.allProcesses().filter((process) -> hasOpen(process, link)).findFirst();
		});
	}

	/** Process id and the beginning of the command line. */
	private static String describe(ProcessHandle process) {
		String command = process.info().commandLine().orElse("");
		return "%s (%s)".formatted(process.pid(), (command.length() > 100) ? command.substring(0, 100) + "…" : command);
	}

	private static Optional<String> inode(int port) {
		String suffix = String.format(Locale.ROOT, ":%04X", port);
		return Stream.of("/proc/net/tcp", "/proc/net/tcp6").flatMap((table) -> {
			try {
				return Files.readAllLines(Path.of(table)).stream();
			}
			catch (IOException _) {
				return Stream.empty();
			}
		})
			.map((line) -> line.strip().toUpperCase(Locale.ROOT).split("\\s+"))
			.filter((column) -> column.length > 9 && column[1].endsWith(suffix) && column[3].equals(LISTEN))
			.map((column) -> column[9])
			.findFirst();
	}

	private static boolean hasOpen(ProcessHandle process, String link) {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc", "" + process.pid(), "fd"))) {
			for (Path file : files) {
				if (Files.isSymbolicLink(file) && Files.readSymbolicLink(file).toString().equals(link)) {
					return true;
				}
			}
		}
		catch (IOException _) {
			// It ended, or it belongs to another user.
		}
		return false;
	}

}
