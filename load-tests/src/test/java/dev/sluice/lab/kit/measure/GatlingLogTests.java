package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.measure.GatlingLog.Tail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reads a log of a real run: 30 orders placed synchronously and 40 queued, each refused
 * twice with 503 before it was taken.
 */
class GatlingLogTests {

	@TempDir
	private Path directory;

	private byte[] recorded;

	@BeforeEach
	void readRecorded() throws IOException {
		try (InputStream in = GatlingLogTests.class.getResourceAsStream("gatling-3.15.1.log")) {
			this.recorded = Objects.requireNonNull(in).readAllBytes();
		}
	}

	@Test
	void readsEveryRequestOfARealLog() throws IOException {
		GatlingLog log = GatlingLog.read(file(this.recorded), Tail.COMPLETE);

		assertThat(log.simulation()).isEqualTo("dev.sluice.lab.simulation.OrdersSimulation");
		assertThat(log.truncated()).isFalse();
		assertThat(log.errors()).isEmpty();
		Map<String, Long> answered = log.requests()
			.stream()
			.filter(Request::ok)
			.collect(Collectors.groupingBy(Request::name, Collectors.counting()));
		assertThat(answered).containsOnly(Map.entry("sync 30", 30L), Map.entry("queued 40", 40L));
		assertThat(log.requests()).filteredOn((request) -> !request.ok())
			.hasSize(140)
			.extracting(Request::message)
			.containsOnly("status.find.in(201,202), found 503");
		assertThat(log.requests()).allSatisfy((request) -> assertThat(request.start()).isAfterOrEqualTo(log.startedAt())
			.isBeforeOrEqualTo(request.end()));
	}

	@Test
	void refusesAnotherVersion() throws IOException {
		byte[] other = replaced(this.recorded, "3.15.1", "3.16.0");

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> GatlingLog.read(file(other), Tail.COMPLETE))
			.withMessageContaining("not a log of Gatling 3.15.1");
	}

	@Test
	void refusesATruncatedLog() throws IOException {
		byte[] truncated = Arrays.copyOf(this.recorded, this.recorded.length - 3);

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> GatlingLog.read(file(truncated), Tail.COMPLETE))
			.withMessageContaining("damaged")
			.withMessageContaining("ends within a record");
	}

	@Test
	void leavesTheLastRecordOutWhenATruncatedLogIsExpected() throws IOException {
		byte[] truncated = Arrays.copyOf(this.recorded, this.recorded.length / 2);

		GatlingLog log = GatlingLog.read(file(truncated), Tail.MAY_BE_TRUNCATED);

		assertThat(log.truncated()).isTrue();
		assertThat(log.requests()).hasSizeBetween(50, 150);
	}

	@Test
	void refusesAnEmptyLogUnlessItMayBeTruncated() throws IOException {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> GatlingLog.read(file(new byte[0]), Tail.COMPLETE));
		assertThat(GatlingLog.read(file(new byte[0]), Tail.MAY_BE_TRUNCATED).requests()).isEmpty();
	}

	@Test
	void refusesARecordOfUnknownKind() throws IOException {
		byte[] longer = Arrays.copyOf(this.recorded, this.recorded.length + 1);
		longer[this.recorded.length] = 9;

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> GatlingLog.read(file(longer), Tail.COMPLETE))
			.withMessageContaining("unknown kind 9");
	}

	@Test
	void refusesImpossibleIndexAlsoInATruncatedLog() throws IOException {
		byte[] mutated = this.recorded.clone();
		// The first request's name: its new index, then its length and "sync 30".
		int name = indexOf(mutated, "sync 30") - 8;
		mutated[name + 3] = 77;

		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> GatlingLog.read(file(mutated), Tail.MAY_BE_TRUNCATED))
			.withMessageContaining("index 77");
	}

	private Path file(byte[] content) throws IOException {
		return Files.write(this.directory.resolve("simulation.log"), content);
	}

	private static byte[] replaced(byte[] content, String old, String value) {
		byte[] replaced = content.clone();
		byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
		System.arraycopy(bytes, 0, replaced, indexOf(content, old), bytes.length);
		return replaced;
	}

	private static int indexOf(byte[] content, String text) {
		int index = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
		assertThat(index).as("index of " + text).isPositive();
		return index;
	}

}
