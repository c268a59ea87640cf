package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose polls and commits wait in simulated time, and fail as the simulation
 * decides. The broker's state is in the {@link SimulatedPartition}s. The simulation calls
 * no method of the mock: a thread that waits may hold its lock.
 */
final class SimulatedConsumer extends MockConsumer<byte[], byte[]> {

	private final DeliverySimulation simulation;

	private final int batch;

	/** Run by the next poll, on the loop's thread. */
	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private CompletableFuture<Void> signal = new CompletableFuture<>();

	private @Nullable ConsumerRebalanceListener listener;

	private boolean wokenUp;

	private boolean losing;

	private boolean gone;

	/** Whether a commit of the loop has no answer. */
	private boolean committing;

	/** Commits are answered in their order. */
	private long commitsAnsweredNanos;

	SimulatedConsumer(DeliverySimulation simulation, int batch) {
		super("none");
		this.simulation = simulation;
		this.batch = batch;
	}

	/**
	 * @param lost whether partitions that are no longer assigned are lost instead of
	 * revoked
	 */
	void rebalanceTo(Set<TopicPartition> partitions, boolean lost) {
		this.tasks.add(() -> {
			this.losing = lost;
			rebalance(partitions);
		});
		this.signal.complete(null);
	}

	void failNextPoll() {
		this.tasks.add(() -> {
			throw new KafkaException("simulated");
		});
		this.signal.complete(null);
	}

	/**
	 * Makes the broker refuse requests that this consumer has sent, as those of an
	 * earlier member.
	 */
	void crash() {
		this.gone = true;
	}

	void recordsArrived() {
		this.signal.complete(null);
	}

	@Override
	public void wakeup() {
		this.wokenUp = true;
		this.signal.complete(null);
	}

