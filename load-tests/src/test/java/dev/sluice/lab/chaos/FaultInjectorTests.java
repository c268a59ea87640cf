package dev.sluice.lab.chaos;

import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.Fault.Kind;
import dev.sluice.lab.chaos.Fault.Target;
import dev.sluice.lab.chaos.Fault.Victim;
import dev.sluice.lab.chaos.FaultInjector.Schedule;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

class FaultInjectorTests {

	private static final Duration TIMEOUT = Patience.ofSeconds(60);

	private static final Duration LOAD = Duration.ofDays(1);

	private static final long LONG = 600_000;

	private final Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()));

	private final List<String> events = new CopyOnWriteArrayList<>();

	@Test
	void breaksAndMendsOneBrokerAtATime() throws Exception {
		try (FaultInjector injector = inject(Duration.ZERO, fault("broker 1", Kind.KILL, 1),
				fault("broker 2", Kind.RESTART, 0), fault("broker 1", Kind.FREEZE, 50))) {
			injector.awaitHealed(TIMEOUT);

			assertThat(injector.done()).extracting(ChaosResult.Fault::target)
				.containsExactly("broker 1", "broker 2", "broker 1");
			assertThat(injector.done()).allMatch((done) -> done.healedMillis() >= done.beganMillis());
		}
		assertThat(this.events).containsExactly("kill", "start", "stop", "start", "freeze", "unfreeze");
	}

	@Test
	void goesRoundUntilTheLoadIsOver() throws Exception {
		try (FaultInjector injector = inject(LOAD, fault("broker", Kind.KILL, 0))) {
			await().until(() -> injector.done().size() > 2);
			injector.check();
		}
	}

	@Test
	void breaksNoMoreThanTwoThingsAtOnce() throws Exception {
		try (FaultInjector _ = inject(LOAD, fault(Target.GATEWAY, "gateway", Kind.FREEZE, LONG),
				fault(Target.CONSUMER, "consumer", Kind.FREEZE, LONG),
				fault(Target.POSTGRES, "postgres", Kind.FREEZE, LONG))) {
			await().until(() -> this.events.size() == 2);
			await().during(Duration.ofSeconds(1)).until(() -> this.events.size() == 2);
		}

		assertThat(this.events).startsWith("freeze", "freeze", "unfreeze");
	}

	@Test
	void tellsWhatDidNotStartAgainAndBreaksNothingMore() throws Exception {
		Victim stubborn = new Victim(Target.BROKER, "broker", process(true));
		try (FaultInjector injector = inject(LOAD, new Fault(stubborn, Kind.KILL, 0))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> injector.awaitHealed(TIMEOUT))
				.withMessage("broker did not get over a fault (kill): it does not start");
			assertThatExceptionOfType(LabException.class).isThrownBy(injector::check);
			assertThat(injector.done()).isEmpty();
		}
		assertThat(this.events).containsExactly("kill");
	}

	@Test
	void unfreezesWhatIsFrozenWhenItIsClosed() throws Exception {
		try (FaultInjector _ = inject(LOAD, fault("broker", Kind.FREEZE, LONG))) {
			await().until(() -> this.events.contains("freeze"));
		}

		assertThat(this.events).containsExactly("freeze", "unfreeze");
	}

	@Test
	void doesNotWaitForEver() {
		try (FaultInjector injector = inject(Duration.ZERO, fault("broker", Kind.FREEZE, LONG))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> injector.awaitHealed(Duration.ofMillis(1)))
				.withMessageContaining("s after the load's end");
		}
	}

	@Test
	void aRoundHasEachFaultOfEachTargetOnceAndTheSameSeedGivesTheSameRounds() {
		List<Victim> victims = Stream.of(Target.values())
			.map((target) -> new Victim(target, target.toString(), process(false)))
			.toList();

		List<Fault> round = Fault.round(victims, true, new Random(7));

		assertThat(round).extracting((fault) -> fault.victim().target(), Fault::kind)
			.doesNotHaveDuplicates()
			.hasSize(4 * 3 + Kind.values().length);
		assertThat(Fault.round(victims, true, new Random(7))).isEqualTo(round);
		assertThat(Fault.round(victims, true, new Random(8))).isNotEqualTo(round);
	}

	@Test
	void killsNoWitnessThatForgets() {
		Victim backend = new Victim(Target.BACKEND, "backend", process(false));

		assertThat(Fault.round(List.of(backend), false, new Random(1))).extracting(Fault::kind)
			.containsExactlyInAnyOrder(Kind.FREEZE, Kind.ERRORS, Kind.HANG, Kind.RESET);
	}

	private FaultInjector inject(Duration load, Fault... faults) {
		return new FaultInjector(() -> List.of(faults),
				new Schedule(System.nanoTime(), Duration.ZERO, load, Duration.ZERO),
				new BackendControl(URI.create("http://127.0.0.1:1")), this.progress);
	}

	private Fault fault(String broker, Kind kind, long lastMillis) {
		return fault(Target.BROKER, broker, kind, lastMillis);
	}

	private Fault fault(Target target, String name, Kind kind, long lastMillis) {
		return new Fault(new Victim(target, name, process(false)), kind, lastMillis);
	}

	/** Tells what is done to it. A stubborn one does not start. */
	private Breakable process(boolean stubborn) {
		return mock(Breakable.class, (call) -> {
			String done = call.getMethod().getName();
			if (stubborn && done.equals("start")) {
				throw new LabException("it does not start");
			}
			this.events.add(done);
			return null;
		});
	}

}
