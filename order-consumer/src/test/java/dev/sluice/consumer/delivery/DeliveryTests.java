package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static dev.sluice.consumer.TestProducer.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A delivery with a backend and a producer that answer as the test says. */
class DeliveryTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final UUID KEYED = UUID.fromString("019ab000-0000-8000-8000-000000000001");

	private static final RetryLater BUSY = new RetryLater(
			FailureReason.failed(503, "the backend answered 503: 10.0.0.7 is down"), Reach.ANSWERED);

	private static final RetryLater UNANSWERED = new RetryLater(FailureReason.failed(504, "the backend answered 504"),
			Reach.UNANSWERED);

	private static final Rejected REJECTED = new Rejected(
			FailureReason.refused(422, "the backend answered 422: no such sku"));

	private static final Saved SAVED = new Saved(null);

	private static final Instant NOW = Instant.parse("2026-11-21T10:00:01Z");

	private static final int MAX_ATTEMPTS = 3;

	private static final RecordReader READER = new RecordReader();

	private final TestProducer producer = new TestProducer();

	private final AtomicInteger calls = new AtomicInteger();

	private final AtomicReference<Boolean> finished = new AtomicReference<>();

	private final AtomicReference<Throwable> bug = new AtomicReference<>();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final PayloadHistory payloads = new PayloadHistory(10);

	/** What look-ups of the order find, in turn. */
	private final Queue<Optional<Saved>> found = new ArrayDeque<>();

	private Runnable lookUp = () -> {
	};

	private Duration maxAge = Duration.ZERO;

	private Time time = Time.SYSTEM;

	private DeliveryLimiter limiter = limiter(2);

	@Test
	void finishesWhenSaved() throws InterruptedException {
		Instant at = Instant.parse("2026-11-21T09:59:59.123456Z");

		deliver(new Saved(at));

		assertThat(this.producer.outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.at()).isEqualTo(at);
			assertThat(outcome.orderId()).isEqualTo(ID);
			assertThat(outcome.customerId()).isEqualTo("c-1");
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.attempts()).isEqualTo(1);
			assertThat(outcome.reason()).isNull();
		});
		assertThat(published("saved")).isEqualTo(1);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void laysARejectedOrderIntoTheDeadLettersBeforeItSaysSo() throws InterruptedException {
		reject(good());

		assertThat(this.calls).hasValue(1);
		assertThat(this.producer.history()).extracting(ProducerRecord::topic)
			.containsExactly(Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT, Topics.ORDER_OUTCOMES);
		ProducerRecord<byte[], byte[]> deadLetter = this.producer.deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(header(deadLetter, DeadLetterHeaders.REASON)).isEqualTo("the backend answered 422: no such sku");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.RETRYING, OrderStatus.FAILED);
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::reason)
			.as("operators get the detail")
			.containsOnly("The backend refused the order (status 422).");
		assertThat(this.producer.outcomes().getLast().order()).isEqualTo(Records.BODY);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void givesUpAnOrderThatFailsWhileOthersAreSaved() throws InterruptedException {
		another(SAVED);

		run(delivery(answering(BUSY), anotherSavedMeanwhile(), good()));

		assertThat(this.calls).hasValue(MAX_ATTEMPTS);
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.RETRYING, OrderStatus.RETRYING, OrderStatus.RETRYING, OrderStatus.FAILED);
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("exhausted");
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
		assertThat(published("retrying")).isEqualTo(3);
		assertThat(published("failed")).isEqualTo(1);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void neverGivesUpAnOrderThatIsAlone() throws InterruptedException {
		Attempt[] attempts = new Attempt[50];
		Arrays.fill(attempts, BUSY);
		attempts[49] = SAVED;

		deliver(attempts);

		assertThat(this.calls).hasValue(50);
		assertThat(this.producer.deadLetters()).isEmpty();
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::attempts)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 50).boxed().toList());
		assertThat(this.producer.outcomes().subList(0, 49)).extracting(OrderOutcome::status)
			.containsOnly(OrderStatus.RETRYING);
		assertThat(this.producer.outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
	}

	@Test
	void givesUpAnOrderThatIsTooOldWhateverTheCause() throws InterruptedException {
		this.maxAge = Duration.between(Instant.parse(Records.TIME), NOW);
		deliver(BUSY);
		assertThat(this.finished.getAndSet(null)).isTrue();
		deliver(throttled(Duration.ZERO));
		assertThat(this.finished).hasValue(true);
		this.maxAge = this.maxAge.plusNanos(1);
		deliver(BUSY, SAVED);

		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.FAILED, OrderStatus.FAILED, OrderStatus.RETRYING, OrderStatus.SAVED);
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::attempts).containsExactly(1, 1, 1, 2);
		assertThat(this.producer.deadLetters()).extracting((letter) -> header(letter, DeadLetterHeaders.KIND))
			.containsExactly("exhausted", "exhausted");
	}

	@Test
	void asksForAnOrderAfterAnAttemptWithoutAnswer() throws InterruptedException {
		Instant at = Instant.parse("2026-11-21T09:59:59Z");
		this.found.addAll(List.of(Optional.empty(), Optional.of(new Saved(at))));

		deliver(BUSY, UNANSWERED, UNANSWERED);

		assertThat(this.calls).as("the first look-up did not find it").hasValue(3);
		assertThat(this.found).isEmpty();
		assertThat(this.producer.outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
		assertThat(this.producer.outcomes().getLast().attempts()).isEqualTo(3);
		assertThat(this.producer.outcomes().getLast().at()).isEqualTo(at);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 1 })
	void sendsAgainWhatTheBackendHadBeforeItsFirstAttempt(int seconds) throws InterruptedException {
		this.found.add(Optional.of(new Saved(NOW.plusSeconds(seconds))));

		run(delivery(answering(UNANSWERED), Records.order(KEYED).at(7)));

		assertThat(this.calls).hasValue((seconds < 0) ? MAX_ATTEMPTS : 2);
		assertThat(this.producer.outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asksForAnOrderBeforeItGivesItUp(boolean saved) throws InterruptedException {
		this.maxAge = Duration.ofNanos(1);
		this.found.add(saved ? Optional.of(SAVED) : Optional.empty());

		deliver(UNANSWERED);

		assertThat(this.calls).hasValue(1);
		assertThat(this.found).isEmpty();
		assertThat(this.producer.outcomes()).singleElement()
			.extracting(OrderOutcome::status)
			.isEqualTo(saved ? OrderStatus.SAVED : OrderStatus.FAILED);
		assertThat(this.producer.deadLetters()).hasSize(saved ? 0 : 1);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void burnsNoAttemptWhenThrottled() throws InterruptedException {
		this.limiter = limiter(4);
		another(SAVED);
		Throttled throttled = throttled(Duration.ZERO);

		run(delivery(answering(throttled, throttled, throttled, throttled, throttled, SAVED), anotherSavedMeanwhile(),
				good()));

		assertThat(this.producer.outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.attempts()).isEqualTo(1);
		});
		assertThat(this.producer.deadLetters()).isEmpty();
		assertThat(this.limiter.isOpen()).isFalse();
		assertThat(this.registry.get("sluice.delivery.duration").tag("outcome", "throttled").timer().count())
			.isEqualTo(5);
	}

	/** The outcome of the order that the backend has may be lost. */
	@Test
	void buriesAConflictAndPublishesThatTheBackendHasTheOther() throws InterruptedException {
		deliver(new Conflict(FailureReason.otherPayload("the backend answered 422: key reused")));

		assertThat(this.producer.outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.fingerprint()).isNull();
			assertThat(outcome.conflict()).isEqualTo(Fingerprint.ofJson(good().value()).hex());
		});
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("conflict");
		assertThat(header(this.producer.deadLetters().getFirst(), DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(this.registry.get("sluice.dead.letters").tag("kind", "conflict").counter().count()).isEqualTo(1);
		assertThat(published("saved")).isZero();
		assertThat(this.finished).hasValue(true);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void neverDeliversAnotherPayloadThanTheFirst(boolean saved) throws InterruptedException {
		ConsumerRecord<byte[], byte[]> first = Records.order(KEYED).at(7);
		if (saved) {
			run(delivery(answering(SAVED), first));
		}
		else {
			reject(first);
		}
		this.finished.set(null);
		run(delivery(answering(SAVED), Records.order(KEYED).value("{\"other\":1}").at(8)));
		assertThat(this.finished).hasValue(true);
		run(delivery(answering(SAVED), Records.order(KEYED).at(9)));

		assertThat(this.calls).hasValue(2);
		assertThat(this.producer.outcomes()).filteredOn((outcome) -> outcome.status() != OrderStatus.RETRYING)
			.allSatisfy(
					(outcome) -> assertThat(outcome.fingerprint()).isEqualTo(Fingerprint.ofJson(first.value()).hex()))
			.extracting(OrderOutcome::status)
			.containsExactly(saved ? OrderStatus.SAVED : OrderStatus.FAILED, OrderStatus.SAVED);
		assertThat(this.producer.deadLetters())
			.filteredOn((letter) -> header(letter, DeadLetterHeaders.KIND).equals("conflict"))
			.singleElement()
			.satisfies((letter) -> {
				assertThat(new String(letter.value())).isEqualTo("{\"other\":1}");
				assertThat(header(letter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
			});
	}

	@Test
	void tellsOfABugAndHoldsNoPlace() throws InterruptedException {
		IllegalStateException failure = new IllegalStateException("a bug");

		run(delivery((order) -> {
			throw failure;
		}, good()));

		assertThat(this.finished).hasValue(false);
		assertThat(this.bug).hasValue(failure);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void keepsNoMoreThanAnOrderOfWhatWasRejected() throws InterruptedException {
		String longest = "{}" + " ".repeat(Order.MAX_BYTES - 2);

		reject(Records.order(ID).value(longest).at(7));
		reject(Records.order(ID).value(longest + " ").at(8));

		assertThat(this.producer.outcomes()).filteredOn((outcome) -> outcome.status() == OrderStatus.FAILED)
			.extracting(OrderOutcome::order)
			.containsExactly(longest, null);
		assertThat(this.producer.deadLetters()).hasSize(2);
	}

	@Test
	void laysAnUnreadableRecordIntoTheDeadLetters() throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).value("no JSON").at(7)));

		assertThat(this.calls).hasValue(0);
		ProducerRecord<byte[], byte[]> deadLetter = this.producer.deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("unreadable");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
		assertThat(header(deadLetter, DeadLetterHeaders.STACK)).contains("IllegalArgumentException", "RecordReader");
		assertThat(this.producer.outcomes()).singleElement()
			.extracting(OrderOutcome::status)
			.isEqualTo(OrderStatus.FAILED);
		assertThat(this.producer.outcomes().getFirst().order()).isNull();
		// Otherwise the projection could not tell it from an outcome before the
		// acceptance.
		assertThat(this.producer.outcomes().getFirst().acceptedAt()).isNotNull();
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void publishesAgainInsteadOfDeliveringAgain() throws InterruptedException {
		this.producer.failures.add(new TimeoutException("no acknowledgement"));
		this.producer.refuses = (_) -> {
			assertThat(this.finished).as("before Kafka acknowledges").hasValue(null);
			return this.producer.failures.poll();
		};

		deliver(SAVED);

		assertThat(this.finished).hasValue(true);
		assertThat(this.calls).hasValue(1);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "c-2",
			// Its outcome would be larger than its topic takes.
			"c-34567890123456789012345678901234567890123456789012345678901234567890" })
	void namesTheCustomerOfAnUnreadableRecordIfItIsKnown(@Nullable String key) throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).key(key).value("no JSON").at(7)));

		assertThat(this.producer.outcomes()).singleElement()
			.extracting(OrderOutcome::customerId)
			.isEqualTo("c-2".equals(key) ? "c-2" : "unknown");
	}

	/** A bug would end the delivery of all orders, again after each restart. */
	@ParameterizedTest
	@ValueSource(strings = { "-1000000000-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "2500-01-01T00:00:00Z",
			"+1000000000-12-31T23:59:59Z" })
	@ExtendWith(OutputCaptureExtension.class)
	void finishesARecordWithAnOddTime(String time, CapturedOutput output) throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).header(OrderHeaders.TIME, time).at(7)));

		assertThat(this.bug).hasNullValue();
		assertThat(this.producer.outcomes()).hasSize(1);
		assertThat(this.finished).hasValue(true);
		assertThat(output).as("the gateway's clock may be ahead").doesNotContain("negative");
	}

	@Test
	void saysNothingOfAnUnreadableRecordWithoutId() throws InterruptedException {
		run(delivery(answering(SAVED), Records.order(ID).header(OrderHeaders.ID, null).at(7)));

		assertThat(this.producer.deadLetters()).hasSize(1);
		assertThat(this.producer.outcomes()).isEmpty();
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void endsUnfinishedWhenCancelledInTheQueue() throws InterruptedException {
		for (int i = 0; i < this.limiter.limit(); i++) {
			this.limiter.acquire();
		}
		Delivery delivery = delivery(answering(SAVED), good());
		delivery.start();

		cancel(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(0);
		assertThat(this.limiter.inFlight()).isEqualTo(this.limiter.limit());
	}

	@Test
	void endsUnfinishedWhenCancelledInALookUp() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		this.lookUp = () -> {
			asked.countDown();
			LockSupport.park();
		};
		this.found.add(Optional.of(SAVED));
		Delivery delivery = delivery(answering(UNANSWERED), good());
		delivery.start();
		asked.await();

		cancel(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
	}

	/** It ends its attempt, and must not wait for another one, unless it is abandoned. */
	@ParameterizedTest
	@MethodSource
	void beginsNothingMoreWhenCancelledInAnAttempt(Attempt attempt, List<OrderStatus> published, boolean abandoned)
			throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		Delivery delivery = delivery(held(begun, proceed, attempt),
				new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1), good());
		delivery.start();
		begun.await();

		delivery.cancel();
		assertThat(delivery.awaitEnd(Duration.ZERO)).isFalse();
		if (abandoned) {
			delivery.abandon();
		}
		else {
			proceed.countDown();
		}

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(published.contains(OrderStatus.SAVED));
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
		assertThat(this.producer.outcomes()).extracting(OrderOutcome::status).containsExactlyElementsOf(published);
	}

	static Stream<Arguments> beginsNothingMoreWhenCancelledInAnAttempt() {
		return Stream.of(arguments(SAVED, List.of(OrderStatus.SAVED), false),
				arguments(BUSY, List.of(OrderStatus.RETRYING), false),
				arguments(throttled(Duration.ofHours(1)), List.of(), false),
				arguments(SAVED, List.of(OrderStatus.RETRYING), true));
	}

	/** Kafka accepts nothing, so a delivery would retry forever. */
	@ParameterizedTest
	@ValueSource(strings = { "saved", "conflict", "unreadable" })
	void stopsPublishingWhenCancelled(String kind) throws InterruptedException {
		CountDownLatch sends = new CountDownLatch(2);
		this.producer.refuses = (_) -> {
			sends.countDown();
			return new TimeoutException("no acknowledgement");
		};
		Attempt attempt = kind.equals("conflict") ? new Conflict(FailureReason.otherPayload("422")) : SAVED;
		Delivery delivery = delivery(answering(attempt),
				Records.order(ID).value(kind.equals("unreadable") ? "no JSON" : "{}").at(7));
		delivery.start();
		sends.await();

		cancel(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(published("saved") + published("failed")).isZero();
	}

	private static void cancel(Delivery delivery) throws InterruptedException {
		delivery.cancel();
		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
	}

	@Test
	void aRecordWhosePredecessorWasGivenUpIsGivenUpToo() throws InterruptedException {
		KeySequencer sequencer = new KeySequencer();
		byte[] key = { 1 };
		KeySequencer.Ticket before = sequencer.ticket(key);
		Delivery delivery = new Delivery(good(), sequencer.ticket(key), context(backend(answering(SAVED)), noWait()),
				(finished, bug) -> this.finished.set(finished));
		KeySequencer.Ticket after = sequencer.ticket(key);

		before.release(false);
		run(delivery);

		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(0);
		assertThat(after.await()).isFalse();
	}

	@Test
	void waitsLongerAfterEachFailureInARowAndEachThrottlingInARow() throws InterruptedException {
		List<Duration> waits = new ArrayList<>();
		this.time = new Time() {

			@Override
			public void sleep(Duration duration) {
				waits.add(duration);
			}

		};
		Throttled throttled = throttled(Duration.ofSeconds(10));
		Throttled forEver = throttled(Duration.ofSeconds(Long.MAX_VALUE));

		run(delivery(answering(throttled, throttled, BUSY, BUSY, throttled, forEver, SAVED),
				new Backoff(Duration.ofSeconds(1), Duration.ofHours(1), () -> 1), good()));

		assertThat(waits).extracting(Duration::toSeconds).containsExactly(11L, 12L, 1L, 2L, 11L, 3_600L + 2L);
	}

	@Test
	void timesAttemptsAndTheWayFromAcceptToSaved() throws InterruptedException {
		AtomicLong nanos = new AtomicLong();
		this.time = new SetTime(nanos);
		this.limiter = new DeliveryLimiter(2, health(), this.time);
		nanos.set(Duration.ofSeconds(5).toNanos());

		run(delivery((order) -> {
			nanos.addAndGet(Duration.ofSeconds(2).toNanos());
			return SAVED;
		}, good()));
		Timer acceptToSaved = this.registry.get("sluice.accept.to.saved").timer();
		assertThat(acceptToSaved.count()).isEqualTo(1);
		deliver(REJECTED);

		assertThat(duration("saved").count()).isEqualTo(1);
		assertThat(duration("saved").totalTime(TimeUnit.NANOSECONDS)).isEqualTo(2e9);
		assertThat(duration("rejected").count()).isEqualTo(MAX_ATTEMPTS);
		assertThat(acceptToSaved.count()).isEqualTo(1);
		assertThat(acceptToSaved.totalTime(TimeUnit.NANOSECONDS))
			.isEqualTo(Duration.between(Instant.parse(Records.TIME), NOW).toNanos());
	}

	@Test
	void holdsNoPlaceWhileItBacksOff() throws InterruptedException {
		this.limiter = limiter(1);
		CountDownLatch failed = new CountDownLatch(1);
		Delivery.Context slow = context((order) -> {
			failed.countDown();
			return BUSY;
		}, new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1));
		Delivery waiting = new Delivery(good(), noTicket(), slow, (finished, bug) -> {
		});
		waiting.start();
		failed.await();

		deliver(SAVED);

		assertThat(this.finished).hasValue(true);
		waiting.cancel();
		assertThat(waiting.awaitEnd(Duration.ofSeconds(10))).isTrue();
	}

	private void deliver(Attempt... answers) throws InterruptedException {
		run(delivery(answering(answers), good()));
	}

	/** Delivers an order that the backend rejects while it saves others. */
	private void reject(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
		another(SAVED);
		run(delivery(answering(REJECTED), anotherSavedMeanwhile(), record));
	}

	private void run(Delivery delivery) throws InterruptedException {
		delivery.start();
		assertThat(delivery.awaitEnd(Duration.ofSeconds(20))).isTrue();
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, ConsumerRecord<byte[], byte[]> record) {
		return delivery(backend, noWait(), record);
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, Backoff backoff,
			ConsumerRecord<byte[], byte[]> record) {
		return new Delivery(record, noTicket(), context(backend(backend), backoff), (finished, bug) -> {
			this.finished.set(finished);
			this.bug.set(bug);
		});
	}

	private Delivery.Context context(Backend backend, Backoff backoff) {
		return context(backend, this.limiter, new RetryPolicy(backoff, MAX_ATTEMPTS, Duration.ofHours(1), this.maxAge),
				this.payloads, this.producer, this.registry, Thread.ofVirtual().factory(), this.time,
				InstantSource.fixed(NOW));
	}

	static Delivery.Context context(Backend backend, DeliveryLimiter limiter, RetryPolicy retries,
			PayloadHistory payloads, Producer<byte[], byte[]> producer, MeterRegistry registry, ThreadFactory threads,
			Time time, InstantSource clock) {
		ReliablePublisher publisher = new ReliablePublisher(() -> producer, retries.backoff(), time);
		return new Delivery.Context(READER, payloads, limiter, backend, retries,
				new OutcomePublisher(publisher, JsonMapper.shared(), registry), new DeadLetters(publisher, registry),
				new DeliveryTimers(registry), threads, time, clock);
	}

	private Backend backend(Function<QueuedOrder, Attempt> delivery) {
		return new Backend() {

			@Override
			public Attempt deliver(QueuedOrder order) {
				return delivery.apply(order);
			}

			@Override
			public @Nullable Saved find(UUID id) {
				assertThat(id).isIn(ID, KEYED);
				assertThat(DeliveryTests.this.limiter.inFlight()).isEqualTo(1);
				DeliveryTests.this.lookUp.run();
				return DeliveryTests.this.found.remove().orElse(null);
			}

		};
	}

	/** A back-off during which the backend saves another order. */
	private Backoff anotherSavedMeanwhile() {
		return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> {
			another(SAVED);
			return 0;
		});
	}

	/** Makes an attempt of another order, with this result. */
	private void another(Attempt attempt) {
		try {
			this.limiter.release(attempt, this.limiter.acquire());
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Throttled throttled(Duration retryAfter) {
		return new Throttled(FailureReason.throttled("the backend answered 429"), retryAfter);
	}

	/** A backend that answers with these in turn, and then always with the last. */
	private Function<QueuedOrder, Attempt> answering(Attempt... attempts) {
		Queue<Attempt> left = new ArrayDeque<>(List.of(attempts));
		return (order) -> {
			this.calls.incrementAndGet();
			return (left.size() > 1) ? left.remove() : left.element();
		};
	}

	/** A backend that answers when it may proceed, and fails when it is interrupted. */
	private Function<QueuedOrder, Attempt> held(CountDownLatch begun, CountDownLatch proceed, Attempt attempt) {
		return (_) -> {
			this.calls.incrementAndGet();
			begun.countDown();
			try {
				proceed.await();
				return attempt;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return BUSY;
			}
		};
	}

	private static ConsumerRecord<byte[], byte[]> good() {
		return Records.order(ID).at(7);
	}

	static KeySequencer.Ticket noTicket() {
		return new KeySequencer().ticket(null);
	}

	static Backoff noWait() {
		return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0);
	}

	/** A limiter that accepts any pause between two saves as evidence. */
	static DeliveryLimiter limiter(int limit) {
		return new DeliveryLimiter(limit, health(), Time.SYSTEM);
	}

	private static BackendHealth health() {
		return new BackendHealth(circuit(), Duration.ofHours(1), System::nanoTime);
	}

	private static BackendProperties.Circuit circuit() {
		return new BackendProperties.Circuit(Duration.ofMinutes(1), Duration.ofMillis(1));
	}

	private double published(String status) {
		return this.registry.get("sluice.delivery.outcomes").tag("outcome", status).counter().count();
	}

	private Timer duration(String outcome) {
		return this.registry.get("sluice.delivery.duration").tag("outcome", outcome).timer();
	}

}