	@Override
	public void subscribe(Collection<String> topics, ConsumerRebalanceListener loop) {
		ConsumerRebalanceListener told = new ConsumerRebalanceListener() {

			@Override
			public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
				assigned.forEach((id) -> SimulatedConsumer.this.simulation.partition(id).assign());
				loop.onPartitionsAssigned(assigned);
			}

			@Override
			public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
				if (SimulatedConsumer.this.losing) {
					leave(revoked);
					loop.onPartitionsLost(revoked);
				}
				else {
					loop.onPartitionsRevoked(revoked);
					leave(revoked);
				}
			}
		};
		this.listener = told;
		super.subscribe(topics, told);
		this.simulation.subscribed(this);
	}

	private void leave(Collection<TopicPartition> partitions) {
		partitions.forEach((id) -> this.simulation.partition(id).assigned = false);
		// Otherwise the mock would still report them as paused.
		resume(partitions);
	}

	@Override
	public Set<TopicPartition> paused() {
		Set<TopicPartition> paused = new HashSet<>(super.paused());
		paused.retainAll(assignment());
		return paused;
	}

	@Override
	public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
		if (!timeout.isPositive()) {
			this.simulation.violated("a poll does not wait");
			throw new IllegalStateException("It would never let the time pass");
		}
		long deadline = this.simulation.time().nanoTime() + timeout.toNanos();
		while (true) {
			this.signal = new CompletableFuture<>();
			for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
				task.run();
			}
			throwIfWokenUp();
			if (fetch()) {
				return super.poll(Duration.ZERO);
			}
			long left = deadline - this.simulation.time().nanoTime();
			if (left <= 0) {
				return ConsumerRecords.empty();
			}
			waitFor(this.signal, Duration.ofNanos(left));
		}
	}

	private boolean fetch() {
		List<TopicPartition> ready = new ArrayList<>(assignment());
		ready.removeAll(paused());
		Collections.shuffle(ready, this.simulation.random());
		int room = 1 + this.simulation.random().nextInt(this.batch);
		int fetched = 0;
		for (TopicPartition id : ready) {
			for (ConsumerRecord<byte[], byte[]> record : this.simulation.partition(id).log.tailMap(position(id))
				.values()) {
				if (fetched == room) {
					return true;
				}
				addRecord(record);
				fetched++;
			}
		}
		return fetched > 0;
	}

	private void throwIfWokenUp() {
		if (this.wokenUp) {
			this.wokenUp = false;
			throw new WakeupException();
		}
	}

	private void waitFor(CompletableFuture<?> event, Duration timeout) {
		try {
			this.simulation.time().await(event, timeout);
		}
		catch (InterruptedException ex) {
			throw new InterruptException(ex);
		}
	}

	@Override
	public synchronized void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets,
			OffsetCommitCallback callback) {
		this.simulation.requireFinished(offsets);
		if (this.committing) {
			this.simulation.violated("a commit is sent before the one before is answered");
		}
		this.committing = true;
		Answer answer = Answer.random(this.simulation);
		Map<TopicPartition, Integer> sent = assignments(offsets.keySet());
		this.simulation.time().after(untilAnswer(), () -> {
			boolean applied = answer.applied && apply(offsets, sent);
			boolean succeeded = applied && answer == Answer.OK;
			this.tasks.add(() -> {
				this.committing = false;
				callback.onComplete(offsets, succeeded ? null : new RetriableCommitFailedException("simulated"));
			});
			this.signal.complete(null);
		});
	}

	@Override
	public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
		throwIfWokenUp();
		this.simulation.requireFinished(offsets);
		Answer answer = Answer.random(this.simulation);
		Map<TopicPartition, Integer> sent = assignments(offsets.keySet());
		waitFor(new CompletableFuture<>(), untilAnswer());
		throwIfWokenUp();
		if (answer.applied) {
			apply(offsets, sent);
		}
		if (answer != Answer.OK) {
			throw new TimeoutException("simulated");
		}
	}

	private Duration untilAnswer() {
		long now = this.simulation.time().nanoTime();
		this.commitsAnsweredNanos = Math.max(now + this.simulation.delay(30).toNanos(), this.commitsAnsweredNanos);
		return Duration.ofNanos(this.commitsAnsweredNanos - now);
	}

	private Map<TopicPartition, Integer> assignments(Set<TopicPartition> ids) {
		Map<TopicPartition, Integer> assignments = new HashMap<>();
		ids.forEach((id) -> assignments.put(id, this.simulation.partition(id).assignment));
		return assignments;
	}

	/** The broker refuses a commit that was sent in an earlier generation. */
	private boolean apply(Map<TopicPartition, OffsetAndMetadata> offsets, Map<TopicPartition, Integer> sent) {
		boolean member = !this.gone
				&& offsets.keySet().stream().allMatch((id) -> this.simulation.partition(id).assigned);
		if (!member || !sent.equals(assignments(offsets.keySet()))) {
			return false;
		}
		this.simulation.committed(offsets);
		return true;
	}

	@Override
	public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
		throwIfWokenUp();
		if (this.simulation.fails(20)) {
			throw new TimeoutException("simulated");
		}
		Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
		ids.forEach((id) -> committed.put(id, this.simulation.partition(id).committed));
		return committed;
	}

	@Override
	public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> ids, Duration timeout) {
		Map<TopicPartition, Long> starts = new HashMap<>();
		ids.forEach((id) -> starts.put(id, 0L));
		return starts;
	}

	@Override
	public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> ids, Duration timeout) {
		Map<TopicPartition, Long> ends = new HashMap<>();
		ids.forEach((id) -> ends.put(id, this.simulation.partition(id).end));
		return ends;
	}

	@Override
	public void close(CloseOptions options) {
		if (this.listener != null && !assignment().isEmpty()) {
			this.listener.onPartitionsRevoked(Set.copyOf(assignment()));
		}
		this.gone = true;
		this.simulation.closed(this);
		super.close(options);
	}

	/** How the broker answers a commit. */
	private enum Answer {

		OK(true), FAILED(false),

		/** The commit is stored and its answer is lost. */
		UNKNOWN(true);

		private final boolean applied;

		Answer(boolean applied) {
			this.applied = applied;
		}

		static Answer random(DeliverySimulation simulation) {
			if (!simulation.fails(5)) {
				return OK;
			}
			return simulation.random().nextBoolean() ? FAILED : UNKNOWN;
		}

	}

}
