package dev.sluice.lab.chaos;

import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.ChaosPlan.Fault;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.chaos.ChaosPlan.Target;
import dev.sluice.lab.chaos.FaultInjector.Victim;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class FaultInjectorTests {

	private static final long TIMEOUT_MILLIS = Patience.ofSeconds(60).toMillis();

	private final Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()));

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final CountDownLatch frozen = new CountDownLatch(1);

	@Test
	void breaksAndMendsInTurn() throws Exception {
		try (FaultInjector injector = inject(new Process(false), fault(1, Kind.KILL, 1), fault(2, Kind.RESTART, 0),
				fault(3, Kind.FREEZE, 1))) {
			injector.awaitHealed(TIMEOUT_MILLIS);

			assertThat(injector.done()).hasSize(3)
				.allMatch((done) -> done.target().equals("broker") && done.healedMillis() >= done.beganMillis());
		}
		// In any order, but never one within another.
		String all = String.join(" ", this.events);
		assertThat(all).contains("kill start").contains("stop start").contains("freeze unfreeze");
		assertThat(this.events).hasSize(6);
	}

	@Test
	void breaksOneBrokerAtATime() throws Exception {
		Breakable one = new Process(false);
		Breakable other = new Process(false);
		try (FaultInjector injector = inject(
				Map.of(Target.BROKER, List.of(new Victim("broker 1", one, null), new Victim("broker 2", other, null))),
				fault(1, 0, Kind.FREEZE, 50), fault(2, 1, Kind.FREEZE, 50))) {
			injector.awaitHealed(TIMEOUT_MILLIS);
		}

		assertThat(this.events).containsExactly("freeze", "unfreeze", "freeze", "unfreeze");
	}

	@Test
	void breaksNoMoreThanTwoThingsAtOnce() throws Exception {
		Process process = new Process(false);
		Fault[] faults = { new Fault(1, Target.GATEWAY, 0, Kind.FREEZE, 0, 600_000),
				new Fault(2, Target.CONSUMER, 0, Kind.FREEZE, 0, 600_000),
				new Fault(3, Target.POSTGRES, 0, Kind.FREEZE, 500, 600_000) };
		try (FaultInjector _ = inject(Map.of(Target.GATEWAY, List.of(new Victim("gateway", process, null)),
				Target.CONSUMER, List.of(new Victim("consumer", process, null)), Target.POSTGRES,
				List.of(new Victim("postgres", process, null))), faults)) {
			await().until(() -> this.events.size() == 2);
			await().during(Duration.ofSeconds(1)).until(() -> this.events.size() == 2);
		}

		assertThat(this.events).startsWith("freeze", "freeze", "unfreeze");
	}

	@Test
	void tellsWhatDidNotStartAgainAndBreaksNothingMore() throws Exception {
		try (FaultInjector injector = inject(new Process(true), fault(1, Kind.KILL, 0),
				new Fault(2, Target.BROKER, 0, Kind.KILL, 600_000, 0))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> injector.awaitHealed(TIMEOUT_MILLIS))
				.withMessage("broker did not get over fault 1 (kill): it does not start");
			assertThatExceptionOfType(LabException.class).isThrownBy(injector::check);
			assertThat(injector.done()).isEmpty();
		}
	}

	@Test
	void unfreezesWhatIsFrozenWhenItIsClosed() throws Exception {
		try (FaultInjector _ = inject(new Process(false), fault(1, Kind.FREEZE, 600_000))) {
			this.frozen.await();
		}

		assertThat(this.events).containsExactly("freeze", "unfreeze");
	}

	@Test
	void doesNotWaitForEver() {
		try (FaultInjector injector = inject(new Process(false), fault(1, Kind.FREEZE, 600_000))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> injector.awaitHealed(1))
				.withMessageContaining("s after the load's end: 1 fault");
		}
	}

	private FaultInjector inject(Breakable process, Fault... faults) {
		return inject(Map.of(Target.BROKER, List.of(new Victim("broker", process, null))), faults);
	}

	private FaultInjector inject(Map<Target, List<Victim>> victims, Fault... faults) {
		return new FaultInjector(new ChaosPlan(List.of(faults)), victims, System.nanoTime(), 0, this.progress);
	}

	private static Fault fault(int number, Kind kind, long lastMillis) {
		return fault(number, 0, kind, lastMillis);
	}

	private static Fault fault(int number, int instance, Kind kind, long lastMillis) {
		return new Fault(number, Target.BROKER, instance, kind, 0, lastMillis);
	}

	private final class Process implements Breakable {

		private final boolean stubborn;

		Process(boolean stubborn) {
			this.stubborn = stubborn;
		}

		@Override
		public void kill() {
			FaultInjectorTests.this.events.add("kill");
		}

		@Override
		public void stop() {
			FaultInjectorTests.this.events.add("stop");
		}

		@Override
		public void start() {
			if (this.stubborn) {
				throw new LabException("it does not start");
			}
			FaultInjectorTests.this.events.add("start");
		}

		@Override
		public void freeze() {
			FaultInjectorTests.this.events.add("freeze");
			FaultInjectorTests.this.frozen.countDown();
		}

		@Override
		public void unfreeze() {
			FaultInjectorTests.this.events.add("unfreeze");
		}

	}

}
