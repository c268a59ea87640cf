package dev.sluice.consumer.projection;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * Random events of orders, as gateways and consumers whose clocks disagree write them:
 * records of {@code orders} in the order of the topic, and outcomes.
 */
public final class Events {

	static final Instant T0 = Instant.parse("2026-11-21T10:00:00Z");

	private static final Fingerprint FIRST = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private static final Fingerprint CONFLICT = Fingerprint.ofJson("[]".getBytes(StandardCharsets.UTF_8));

	private final Random random;

	/** In the order of their partition. */
	final List<StatusRow> records = new ArrayList<>();

	/** In the order of their topic, with the key that compaction looks at. */
	final Map<StatusRow, String> outcomes = new LinkedHashMap<>();

	Events(Random random, UUID id) {
		this.random = random;
		Instant savedAt = time();
		// The backend has another order, from a sync request.
		boolean replaced = random.nextInt(3) == 0;
		List<Instant> acceptances = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			boolean conflict = !replaced && i > 0 && random.nextInt(3) == 0;
			Instant acceptedAt = T0.plusSeconds(random.nextInt(12));
			this.records.add(StatusRow.of(new OrderEvent(id, "c-1", acceptedAt), conflict ? CONFLICT : FIRST));
			// A conflicting order is not delivered.
			if (!conflict) {
				acceptances.add(acceptedAt);
			}
		}
		boolean saves = random.nextBoolean();
		for (int offset = 0; offset < 12; offset++) {
			boolean retries = offset < acceptances.size();
			Instant acceptance = acceptances.get(retries ? offset : random.nextInt(acceptances.size()));
			add(offset, switch (retries ? 0 : random.nextInt(saves ? 4 : 2)) {
				case 0 -> outcome(id, OrderStatus.RETRYING, time(), acceptance, "busy " + offset);
				case 1 -> outcome(id, OrderStatus.FAILED, time(), acceptance, "refused " + offset);
				// The backend saves an order once, and reports the same time to all.
				case 2 -> replaced ? OrderOutcome.conflict(id, "c-1", savedAt.plusSeconds(1), FIRST)
						: outcome(id, OrderStatus.SAVED, savedAt, acceptance, null);
				default -> OrderOutcome.savedSync(id, "c-1", savedAt, replaced ? CONFLICT : FIRST);
			});
		}
	}

	/** Former consumers left out the fingerprint. */
	private OrderOutcome outcome(UUID id, OrderStatus status, Instant at, Instant acceptance, @Nullable String reason) {
		return new OrderOutcome(id, "c-1", status, this.random.nextInt(9), at, acceptance, reason,
				(status == OrderStatus.FAILED) ? "{}" : null, this.random.nextBoolean() ? FIRST.hex() : null, null);
	}

	private void add(long offset, OrderOutcome outcome) {
		this.outcomes.put(StatusRow.of(outcome, offset), outcome.key());
	}

	private Instant time() {
		return T0.plus(Duration.ofNanos(1_000L * this.random.nextInt(20_000_000)));
	}

	/** The outcomes that compaction leaves. */
	List<StatusRow> compacted() {
		Map<String, StatusRow> last = new HashMap<>();
		this.outcomes.forEach((row, key) -> last.put(key, row));
		return new ArrayList<>(last.values());
	}

	/** All outcomes, some of them repeated. */
	List<StatusRow> repeated() {
		List<StatusRow> all = new ArrayList<>(this.outcomes.keySet());
		for (int i = 0; i < 10; i++) {
			all.add(all.get(this.random.nextInt(all.size())));
		}
		return all;
	}

	/**
	 * The events as a projection may read them: records in the order of their topic, now
	 * and then again from an earlier one, and outcomes at any time.
	 */
	List<StatusRow> read(Collection<StatusRow> outcomes) {
		List<StatusRow> shuffled = new ArrayList<>(outcomes);
		Collections.shuffle(shuffled, this.random);
		List<StatusRow> read = new ArrayList<>(this.records);
		for (int again = this.random.nextInt(3); again > 0; again--) {
			read.addAll(this.records.subList(this.random.nextInt(this.records.size()), this.records.size()));
		}
		for (StatusRow outcome : shuffled) {
			read.add(this.random.nextInt(read.size() + 1), outcome);
		}
		return read;
	}

	/** The status that all events together give, computed without a merge. */
	StatusRow expected() {
		Fingerprint first = this.records.getFirst().fingerprint();
		List<StatusRow> said = new ArrayList<>(
				this.records.stream().filter((record) -> first.equals(record.fingerprint())).toList());
		said.addAll(this.outcomes.keySet());
		Instant acceptedAt = said.stream()
			.map(StatusRow::acceptedAt)
			.filter((time) -> time != null)
			.min(Instant::compareTo)
			.orElseThrow();
		StatusRow winner = said.stream().max(ProjectedOrder.GREATER).orElseThrow();
		Fingerprint conflict = this.outcomes.keySet().stream().anyMatch((row) -> row.conflict() != null) ? FIRST : null;
		boolean other = this.outcomes.keySet().stream().anyMatch((row) -> CONFLICT.equals(row.fingerprint()));
		Fingerprint payload = other ? CONFLICT : (conflict != null) ? null : FIRST;
		return new StatusRow(winner.id(), winner.customerId(), winner.status(), winner.attempts(), acceptedAt,
				winner.acceptance(), winner.updatedAt(), winner.outcomeOffset(), winner.reason(), winner.payload(),
				payload, conflict);
	}

}
