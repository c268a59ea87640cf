package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of one kind.
 *
 * @param cells in order of execution
 * @param scenario judgement of a scenario
 * @param setup limits that bound the rates
 * @param length {@code smallest}, {@code quick} or {@code whole}
 */
@JsonTypeName("compare")
public record CompareResult(List<CellResult> cells, @Nullable ScenarioResult scenario, @Nullable Setup setup,
		@Nullable String length) implements Finding {

	public CompareResult {
		cells = List.copyOf(cells);
	}

	/**
	 * Whether the cells of a scenario meet its limits.
	 *
	 * @param question the question that it answers
	 * @param limits in words
	 * @param judgements one per cell, in order of execution
	 */
	public record ScenarioResult(String name, String question, List<String> limits, List<Judgement> judgements) {

		public ScenarioResult {
			Objects.requireNonNull(name, "name");
			Objects.requireNonNull(question, "question");
			limits = List.copyOf(limits);
			judgements = List.copyOf(judgements);
		}

		/**
		 * A cell compared with the limits.
		 *
		 * @param missed limits that it misses, in words
		 */
		public record Judgement(Cell cell, List<String> missed) {

			public Judgement {
				missed = List.copyOf(missed);
			}

			public boolean kept() {
				return this.missed.isEmpty();
			}

		}

	}

	/**
	 * The configured limits.
	 *
	 * @param deliveryConcurrency the consumer's
	 * @param backendMillis fixed time for an order, by backend
	 * @param backendPerSecond orders that a backend takes per second, by backend; a
	 * backend without such a limit is not in it
	 */
	public record Setup(int deliveryConcurrency, Map<String, Long> backendMillis,
			Map<String, Double> backendPerSecond) {

		public Setup {
			backendMillis = Map.copyOf(backendMillis);
			backendPerSecond = Map.copyOf(backendPerSecond);
		}

		/**
		 * The limits of backends whose time for an order and whose rate do not change.
		 */
		public static Setup of(int deliveryConcurrency, List<BackendModel> backends) {
			Map<String, Long> millis = new TreeMap<>();
			Map<String, Double> perSecond = new TreeMap<>();
			for (BackendModel backend : backends) {
				long each = 0;
				if (backend.behaviour().delay() instanceof Delay.Fixed fixed) {
					each = fixed.millis();
					millis.put(backend.label(), each);
				}
				if (backend.behaviour().capacity() instanceof Capacity.Rate(double rate, int _)) {
					perSecond.put(backend.label(), rate);
				}
				if (each > 0 && backend.behaviour().capacity() instanceof Capacity.Workers(int workers, int _)) {
					perSecond.put(backend.label(), workers * 1_000.0 / each);
				}
			}
			return new Setup(deliveryConcurrency, millis, perSecond);
		}

		/**
		 * The most orders per second that can be saved, whatever the gateway does: the
		 * least of what the load, the consumer's limit and the backend let through. A
		 * limit of W orders that take L seconds each lets W / L through. Empty if none is
		 * known.
		 */
		public OptionalDouble ceiling(String capacity, String mode, Load load) {
			DoubleStream.Builder limits = DoubleStream.builder();
			long millis = this.backendMillis.getOrDefault(capacity, 0L);
			if (millis > 0 && mode.equals(Mode.QUEUED.label())) {
				limits.add(this.deliveryConcurrency * 1_000.0 / millis);
			}
			else if (millis > 0 && load.kind() == Load.Kind.IN_FLIGHT) {
				limits.add(load.size() * 1_000.0 / millis);
			}
			if (load.kind() == Load.Kind.OFFERED) {
				limits.add(load.size());
			}
			if (this.backendPerSecond.containsKey(capacity)) {
				limits.add(this.backendPerSecond.get(capacity));
			}
			return limits.build().min();
		}

	}

}
