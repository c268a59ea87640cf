package dev.sluice.sink;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import dev.sluice.sink.ServerMachine.Effect;
import dev.sluice.sink.ServerMachine.Event;
import dev.sluice.sink.ServerMachine.State;
import dev.sluice.sink.ServerMachine.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerMachineTests {

	static Stream<Arguments> everyPair() {
		return Stream.of(State.values())
			.flatMap((state) -> Stream.of(Event.values()).map((event) -> Arguments.of(state, event)));
	}

	@ParameterizedTest
	@MethodSource("everyPair")
	void takesWhatComesOnceAndMakesRoomFirst(State state, Event event) {
		Step step = ServerMachine.step(state, event);

		boolean received = event != Event.STORAGE_READY;
		assertThat(Collections.frequency(step.effects(), Effect.ENQUEUE)).isEqualTo(received ? 1 : 0);
		assertThat(Collections.frequency(step.effects(), Effect.FORWARD_OLDEST)).isEqualTo(received ? 0 : 1);
		boolean dropped = received && state == State.FULL;
		assertThat(step.effects().contains(Effect.DROP_OLDEST)).isEqualTo(dropped);
		if (dropped) {
			assertThat(step.effects().indexOf(Effect.DROP_OLDEST)).isLessThan(step.effects().indexOf(Effect.ENQUEUE));
		}
		assertThat(step.effects().contains(Effect.REPORT_CAPACITY)).as("tells the capacity when the queue is full")
			.isEqualTo(received && step.next() == State.FULL);
		assertThat(step.next()).isEqualTo((event == Event.RECEIVED_LAST || dropped) ? State.FULL : State.HAS_CAPACITY);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5 })
	void keepsTheLatestMessagesAndNoMoreThanThereArePlaces(int capacity) {
		Random random = new Random(capacity);
		Deque<Integer> queue = new ArrayDeque<>();
		State state = State.HAS_CAPACITY;
		for (int i = 0; i < 1_000; i++) {
			boolean receive = random.nextInt(3) > 0;
			Event event = !receive ? Event.STORAGE_READY
					: (queue.size() + 1 >= capacity) ? Event.RECEIVED_LAST : Event.RECEIVED;
			Step step = ServerMachine.step(state, event);
			state = step.next();
			for (Effect effect : step.effects()) {
				switch (effect) {
					case ENQUEUE -> queue.add(i);
					case DROP_OLDEST -> queue.remove();
					case FORWARD_OLDEST -> queue.poll();
					case REPORT_CAPACITY -> assertThat(queue).hasSize(capacity);
				}
			}
			assertThat(queue).hasSizeLessThanOrEqualTo(capacity);
			assertThat(state == State.FULL).isEqualTo(queue.size() == capacity);
			if (receive) {
				assertThat(queue.getLast()).isEqualTo(i);
			}
		}
	}

	@Test
	void isDrawnInTheDocument() throws IOException {
		MachineDoc document = new MachineDoc("server");
		for (State state : State.values()) {
			for (Event event : Event.values()) {
				Step step = ServerMachine.step(state, event);
				document.row(state, MachineDoc.words(event), step.next(), List.copyOf(step.effects()));
			}
		}

		document.assertWritten();
	}

}
