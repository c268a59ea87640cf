package dev.sluice.sink;

import java.io.IOException;
import java.util.List;
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

		boolean received = event == Event.RECEIVED || event == Event.RECEIVED_LAST;
		List<Effect> queue = step.effects()
			.stream()
			.filter((effect) -> effect.compareTo(Effect.FORWARD_OLDEST) <= 0)
			.toList();
		if (received && state.phase() == Phase.FULL) {
			assertThat(queue).containsExactly(Effect.DROP_OLDEST, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
		}
		else if (received && state.isOpen()) {
			assertThat(queue.getFirst()).isEqualTo(Effect.ENQUEUE);
			assertThat(queue.contains(Effect.REPORT_CAPACITY)).isEqualTo(step.next().phase() == Phase.FULL);
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

		assertThat(step.next().phase()).as("never goes back")
			.satisfiesAnyOf((next) -> assertThat(next).isGreaterThanOrEqualTo(state.phase()),
					(next) -> assertThat(next).isEqualTo(Phase.HAS_CAPACITY));
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

	@Test
	void isDrawnInTheDocument() throws IOException {
		MachineDoc document = new MachineDoc("server");
		for (Phase phase : Phase.values()) {
			for (Event event : Event.values()) {
				Step step = ServerMachine.step(new State(phase, false), event);
				if (!step.effects().isEmpty()) {
					document.row(phase, MachineDoc.words(event), step.next().phase(), step.effects());
				}
			}
		}

		document.assertWritten();
	}

}
