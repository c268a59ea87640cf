package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.sink.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** It opens after 2 s, for at most 3 s. */
class BackendHealthTests {

	private final AtomicLong nanos = new AtomicLong(-5);

	private final BackendHealth health = new BackendHealth(
			new BackendProperties.Circuit(Duration.ofSeconds(2), Duration.ofSeconds(3)), Duration.ofSeconds(1),
			this.nanos::get);

	/** Whether the last failure may count against its order. */
	private boolean mayCount;

	/** So many attempts have this result now, and each took this time, or none. */
	private final Script script = new Script().word("saved", attempts(new Saved(null)))
		.word("conflict", attempts(new Conflict(FailureReason.otherPayload("422"))))
		.word("failed", attempts(new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED)))
		.word("unreached", attempts(new RetryLater(FailureReason.unreachable("gone"), Reach.NOT_REACHED)))
		.word("rejected", attempts(new Rejected(FailureReason.refused(422, "422"))))
		.word("throttled", attempts(new Throttled(FailureReason.throttled("429"), Duration.ZERO)))
		.word("pass", (time) -> this.nanos.addAndGet(Script.time(time.getFirst()).toNanos()))
		.word("waits", this::waits)
		.is(() -> "healthy=%s outages=%s mayCount=%s".formatted(this.health.isHealthy(), this.health.outages(),
				this.mayCount));

	private Script.Step attempts(Attempt attempt) {
		return (arguments) -> {
			long tookNanos = (arguments.size() > 1) ? Script.time(arguments.get(1)).toNanos() : 0;
			for (int i = Integer.parseInt(arguments.getFirst()); i > 0; i--) {
				this.mayCount = this.health.attempted(attempt, this.nanos.get() - tookNanos) != null;
			}
		};
	}

	/** The pauses before the next orders, with a limit. */
	private void waits(List<String> arguments) {
		for (String wait : arguments.subList(1, arguments.size())) {
			assertThat(this.health.reserve(Integer.parseInt(arguments.getFirst()))).isEqualTo(Script.time(wait));
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				opens when nothing is saved for a while
					saved 10000; failed 1000; pass 1999999999ns; failed 1; is healthy=true
					pass 1ns; failed 1; is healthy=false outages=1
				stays closed while anything is saved
					50x(failed 1000, pass 1999999999ns, saved 1, failed 1000, pass 1999999999ns, conflict 1)
					is outages=0
				stays closed by the failures of a few orders
					9x(failed 1, pass 2s); is healthy=true; failed 1; is healthy=false
				opens when calls that began together time out: those of a frozen backend are the last for a while
					pass 2s; failed 10 2s; is healthy=false
				opens only once an order would have been saved: an overloaded backend refuses many while it saves one
					pass 4s; saved 1 4s; failed 100; pass 3999999999ns; failed 100; is healthy=true
					pass 1ns; failed 1; is healthy=false
				throttling is no failure and no success
					throttled 1000; pass 2s; throttled 1000; is healthy=true
					failed 9; pass 2s; throttled 1000; failed 1; is healthy=false
				refusals of all orders open it and do not delay the next trial: behind them may be others
					rejected 10; pass 2s; rejected 1; is healthy=false
					waits 1 0s; rejected 1; waits 1 0s; throttled 1; waits 1 0s; failed 1; waits 1 50ms
					saved 1; is healthy=true
				tries an order after a fortieth of the outage and at most the limit
					failed 10; pass 2s; failed 1; waits 1 0s; failed 1; waits 1 50ms; pass 18s; waits 1 0s 500ms
					pass 1h; waits 1 0s 3s
				tries orders no faster than they were saved while none is: thousands would fail before it opens
					pass 100ms; saved 1 100ms; failed 49; waits 20 0s 0s
					failed 1; waits 20 0ms 5ms 10ms 15ms 20ms 25ms 30ms 35ms 40ms 45ms; saved 1; waits 20 0s
				a failure while the circuit is not closed counts against nobody, nor does the one that opens it
					saved 1; pass 1ms; failed 1; is mayCount=true; unreached 1; is mayCount=false
					failed 8; pass 2s; failed 1; is mayCount=false; failed 1; is mayCount=false
				""");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logsTheBeginningAndTheEndOfAnOutageOnceHoweverManyTrialsFail(CapturedOutput output) {
		this.script.play("failed 10; pass 2s; failed 1; 3x(pass 3s, failed 3); is outages=1");
		assertThat(output).containsOnlyOnce("The circuit breaker opened: nothing was saved for 2 s")
			.contains("The last failure: 500")
			.doesNotContain("The circuit breaker closed");

		this.script.play("saved 3");

		assertThat(output).containsOnlyOnce("The circuit breaker opened")
			.containsOnlyOnce("The circuit breaker closed: the backend saves again, after 11 s");
	}

}
