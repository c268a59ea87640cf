package dev.sluice.sink.client;

import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.contract.sink.Request;
import dev.sluice.sink.Script;
import dev.sluice.sink.client.spool.FileSpool;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The client's sessions and sequences: see {@link ClientScript}. */
class SequenceTests {

	private static final int WINDOW = 10;

	private final ClientScript script = new ClientScript();

	private final ScriptedSink sink = this.script.sink;

	@TempDir
	private Path directory;

	@AfterEach
	void stop() {
		this.script.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				numbers no message with an id of its sender
					info 100; send mine # other #; numbers - A2 - A4
				sends the same numbers of the same session again when a stream ends
					info 100; send # # # #; numbers A1 A2 A3 A4
					fail; send #; pass 100ms; info 100; numbers A1 A2 A3 A4 A5
				uses a full window again for what the sink cannot tell
					window 10; info 100; send # # # # # # # # # #; numbers A1 A2 A3 A4 A5 A6 A7 A8 A9 A10
					forget 0; pass 200ms; info 100; numbers B1 B2 B3 B4 B5 B6 B7 B8 B9 B10; is inFlight=10
				sends in a new session what the sink cannot tell, and refuses none of it
					info 100; send # # #; numbers A1 A2 A3; forget 1 2; send #; numbers; stored 0; pass 200ms; info 100
					numbers B2 B3 B4; is spooled=3 refused=0
				""");
	}

	@Test
	void numbersMessagesAndSaysOnceWhoseTheyAre() {
		this.script.play("info 100; send # #");

		assertThat(this.sink.requests).hasSize(2).allSatisfy((one) -> assertThat(one.getVersion()).isEqualTo(2));
		Request one = this.sink.requests.getFirst();
		assertThat(one.getSession().getId().size()).isEqualTo(8);
		assertThat(one.getSession().getFirstUnsettled()).isEqualTo(1);
		assertThat(one.getSequence()).isEqualTo(1);
		assertThat(this.sink.requests.getLast().hasSession()).isFalse();
		assertThat(this.sink.requests.getLast().getSequence()).isEqualTo(2);
	}

	@Test
	void saysWhichMessagesItHasNotSentBefore() {
		open();
		this.script.play("info 100; send # #");
		assertThat(this.sink.requests.getFirst().getSession().getFirstNew()).isEqualTo(1);
		this.script.play("fail; pass 100ms; info 100");
		assertThat(this.sink.requests.get(2).getSession().getFirstNew()).isEqualTo(3);

		open();
		this.script.play("info 100");
		assertThat(this.sink.requests.get(4).getSession().getFirstNew()).as("an earlier opening's").isZero();
	}

	@Test
	void keepsSessionsAndNumbersOverARestart() {
		open();
		this.script.play("info 100; send # #; numbers A1 A2");

		open();
		this.script.play("send #; info 100; numbers A1 A2");
		this.sink.ack(this.sink.ids.subList(2, 4));

		this.script.play("numbers B3");
	}

	private void open() {
		this.script.reopen(() -> new FileSpool(this.directory, 1_000_000, false));
	}

	@Test
	void waitsLongerEachTimeBeforeItSendsToASinkThatForgetsEverything() {
		this.sink.greeting = true;
		this.script.play("window 10; send # # # # # # # # # #");
		int refused = 0;
		for (int millis = 0; millis < 9_000; millis += 10) {
			while (refused < this.sink.ids.size() && refused < 1_000) {
				this.sink.refuse(this.sink.ids.get(refused++), Status.Code.FAILED_PRECONDITION);
			}
			this.script.play("pass 10ms");
		}
		assertThat(this.sink.ids).hasSizeBetween(5 * WINDOW, 12 * WINDOW);
		this.script.play("is spooled=10");
	}

}
