package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SharedLimitTests {

	private final List<String> ran = new ArrayList<>();

	private final SharedLimit bound = new SharedLimit(2, Runnable::run);

	@Test
	void letsInAsManyAsThereIsRoomFor() {
		assertThat(this.bound.enter(() -> this.ran.add("a"))).isTrue();
		assertThat(this.bound.enter(() -> this.ran.add("b"))).isTrue();
		assertThat(this.bound.enter(() -> this.ran.add("c"))).isFalse();

		this.bound.remove(1);

		assertThat(this.ran).containsExactly("c");
		assertThat(this.bound.used()).isEqualTo(1);
	}

	@Test
	void runsWhoWaitsOnceAndInTurnAndNoMoreThanIsFree() {
		this.bound.add(4);
		List<Runnable> waiters = List.of(() -> this.ran.add("a"), () -> this.ran.add("b"), () -> this.ran.add("c"));
		waiters.forEach(this.bound::free);
		waiters.forEach(this.bound::free);

		this.bound.remove(2);
		assertThat(this.ran).as("still used up").isEmpty();

		this.bound.remove(1);
		assertThat(this.ran).containsExactly("a");

		this.bound.pass();
		assertThat(this.ran).as("who was run did not use it").containsExactly("a", "b");

		this.bound.forget(waiters.get(2));
		this.bound.pass();
		assertThat(this.ran).containsExactly("a", "b");
	}

}
