package dev.sluice.sink.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.Fuzz;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.LogMessageStore.Damage;
import dev.sluice.sink.store.OnceStore.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logs with random content and random damage: they report the damage or open unchanged.
 * With {@code CONTINUE} they open, do not confuse messages, and store each new one once.
 */
@Tag("full")
class LogFuzzTests {

	private static final int ROUNDS = 50;

	@TempDir
	private Path directory;

	private int round;

	@Test
	void saysWhatIsDamagedOrGoesOnAsBefore() {
		Fuzz.run(ROUNDS, this::check);
	}

	private void check(Random random) throws Exception {
		Path log = Files.createDirectory(this.directory.resolve("log-" + this.round++));
		int segmentBytes = 500 + random.nextInt(20_000);
		List<ClientSession> sessions = List.of(session("session-a"), session("session-b"));
		Map<ClientSession, Integer> last = new HashMap<>();
		for (int runs = 1 + random.nextInt(3); runs > 0; runs--) {
			try (LogMessageStore open = open(log, segmentBytes, Damage.REFUSE)) {
				fill(open, random, sessions, last);
			}
		}
		boolean harmless = random.nextInt(10) == 0;
		if (!harmless) {
			damage(log, random);
		}

		boolean refused = false;
		try (LogMessageStore open = open(log, segmentBytes, Damage.REFUSE)) {
			assertThat(open.ready()).isTrue();
		}
		catch (UncheckedIOException ex) {
			refused = true;
			assertThat(ex).hasMessageContaining(log.toString());
		}
		assertThat(harmless && refused).as("refused though nothing was damaged").isFalse();

		Map<ClientSession, Integer> next = new HashMap<>();
		try (LogMessageStore open = open(log, segmentBytes, Damage.CONTINUE)) {
			for (ClientSession session : sessions) {
				int known = last.getOrDefault(session, 0);
				for (int sequence = 1; sequence <= known; sequence++) {
					// It is a repeat or stored again, but never confused with another.
					assertThat(outcome(open, session, sequence)).isIn(Outcome.STORED, Outcome.REPEATED);
				}
				assertThat(outcome(open, session, known + 1)).isEqualTo(Outcome.STORED);
				next.put(session, known + 1);
			}
		}
		try (LogMessageStore open = open(log, segmentBytes, Damage.CONTINUE)) {
			for (ClientSession session : sessions) {
				assertThat(outcome(open, session, next.get(session))).isEqualTo(Outcome.REPEATED);
			}
		}
		delete(log);
	}

	private static void fill(LogMessageStore open, Random random, List<ClientSession> sessions,
			Map<ClientSession, Integer> last) throws Exception {
		List<CompletableFuture<?>> pending = new ArrayList<>();
		for (int i = random.nextInt(80); i > 0; i--) {
			ClientSession session = sessions.get(random.nextInt(2));
			if (random.nextInt(3) == 0) {
				pending.add(open.store(Contents.of("own-" + random.nextInt(), payload(random.nextInt(1_000)))));
			}
			else {
				int sequence = last.merge(session, 1, Integer::sum);
				pending.add(open.store(new Place(session, sequence), content(session, sequence)));
			}
			if (random.nextInt(4) == 0) {
				pending.getLast().get();
			}
		}
		for (CompletableFuture<?> one : pending) {
			one.get();
		}
	}

	private static void damage(Path log, Random random) throws IOException {
		for (int times = 1 + random.nextInt(2); times > 0; times--) {
			List<Path> files = files(log).stream().filter((file) -> file.toString().endsWith(".log")).toList();
			if (files.isEmpty()) {
				return;
			}
			Path file = files.get(random.nextInt(files.size()));
			if (random.nextInt(10) == 0) {
				Files.delete(file);
			}
			else {
				Files.write(file, Fuzz.mutated(Files.readAllBytes(file), random));
			}
		}
	}

	private static Outcome outcome(LogMessageStore open, ClientSession session, int sequence) throws Exception {
		try {
			return open.store(new Place(session, sequence), content(session, sequence)).get();
		}
		catch (ExecutionException ex) {
			assertThat(ex.getCause()).as("%s-%d", session.id().toStringUtf8(), sequence)
				.isNotInstanceOf(ContentDiffersException.class);
			throw ex;
		}
	}

	private static LogMessageStore open(Path log, int segmentBytes, Damage damage) {
		return new LogMessageStore(log, segmentBytes, damage, Retention.FOR_EVER, new RecentIds(1_000),
				new KnownSessions(10, Duration.ofDays(1)));
	}

	private static ClientSession session(String name) {
		return new ClientSession(ByteString.copyFromUtf8(name), 1, 0);
	}

	private static Content content(ClientSession session, int sequence) {
		return Contents.of(session.id().toStringUtf8() + "-" + sequence, payload(sequence));
	}

	private static byte[] payload(int sequence) {
		byte[] payload = new byte[(sequence * 37) % 900];
		new Random(sequence).nextBytes(payload);
		return payload;
	}

	private static List<Path> files(Path log) throws IOException {
		try (Stream<Path> files = Files.list(log)) {
			return files.sorted().toList();
		}
	}

	private static void delete(Path log) throws IOException {
		for (Path file : files(log)) {
			Files.delete(file);
		}
		Files.delete(log);
	}

}
