package dev.sluice.lab.kit.load;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.sink.Script;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** With windows of five seconds. */
class WarmUpWatchTests {

	private final List<Sample> samples = new ArrayList<>();

	private WarmUpWatch watch = new WarmUpWatch(new Settling(5_000, 15_000, 180_000));

	private long seconds;

	private long cpuMillis;

	private long jitMillis;

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void scenarios(String what, String steps) {
		new Script()
			.word("rule",
					(millis) -> this.watch = new WarmUpWatch(
							new Settling(number(millis, 0), number(millis, 1), number(millis, 2))))
			.word("window", (figures) -> window(5, number(figures, 0), decimal(figures, 1), decimal(figures, 2)))
			.word("long", (figures) -> window(number(figures, 0), number(figures, 1), 0, 0.0))
			.word("untold", (figures) -> window(5, number(figures, 0), decimal(figures, 1), null))
			.word("rest", (_) -> {
				this.seconds += 10;
				this.cpuMillis += 15_000;
				this.jitMillis += 15_000;
			})
			.shown("is", () -> List.of(this.watch.isSettled() ? "settled" : this.watch.isOver() ? "over" : "open"))
			.shown("last",
					() -> Stream.of(this.watch.windows().getLast())
						.map((last) -> "%s s %s/s %s ms %s".formatted(last.endSeconds(), last.savedPerSecond(),
								last.cpuMillisPerOrder(), last.jitShare()))
						.toList())
			.play(steps);
	}

	/**
	 * A window has orders per second, CPU milliseconds of each, and the compilers' share
	 * of them.
	 */
	static Stream<Arguments> scenarios() {
		return Script.scenarios("""
				settles when rate and cost of two windows agree
				  window 100 4; window 500 2; is open
				  window 1000 1; is open
				  window 1050 0.8; is open
				  window 1000 0.75; is settled; last 25.0 s 1000.0/s 0.75 ms 0.0
				does not settle before its time
				  window 1000 1; window 1000 1; is open; window 1000 1; is settled
				is over with the first window that ends after the longest time
				  35x(window 1000 1 0.20); is open; window 1000 1 0.20; is over
				lasts a minute longer while nothing is saved, which is no agreement
				  47x(window 0 0); is open; window 0 0; is over
				lasts ten times longer if it is short
				  rule 1000 1000 2000; long 21 0; is open; long 1 0; is over
				does not settle while the compilers are busy
				  3x(window 1000 1 0.06); is open; window 1000 1 0.05; is settled
				settles by rate and cost where the system does not tell of compilers
				  3x(untold 1000 1); is settled
				a rest counts for its length and for no window
				  window 1000 1; rest; window 1000 1; is settled; last 20.0 s 1000.0/s 1.0 ms 0.0
				""");
	}

	private void window(long length, long perSecond, double cpuMillisPerOrder, @Nullable Double jitShare) {
		Instant start = sample(jitShare != null);
		this.seconds += length;
		long cpu = Math.round(length * perSecond * cpuMillisPerOrder);
		this.cpuMillis += cpu;
		this.jitMillis += Math.round(cpu * Objects.requireNonNullElse(jitShare, 0.0));
		this.watch.add(new Window(start, sample(jitShare != null)), new ProcessSamples(this.samples),
				length * perSecond);
	}

	private Instant sample(boolean told) {
		Instant now = Instant.ofEpochSecond(this.seconds);
		this.samples.add(new Sample(now, Sample.OWN, this.cpuMillis, null, null, told ? this.jitMillis * 1_000 : null));
		return now;
	}

	private static long number(List<String> figures, int place) {
		return Long.parseLong(figures.get(place));
	}

	private static double decimal(List<String> figures, int place) {
		return (place < figures.size()) ? Double.parseDouble(figures.get(place)) : 0;
	}

}
