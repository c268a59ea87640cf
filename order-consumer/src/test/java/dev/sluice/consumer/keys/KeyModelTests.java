package dev.sluice.consumer.keys;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import dev.sluice.consumer.Quiet;
import dev.sluice.consumer.keys.KeyModel.Listed;
import dev.sluice.consumer.keys.KeyModel.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the steps of {@link KeyModel} in every sequence up to a depth, and at random
 * beyond it: more of both with {@code -Pfull}. A walk that fails names its seed;
 * {@code -Dsimulation.seed=N} repeats it alone. {@code -Dsimulation.depth=N} sets the
 * depth, {@code -Dsimulation.lives=N} the number of walks, 100 each.
 */
@ExtendWith(Quiet.class)
class KeyModelTests {

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final int LIVES = Integer.getInteger("simulation.lives", FULL ? 500 : 100);

	private static final int DEPTH = Integer.getInteger("simulation.depth", (LIVES < 100) ? 3 : FULL ? 5 : 4);

	private static final int WALKS = 200 * LIVES;

	private static final int STEPS = 40;

	/** Breadth first, so that a sequence that fails is a shortest one. */
	@Test
	void keepsItsPromisesInEverySequence() {
		Set<String> seen = new HashSet<>();
		Deque<int[]> paths = new ArrayDeque<>(List.of(new int[0]));
		while (!paths.isEmpty()) {
			int[] path = paths.remove();
			int next = take(path, new StringBuilder()).steps().size();
			for (int step = 0; step < next; step++) {
				int[] longer = Arrays.copyOf(path, path.length + 1);
				longer[path.length] = step;
				StringBuilder names = new StringBuilder();
				KeyModel model = take(longer, names);
				if (seen.add(model.key())) {
					if (longer.length < DEPTH) {
						paths.add(longer);
					}
					model.settle();
					assertThat(model.violations).as("%s", names).isEmpty();
				}
			}
		}
	}

	/** The list of the cases is complete, and each of them is real. */
	@Test
	void keepsItsPromisesAtRandomAndReachesEachListedCase() {
		Set<Listed> reached = EnumSet.noneOf(Listed.class);
		Long seed = Long.getLong("simulation.seed");
		if (seed != null) {
			walk(seed, reached);
			return;
		}
		for (long i = 0; i < WALKS; i++) {
			walk(i, reached);
		}
		if (LIVES >= 100) {
			// Fewer walks, as for mutation tests, may miss a case.
			assertThat(reached).containsExactly(Listed.values());
		}
	}

	private static void walk(long seed, Set<Listed> reached) {
		Random random = new Random(seed);
		KeyModel model = new KeyModel(5, 6);
		StringBuilder names = new StringBuilder();
		List<Step> steps = model.steps();
		for (int i = 0; i < STEPS && !steps.isEmpty() && model.violations.isEmpty(); i++) {
			boolean fault = random.nextInt(4) == 0;
			List<Step> chosen = steps.stream().filter((step) -> step.fault() == fault).toList();
			Step step = pick(chosen.isEmpty() ? steps : chosen, random);
			names.append("\n").append(step.name());
			step.run().run();
			model.checkStatuses();
			steps = model.steps();
		}
		model.settle();
		assertThat(model.violations).as("-Dsimulation.seed=%s%s", seed, names).isEmpty();
		reached.addAll(model.reached);
	}

	private static Step pick(List<Step> steps, Random random) {
		return steps.get(random.nextInt(steps.size()));
	}

	private static KeyModel take(int[] path, StringBuilder names) {
		KeyModel model = new KeyModel(3, 3);
		for (int index : path) {
			Step step = model.steps().get(index);
			names.append("\n").append(step.name());
			step.run().run();
			model.checkStatuses();
		}
		return model;
	}

}
