package dev.sluice.sink.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.sink.MachineDoc;
import dev.sluice.sink.client.ClientMachine.Effect;
import dev.sluice.sink.client.ClientMachine.Event;
import dev.sluice.sink.client.ClientMachine.Fill;
import dev.sluice.sink.client.ClientMachine.State;
import dev.sluice.sink.client.ClientMachine.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ClientMachineTests {

	static Stream<Arguments> everyCell() {
		return Stream.of(State.values())
			.flatMap((state) -> Stream.of(Event.values())
				.flatMap((event) -> Stream.of(Fill.values()).map((fill) -> Arguments.of(state, event, fill))));
	}

	@ParameterizedTest
	@MethodSource("everyCell")
	void entersTheStateThatTheNumberInFlightStandsFor(State state, Event event, Fill after) {
		if (!ClientMachine.possible(state, event, after)) {
			assertThatIllegalStateException().isThrownBy(() -> ClientMachine.step(state, event, after));
			return;
		}

		Step step = ClientMachine.step(state, event, after);

		assertThat(step.next()).isEqualTo(switch (after) {
			case NONE -> State.IDLE;
			case SOME -> State.SENDING;
			case FULL -> State.BLOCKED;
		});
		assertThat(state == State.BLOCKED && event == Event.SEND).as("sends nothing while it is blocked").isFalse();
		assertThat(step.effects().contains(Effect.TRANSMIT)).isEqualTo(event == Event.SEND);
		assertThat(step.effects().contains(Effect.SETTLE)).as("no acknowledgement is ignored, however late")
			.isEqualTo(event == Event.ACK);
		assertThat(step.effects().contains(Effect.RESCHEDULE)).as("what is late is sent again")
			.isEqualTo(event == Event.TIMEOUT);
		assertThat(step.effects().contains(Effect.RESCHEDULE_ALL)).as("what was in flight is sent again")
			.isEqualTo(event == Event.DISCONNECTED);
	}

	@Test
	void isDrawnInTheDocument() throws IOException {
		MachineDoc document = new MachineDoc("client");
		for (State state : State.values()) {
			for (Event event : Event.values()) {
				Map<Step, List<Fill>> steps = new LinkedHashMap<>();
				for (Fill after : Fill.values()) {
					if (ClientMachine.possible(state, event, after)) {
						steps.computeIfAbsent(ClientMachine.step(state, event, after), (_) -> new ArrayList<>())
							.add(after);
					}
				}
				steps.forEach((step, fills) -> document.row(state, label(event, fills, steps.size()), step.next(),
						Collections.unmodifiableList(step.effects())));
			}
		}

		document.assertWritten();
	}

	private static String label(Event event, List<Fill> fills, int steps) {
		String name = MachineDoc.words(event);
		return (steps == 1) ? name : name + ", then " + switch (fills.getFirst()) {
			case NONE -> "none in flight";
			case SOME -> "some in flight";
			case FULL -> "window full";
		};
	}

}
