package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait until the topics have been read to their ends. One question to
 * Kafka is under way at a time; callers that arrive meanwhile share the next one. Not
 * thread-safe.
 */
final class CatchUp {

	private final LongSupplier nanoTime;

	/** Callers join this round until its question is sent. */
	private @Nullable Round next;

	/** The round whose question has been sent. */
	private @Nullable Round current;

	/**
	 * @param nanoTime as {@link System#nanoTime}
	 */
	CatchUp(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Joins the next question. */
	CompletableFuture<Reading> join() {
		Round round = this.next;
		if (round == null) {
			round = new Round(this.nanoTime.getAsLong());
			this.next = round;
		}
		return round.done;
	}

	/** Whether no question is under way or waiting. */
	boolean isIdle() {
		return this.next == null && this.current == null;
	}

	/**
	 * Begins the next question.
	 * @return the question; null if none is waiting or another one is under way
	 */
	@Nullable Round begin() {
		if (this.current != null) {
			return null;
		}
		this.current = this.next;
		this.next = null;
		return this.current;
	}

	/** Whether a question is under way. */
	boolean isAsking() {
		return this.current != null;
	}

	/** Whether this question is the one under way. */
	boolean isAsking(Round round) {
		return this.current == round;
	}

	/** The ends that Kafka has reported; null if it was not asked or has not answered. */
	@Nullable Map<TopicPartition, Long> ends() {
		return (this.current != null) ? this.current.ends : null;
	}

	/** Whether the question under way is older than the limit. */
	boolean takesLongerThan(Duration limit) {
		return this.current != null && this.nanoTime.getAsLong() - this.current.beginNanos > limit.toNanos();
	}

	/** Answers the callers of the question under way; the next one may begin. */
	void finish(Reading reading) {
		end(this.current, reading);
		this.current = null;
	}

	/** Answers all callers. */
	void finishAll(Reading reading) {
		finish(reading);
		end(this.next, reading);
		this.next = null;
	}

	/** Completes on another thread, because this one must go on reading orders. */
	private static void end(@Nullable Round round, Reading reading) {
		if (round != null) {
			round.done.completeAsync(() -> reading);
		}
	}

	/**
	 * One question for the ends of the topics, shared by the callers that wait for its
	 * answer.
	 */
	static final class Round {

		private final CompletableFuture<Reading> done = new CompletableFuture<>();

		private final long beginNanos;

		private @Nullable Map<TopicPartition, Long> ends;

		private Round(long beginNanos) {
			this.beginNanos = beginNanos;
		}

		/** Kafka has answered. */
		void answer(Map<TopicPartition, Long> ends) {
			this.ends = ends;
		}

	}

}
