package dev.sluice.lab.kit.measure;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.measure.GatlingLog.Tail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Logs that are written byte by byte: what real ones hold seldom, and damaged ones. */
class GatlingLogFormatTests {

	private static final long START = 1_790_000_000_000L;

	private static final int RUN = 0;

	private static final int REQUEST = 1;

	private static final int USER = 2;

	private static final int GROUP = 3;

	private static final int ERROR = 4;

	private static final int LATIN1 = 0;

	private static final int UTF16 = 1;

	private static final int MAX_STRING = 1 << 20;

	private static final int MAX_ENTRIES = 100_000;

	@TempDir
	private Path directory;

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final DataOutputStream out = new DataOutputStream(this.bytes);

	@BeforeEach
	void begin() throws IOException {
		this.out.writeByte(RUN);
		string(GatlingLog.VERSION);
		string("Simulation");
		this.out.writeLong(START);
		string("");
		this.out.writeInt(2);
		string("first");
		string("second");
		this.out.writeInt(1);
		this.out.writeInt(3);
		this.out.write(new byte[3]);
	}

	@Test
	void readsRequestsWithinGroups() throws IOException {
		this.out.writeByte(REQUEST);
		this.out.writeInt(2);
		newString(1, "outer");
		newString(2, "inner");
		newString(3, "order");
		times(10, 30);
		this.out.writeByte(1);
		newString(4, "");
		this.out.writeByte(REQUEST);
		this.out.writeInt(1);
		this.out.writeInt(-2);
		this.out.writeInt(-3);
		times(20, 20);
		this.out.writeByte(0);
		newString(5, "found 503");

		GatlingLog log = read();

		assertThat(log.simulation()).isEqualTo("Simulation");
		assertThat(log.startedAt()).isEqualTo(at(0));
		assertThat(log.requests()).containsExactly(new Request("order", at(10), at(30), true, ""),
				new Request("order", at(20), at(20), false, "found 503"));
		assertThat(log.requests()).extracting(Request::millis).containsExactly(20L, 0L);
		assertThat(log.truncated()).isFalse();
	}

	@Test
	void readsUsersAndGroupsAndErrors() throws IOException {
		user(0, 1, 5);
		user(1, 0, 6);
		this.out.writeByte(GROUP);
		this.out.writeInt(1);
		newString(1, "outer");
		times(0, 9);
		this.out.writeInt(4);
		this.out.writeByte(1);
		this.out.writeByte(ERROR);
		newString(2, "no order");
		this.out.writeInt(7);

		GatlingLog log = read();

		assertThat(log.errors()).containsExactly("no order");
		assertThat(log.requests()).isEmpty();
	}

	@Test
	void readsWhatIsNotLatin() throws IOException {
		byte[] text = "€ 5".getBytes((ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) ? StandardCharsets.UTF_16LE
				: StandardCharsets.UTF_16BE);
		this.out.writeByte(ERROR);
		this.out.writeInt(1);
		this.out.writeInt(text.length);
		this.out.write(text);
		this.out.writeByte(UTF16);
		this.out.writeInt(0);

		assertThat(read().errors()).containsExactly("€ 5");
	}

	@Test
	void readsStringsUpToTheLongest() throws IOException {
		this.out.writeByte(ERROR);
		newString(1, "a".repeat(MAX_STRING));
		this.out.writeInt(0);

		assertThat(read().errors()).singleElement().asString().hasSize(MAX_STRING);
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, MAX_STRING + 1 })
	void refusesAStringOfImpossibleLength(int length) throws IOException {
		this.out.writeByte(ERROR);
		this.out.writeInt(1);
		this.out.writeInt(length);

		refused("a string of " + length + " bytes");
	}

	@Test
	void refusesAnUnknownCoder() throws IOException {
		this.out.writeByte(ERROR);
		this.out.writeInt(1);
		this.out.writeInt(1);
		this.out.writeByte('a');
		this.out.writeByte(2);

		refused("unknown coder 2");
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, -1, -2 })
	void refusesAStringThatWasNotSeen(int index) throws IOException {
		this.out.writeByte(ERROR);
		this.out.writeInt(index);

		refused("a string has the index " + index + " of 0");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 2 })
	void refusesAUserOfAnUnknownScenario(int scenario) throws IOException {
		user(scenario, 1, 0);

		refused("unknown scenario " + scenario);
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 2 })
	void refusesAFlagThatIsNone(int flag) throws IOException {
		user(0, flag, 0);

		refused("a flag is " + flag);
	}

	@Test
	void refusesATimeBeforeTheStart() throws IOException {
		user(0, 1, -1);

		refused("before the start of the run");
	}

	@Test
	void refusesARequestThatEndsBeforeItBegins() throws IOException {
		this.out.writeByte(REQUEST);
		this.out.writeInt(0);
		newString(1, "order");
		times(30, 29);
		this.out.writeByte(1);
		newString(2, "");

		refused("ended before it began");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, MAX_ENTRIES + 1 })
	void refusesImpossibleCounts(int count) throws IOException {
		this.out.writeByte(GROUP);
		this.out.writeInt(count);

		refused("it counts %d groups".formatted(count));
	}

	@Test
	void readsAsManyGroupsAsThereMayBe() throws IOException {
		this.out.writeByte(GROUP);
		this.out.writeInt(MAX_ENTRIES);
		newString(1, "group");
		for (int i = 1; i < MAX_ENTRIES; i++) {
			this.out.writeInt(-1);
		}
		times(0, 0);
		this.out.writeInt(0);
		this.out.writeByte(0);

		assertThat(read().truncated()).isFalse();
	}

	@Test
	void tellsWhereItIsDamaged() throws IOException {
		int length = this.bytes.size();
		this.out.writeByte(9);

		refused("is damaged at byte %d: record of unknown kind 9".formatted(length + 1));
	}

	@Test
	void refusesAFileThatBeginsWithAnotherRecord() throws IOException {
		byte[] file = this.bytes.toByteArray();
		file[0] = USER;

		assertThatIOException().isThrownBy(() -> GatlingLog.read(file(file), Tail.MAY_BE_TRUNCATED))
			.withMessageContaining("is not a log of Gatling");
	}

	private void user(int scenario, int flag, int millis) throws IOException {
		this.out.writeByte(USER);
		this.out.writeInt(scenario);
		this.out.writeByte(flag);
		this.out.writeInt(millis);
	}

	private void times(int start, int end) throws IOException {
		this.out.writeInt(start);
		this.out.writeInt(end);
	}

	private void newString(int index, String text) throws IOException {
		this.out.writeInt(index);
		string(text);
	}

	private void string(String text) throws IOException {
		this.out.writeInt(text.length());
		if (!text.isEmpty()) {
			this.out.write(text.getBytes(StandardCharsets.ISO_8859_1));
			this.out.writeByte(LATIN1);
		}
	}

	private static Instant at(int millis) {
		return Instant.ofEpochMilli(START + millis);
	}

	private GatlingLog read() throws IOException {
		return GatlingLog.read(file(this.bytes.toByteArray()), Tail.COMPLETE);
	}

	private void refused(String why) throws IOException {
		Path file = file(this.bytes.toByteArray());
		assertThatIOException().isThrownBy(() -> GatlingLog.read(file, Tail.COMPLETE)).withMessageContaining(why);
	}

	private Path file(byte[] content) throws IOException {
		return Files.write(this.directory.resolve("simulation.log"), content);
	}

}
