package dev.sluice.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.sink.ServerMachine.Effect;
import dev.sluice.sink.ServerMachine.Event;
import dev.sluice.sink.ServerMachine.Phase;
import dev.sluice.sink.ServerMachine.State;
import dev.sluice.sink.ServerMachine.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerMachineTests {

	private static final Path DOCUMENT = Path.of("../docs/sink-machines.md");

	private static final String BEGIN = "```mermaid\nstateDiagram-v2\n";

	static Stream<State> states() {
		return Stream.of(Phase.values())
			.flatMap((phase) -> Stream.of(new State(phase, false), new State(phase, true)))
			.filter((state) -> state.isAnswering() || !state.owing());
	}

	static Stream<Arguments> everyPair() {
		return states().flatMap((state) -> Stream.of(Event.values()).map((event) -> Arguments.of(state, event)));
	}

	@ParameterizedTest
	@MethodSource("everyPair")
	void takesWhatComesOnceAndMakesRoomFirst(State state, Event event) {
		Step step = ServerMachine.step(state, event);

		List<Effect> queue = step.effects()
			.stream()
			.filter((effect) -> effect.compareTo(Effect.FORWARD_OLDEST) <= 0)
			.toList();
		if (state.isOpen() && event == Event.RECEIVED_TOO_MANY) {
			assertThat(queue).containsExactly(Effect.DROP_OLDEST, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
		}
		else if (state.isOpen() && event == Event.RECEIVED_LAST) {
			assertThat(queue).containsExactly(Effect.ENQUEUE, Effect.REPORT_CAPACITY);
		}
		else if (state.isOpen() && event == Event.RECEIVED) {
			assertThat(queue).containsExactly(Effect.ENQUEUE);
		}
		else {
			assertThat(queue).isSubsetOf(Effect.FORWARD_OLDEST);
		}
	}

	@ParameterizedTest
	@MethodSource("everyPair")
	void aTimerRunsIfAndOnlyIfAcknowledgementsWaitForOthers(State state, Event event) {
		Step step = ServerMachine.step(state, event);

		assertThat(step.effects().contains(Effect.START_TIMER)).isEqualTo(!state.owing() && step.next().owing());
		if (state.owing() && !step.next().owing()) {
			assertThat(step.effects()).containsAnyOf(Effect.FLUSH, Effect.END, Effect.FORGET);
		}
	}

	@ParameterizedTest
	@MethodSource("everyPair")
	void endsOnceAndForgetsAndReleasesOnce(State state, Event event) {
		Step step = ServerMachine.step(state, event);

		assertThat(step.next().phase()).as("never goes back").isGreaterThanOrEqualTo(state.phase());
		assertThat(step.effects().contains(Effect.FORGET)).as("what waits")
			.isEqualTo(state.isAnswering() && !step.next().isAnswering());
		assertThat(step.effects().contains(Effect.END)).as("with a status that the client can read")
			.isEqualTo(state.isAnswering() && step.next().phase() == Phase.ENDED);
		assertThat(step.effects().contains(Effect.RELEASE))
			.isEqualTo(state.phase() != Phase.CLOSED && step.next().phase() == Phase.CLOSED);
		if (!state.isAnswering()) {
			assertThat(step.effects()).isSubsetOf(Effect.RELEASE);
		}
	}

	/** {@code mvn test -pl grpc-sink -am -Dsluice.docs=write} draws it. */
	@Test
	void isDrawnInTheDocument() throws IOException {
		Map<String, List<String>> edges = new LinkedHashMap<>();
		for (Phase phase : Phase.values()) {
			for (Event event : Event.values()) {
				Step step = ServerMachine.step(new State(phase, false), event);
				if (!step.effects().isEmpty()) {
					edges.computeIfAbsent(id(phase) + " --> " + id(step.next().phase()), (_) -> new ArrayList<>())
						.add(words(event) + " / "
								+ String.join(", ", step.effects().stream().map(ServerMachineTests::words).toList()));
				}
			}
		}
		StringBuilder drawn = new StringBuilder(BEGIN).append("    [*] --> ").append(id(State.INITIAL.phase()));
		edges.forEach((edge, labels) -> drawn.append("\n    %s: %s".formatted(edge, String.join("<br>", labels))));

		String document = Files.readString(DOCUMENT);
		int from = document.indexOf(BEGIN);
		int to = document.indexOf("\n```\n", from);
		if ("write".equals(System.getProperty("sluice.docs"))) {
			Files.writeString(DOCUMENT, document.substring(0, from) + drawn + document.substring(to));
		}
		else {
			assertThat(document.substring(from, to)).as("run with -Dsluice.docs=write to bring %s up to date", DOCUMENT)
				.isEqualTo(drawn.toString());
		}
	}

	private static String words(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	private static String id(Phase phase) {
		return phase.name().toLowerCase(Locale.ROOT);
	}

}
