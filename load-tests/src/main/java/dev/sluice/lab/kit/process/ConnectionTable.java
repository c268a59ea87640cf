package dev.sluice.lab.kit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernel's table of TCP connections, of this network namespace. A connection within
 * the machine is in it twice, once for each end; the local port distinguishes the ends.
 *
 * @param established connections that are open at both ends, by their local port
 */
record ConnectionTable(Map<Integer, Integer> established) {

	private static final String ESTABLISHED = "01";

	private static final int LOCAL_ADDRESS = 1;

	private static final int STATE = 3;

	private static final int HEXADECIMAL = 16;

	ConnectionTable {
		established = Map.copyOf(established);
	}

	/**
	 * Reads it.
	 * @param net {@code /proc/net}, with {@code tcp} and, where there is IPv6,
	 * {@code tcp6}
	 * @throws IOException if it cannot be read
	 */
	static ConnectionTable read(Path net) throws IOException {
		Map<Integer, Integer> established = new HashMap<>();
		for (String name : List.of("tcp", "tcp6")) {
			try (BufferedReader lines = Files.newBufferedReader(net.resolve(name), StandardCharsets.US_ASCII)) {
				lines.readLine(); // The head.
				for (String line = lines.readLine(); line != null; line = lines.readLine()) {
					String[] fields = line.trim().split(" +", STATE + 2);
					if (fields.length > STATE && fields[STATE].equals(ESTABLISHED)) {
						established.merge(port(fields[LOCAL_ADDRESS]), 1, Integer::sum);
					}
				}
			}
			catch (NoSuchFileException _) {
				// A machine without IPv6.
			}
		}
		return new ConnectionTable(established);
	}

	private static int port(String address) {
		return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), HEXADECIMAL);
	}

	/** Open connections that the listener at this port has accepted. */
	int acceptedAt(int port) {
		return this.established.getOrDefault(port, 0);
	}

}
