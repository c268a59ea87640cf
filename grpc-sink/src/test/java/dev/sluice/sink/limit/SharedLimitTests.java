package dev.sluice.sink.limit;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SharedLimitTests {

	private final List<String> ran = new ArrayList<>();

	private final SharedLimit limit = new SharedLimit(2, 1, Runnable::run);

	@Test
	void admitsWhileThereIsRoom() {
		assertThat(this.limit.acquire(1, () -> this.ran.add("a"))).isTrue();
		assertThat(this.limit.acquire(1, () -> this.ran.add("b"))).isTrue();
		assertThat(this.limit.acquire(1, () -> this.ran.add("c"))).isFalse();

		this.limit.release(1);

		assertThat(this.ran).containsExactly("c");
		assertThat(this.limit.used()).isEqualTo(1);
	}

	@Test
	void runsWaitingTasksOnceAndInTurnAndNoMoreThanThereIsRoomFor() {
		this.limit.add(4);
		List<Runnable> tasks = List.of(() -> this.ran.add("a"), () -> this.ran.add("b"), () -> this.ran.add("c"));
		tasks.forEach(this.limit::hasRoom);
		tasks.forEach(this.limit::hasRoom);

		this.limit.release(2);
		assertThat(this.ran).as("no room yet").isEmpty();

		this.limit.release(1);
		assertThat(this.ran).containsExactly("a");

		this.limit.wake();
		assertThat(this.ran).as("the first task used no room").containsExactly("a", "b");

		this.limit.cancel(tasks.get(2));
		this.limit.wake();
		assertThat(this.ran).containsExactly("a", "b");
	}

	@Test
	void runsAllWaitingTasksWhenNothingIsInUse() {
		SharedLimit bytes = new SharedLimit(100, 60, Runnable::run);
		bytes.add(150);
		for (String name : List.of("a", "b", "c", "d")) {
			bytes.hasRoom(() -> this.ran.add(name));
		}

		bytes.release(100);
		assertThat(this.ran).as("room for less than one step is room for one task").containsExactly("a");

		bytes.release(50);
		assertThat(this.ran).containsExactly("a", "b", "c", "d");
	}

}
