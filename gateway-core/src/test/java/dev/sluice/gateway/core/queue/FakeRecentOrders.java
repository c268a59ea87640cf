package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import tools.jackson.databind.json.JsonMapper;

/** Knows the orders that a test gives it, and reads as far as the test decides. */
public class FakeRecentOrders extends RecentOrders {

	private final Map<UUID, RecentRecord> acceptances = new HashMap<>();

	private final Map<UUID, RecentRecord> saves = new HashMap<>();

	private Runnable whileReading = () -> {
	};

	private Reading reading = Reading.CURRENT;

	private boolean projectionBehind;

	public FakeRecentOrders() {
		super(new StatusProperties(Duration.ofSeconds(1), 10, "group", Duration.ofSeconds(1)), Map::of, () -> null,
				() -> null, JsonMapper.shared(), new SimpleMeterRegistry(), new Supervisor((_) -> {
				}), Duration.ZERO);
	}

	public void accept(UUID id, Fingerprint fingerprint, Instant first, Instant last) {
		this.acceptances.put(id, new RecentRecord(id, fingerprint, first, last, 0, 0));
	}

	public void save(UUID id, Instant savedAt) {
		this.saves.put(id, new RecentRecord(id, null, savedAt, 0));
	}

	public void forget(UUID id) {
		this.acceptances.remove(id);
	}

	public void read(Reading reading) {
		this.reading = reading;
	}

	public void projectionIsBehind() {
		this.projectionBehind = true;
	}

	/** Runs while a caller waits until everything has been read. */
	public void whileReading(Runnable event) {
		this.whileReading = event;
	}

	@Override
	public boolean isKnown(Object read) {
		return true;
	}

	@Override
	public RecentRecord acceptance(UUID id) {
		return this.acceptances.get(id);
	}

	@Override
	public RecentRecord syncSave(UUID id) {
		return this.saves.get(id);
	}

	@Override
	public boolean isProjectionBehind() {
		return this.projectionBehind;
	}

	@Override
	public CompletableFuture<Reading> caughtUp(Duration limit) {
		this.whileReading.run();
		return CompletableFuture.completedFuture(this.reading);
	}

	@Override
	public void accepted(RecentRecord acceptance, int partition) {
		this.acceptances.put(acceptance.id(), acceptance);
	}

}
