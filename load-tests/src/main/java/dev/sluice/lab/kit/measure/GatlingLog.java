package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The {@code simulation.log} of Gatling {@value #VERSION}: a binary file of records, each
 * preceded by its kind. Numbers are big-endian; times are milliseconds after the start of
 * the run; a string is its length, its bytes and the JDK's coder of them (only the length
 * if it is empty); a cached string is preceded by a new index, or is the negative index
 * of one seen before. Another version, an unknown kind or an impossible value is an
 * error: the layout is internal to Gatling and may change.
 *
 * @param simulation the simulation's class
 * @param startedAt the start of the run
 * @param requests in the order they ended
 * @param errors what went wrong before a request could be sent
 * @param truncated whether the last record is incomplete, as an interrupted run leaves it
 */
public record GatlingLog(String simulation, Instant startedAt, List<Request> requests, List<String> errors,
		boolean truncated) {

	/** The only version whose layout is known. */
	public static final String VERSION = "3.15.1";

	private static final int RUN = 0;

	private static final int REQUEST = 1;

	private static final int USER = 2;

	private static final int GROUP = 3;

	private static final int ERROR = 4;

	private static final int LATIN1 = 0;

	private static final int UTF16 = 1;

	/** Longer strings than this are a sign of a broken file. */
	private static final int MAX_STRING_BYTES = 1 << 20;

	private static final int MAX_ENTRIES = 100_000;

	public GatlingLog {
		requests = List.copyOf(requests);
		errors = List.copyOf(errors);
	}

	/** What to do with a file that ends within a record. */
	public enum Tail {

		/** Refuse it. */
		COMPLETE,

		/** Leave the last record out. */
		MAY_BE_TRUNCATED

	}

	/**
	 * A request that was answered or failed.
	 *
	 * @param name its name in the simulation
	 * @param start when it was sent
	 * @param end when it was answered or failed
	 * @param ok whether its checks passed
	 * @param message why not; empty if they did
	 */
	public record Request(String name, Instant start, Instant end, boolean ok, String message) {

		public long millis() {
			return end().toEpochMilli() - start().toEpochMilli();
		}

	}

	/**
	 * Reads a file.
	 * @throws IOException if it cannot be read, is of another version or is damaged
	 */
	public static GatlingLog read(Path file, Tail tail) throws IOException {
		return new Parser(file).parse(tail);
	}

	private static final class Parser {

		private final Path file;

		private final ByteBuffer in;

		private final List<String> cache = new ArrayList<>();

		private final List<Request> requests = new ArrayList<>();

		private final List<String> errors = new ArrayList<>();

		private long startMillis;

		private int scenarios;

		Parser(Path file) throws IOException {
			this.file = file;
			this.in = ByteBuffer.wrap(Files.readAllBytes(file));
			this.cache.add("");
		}

		GatlingLog parse(Tail tail) throws IOException {
			String simulation = "";
			boolean truncated = false;
			try {
				simulation = readRun();
				while (this.in.hasRemaining()) {
					readRecord();
				}
			}
			catch (BufferUnderflowException ex) {
				if (tail == Tail.COMPLETE) {
					throw damaged("it ends within a record", ex);
				}
				truncated = true;
			}
			return new GatlingLog(simulation, Instant.ofEpochMilli(this.startMillis), this.requests, this.errors,
					truncated);
		}

		private String readRun() throws IOException {
			int kind = this.in.get();
			String version = (kind == RUN) ? readString() : "";
			if (!version.equals(VERSION)) {
				throw new IOException("%s is not a log of Gatling %s, the only version that can be read"
					.formatted(this.file, VERSION));
			}
			String simulation = readString();
			this.startMillis = this.in.getLong();
			readString();
			this.scenarios = readCount("scenarios");
			for (int i = 0; i < this.scenarios; i++) {
				readString();
			}
			int assertions = readCount("assertions");
			for (int i = 0; i < assertions; i++) {
				readBytes(this.in.getInt());
			}
			return simulation;
		}

		private void readRecord() throws IOException {
			int kind = this.in.get();
			switch (kind) {
				case REQUEST -> readRequest();
				case USER -> readUser();
				case GROUP -> readGroup();
				case ERROR -> readError();
				default -> throw damaged("record of unknown kind " + kind, null);
			}
		}

		private void readRequest() throws IOException {
			readGroups();
			String name = readCached();
			Instant start = readTime();
			Instant end = readTime();
			boolean ok = readFlag();
			String message = readCached();
			if (end.isBefore(start)) {
				throw damaged("a request ended before it began", null);
			}
			this.requests.add(new Request(name, start, end, ok, message));
		}

		private void readUser() throws IOException {
			int scenario = this.in.getInt();
			if (scenario < 0 || scenario >= this.scenarios) {
				throw damaged("a user of the unknown scenario " + scenario, null);
			}
			readFlag();
			readTime();
		}

		private void readGroup() throws IOException {
			readGroups();
			readTime();
			readTime();
			this.in.getInt();
			readFlag();
		}

		private void readError() throws IOException {
			this.errors.add(readCached());
			readTime();
		}

		private void readGroups() throws IOException {
			int groups = readCount("groups");
			for (int i = 0; i < groups; i++) {
				readCached();
			}
		}

		private Instant readTime() throws IOException {
			int millis = this.in.getInt();
			if (millis < 0) {
				throw damaged("a time before the start of the run", null);
			}
			return Instant.ofEpochMilli(this.startMillis + millis);
		}

		private boolean readFlag() throws IOException {
			int flag = this.in.get();
			if (flag != 0 && flag != 1) {
				throw damaged("a flag is " + flag, null);
			}
			return flag == 1;
		}

		private int readCount(String what) throws IOException {
			int count = this.in.getInt();
			if (count < 0 || count > MAX_ENTRIES) {
				throw damaged("it counts " + count + " " + what, null);
			}
			return count;
		}

		private String readCached() throws IOException {
			int index = this.in.getInt();
			if (index == this.cache.size()) {
				String value = readString();
				this.cache.add(value);
				return value;
			}
			if (index >= 0 || -(long) index >= this.cache.size()) {
				throw damaged("a string has the index " + index + " of " + (this.cache.size() - 1), null);
			}
			return this.cache.get(-index);
		}

		private String readString() throws IOException {
			int length = this.in.getInt();
			if (length == 0) {
				return "";
			}
			byte[] bytes = readBytes(length);
			int coder = this.in.get();
			return switch (coder) {
				case LATIN1 -> new String(bytes, StandardCharsets.ISO_8859_1);
				case UTF16 -> new String(bytes, (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN)
						? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE);
				default -> throw damaged("a string of unknown coder " + coder, null);
			};
		}

		private byte[] readBytes(int length) throws IOException {
			if (length < 0 || length > MAX_STRING_BYTES) {
				throw damaged("a string of " + length + " bytes", null);
			}
			byte[] bytes = new byte[length];
			this.in.get(bytes);
			return bytes;
		}

		private IOException damaged(String what, @Nullable Exception cause) {
			return new IOException("%s is damaged at byte %,d: %s".formatted(this.file, this.in.position(), what),
					cause);
		}

	}

}
