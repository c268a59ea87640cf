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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
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
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A delivery with a backend and a producer that answer as the test says. */
class DeliveryTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final RetryLater BUSY = new RetryLater(
			FailureReason.failed(503, "the backend answered 503: 10.0.0.7 is down"), Reach.ANSWERED);

	private static final RetryLater UNANSWERED = new RetryLater(FailureReason.failed(504, "the backend answered 504"),
			Reach.UNANSWERED);

	private static final Rejected REJECTED = new Rejected(
			FailureReason.refused(422, "the backend answered 422: no such sku"));

	private static final Saved SAVED = new Saved(null);

	private static final Instant NOW = Instant.parse("2026-11-21T10:00:01Z");

	private static final int MAX_ATTEMPTS = 3;

	private final MockProducer<byte[], byte[]> producer = new MockProducer<>(true, null, new ByteArraySerializer(),
			new ByteArraySerializer());

	private final JsonMapper json = JsonMapper.builder().build();

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
	void finishesWhenSaved() {
		Instant at = Instant.parse("2026-11-21T09:59:59.123456Z");

		deliver(answering(new Saved(at)));

		assertThat(outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.at()).isEqualTo(at);
			assertThat(outcome.orderId()).isEqualTo(ID);
			assertThat(outcome.customerId()).isEqualTo("c-1");
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.attempts()).isEqualTo(1);
			assertThat(outcome.reason()).isNull();
		});
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void laysARejectedOrderIntoTheDeadLettersBeforeItSaysSo() throws InterruptedException {
		reject(good());

		assertThat(this.calls).hasValue(1);
		assertThat(this.producer.history()).extracting(ProducerRecord::topic)
			.containsExactly(Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT, Topics.ORDER_OUTCOMES);
		ProducerRecord<byte[], byte[]> deadLetter = deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(header(deadLetter, DeadLetterHeaders.REASON)).isEqualTo("the backend answered 422: no such sku");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.RETRYING, OrderStatus.FAILED);
		assertThat(outcomes()).extracting(OrderOutcome::reason)
			.as("operators get the detail")
			.containsOnly("The backend refused the order (status 422).");
		assertThat(outcomes().getLast().order()).isEqualTo(Records.BODY);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void givesUpAnOrderThatFailsWhileOthersAreSaved() throws InterruptedException {
		another(SAVED);

		run(delivery(answering(BUSY), this.producer, anotherSavedMeanwhile(), good()));

		assertThat(this.calls).hasValue(MAX_ATTEMPTS);
		assertThat(outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.RETRYING, OrderStatus.RETRYING, OrderStatus.RETRYING, OrderStatus.FAILED);
		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("exhausted");
		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void neverGivesUpAnOrderThatIsAlone() {
		Attempt[] attempts = new Attempt[50];
		Arrays.fill(attempts, BUSY);
		attempts[49] = SAVED;

		deliver(answering(attempts));

		assertThat(this.calls).hasValue(50);
		assertThat(deadLetters()).isEmpty();
		assertThat(outcomes()).extracting(OrderOutcome::attempts)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 50).boxed().toList());
		assertThat(outcomes().subList(0, 49)).extracting(OrderOutcome::status).containsOnly(OrderStatus.RETRYING);
		assertThat(outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
	}

	@Test
	void givesUpAnOrderThatIsTooOldWhateverTheCause() throws InterruptedException {
		this.maxAge = Duration.between(Instant.parse(Records.TIME), NOW);
		run(delivery(answering(BUSY), this.producer, good()));
		assertThat(this.finished.getAndSet(null)).isTrue();
		run(delivery(answering(throttled(Duration.ZERO)), this.producer, good()));
		assertThat(this.finished).hasValue(true);
		this.maxAge = this.maxAge.plusNanos(1);
		run(delivery(answering(BUSY, SAVED), this.producer, good()));

		assertThat(outcomes()).extracting(OrderOutcome::status)
			.containsExactly(OrderStatus.FAILED, OrderStatus.FAILED, OrderStatus.RETRYING, OrderStatus.SAVED);
		assertThat(outcomes()).extracting(OrderOutcome::attempts).containsExactly(1, 1, 1, 2);
		assertThat(deadLetters()).extracting((letter) -> header(letter, DeadLetterHeaders.KIND))
			.containsExactly("exhausted", "exhausted");
	}

	@Test
	void retriesARejectionWhileNothingElseIsSaved() throws InterruptedException {
		another(BUSY);
		run(delivery(answering(REJECTED, REJECTED, REJECTED, REJECTED, SAVED), this.producer, anotherFailsMeanwhile(),
				good()));

		assertThat(this.calls).hasValue(5);
		assertThat(deadLetters()).isEmpty();
		assertThat(outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
	}

	@Test
	void givesUpARejectedOrderThatIsAloneAfterItsAttempts() {
		deliver(answering(REJECTED));

		assertThat(this.calls).hasValue(MAX_ATTEMPTS);
		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(outcomes().getLast().status()).isEqualTo(OrderStatus.FAILED);
	}

	@Test
	void asksForAnOrderAfterAnAttemptWithoutAnswer() throws InterruptedException {
		Instant at = Instant.parse("2026-11-21T09:59:59Z");
		this.found.addAll(List.of(Optional.empty(), Optional.of(new Saved(at))));

		run(delivery(answering(BUSY, UNANSWERED, UNANSWERED), this.producer, good()));

		assertThat(this.calls).as("the first look-up did not find it").hasValue(3);
		assertThat(this.found).isEmpty();
		assertThat(outcomes().getLast().status()).isEqualTo(OrderStatus.SAVED);
		assertThat(outcomes().getLast().attempts()).isEqualTo(3);
		assertThat(outcomes().getLast().at()).isEqualTo(at);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asksForAnOrderBeforeItGivesItUp(boolean saved) throws InterruptedException {
		this.maxAge = Duration.ofNanos(1);
		this.found.add(saved ? Optional.of(SAVED) : Optional.empty());

		run(delivery(answering(UNANSWERED), this.producer, good()));

		assertThat(this.calls).hasValue(1);
		assertThat(this.found).isEmpty();
		assertThat(outcomes()).singleElement()
			.extracting(OrderOutcome::status)
			.isEqualTo(saved ? OrderStatus.SAVED : OrderStatus.FAILED);
		assertThat(deadLetters()).hasSize(saved ? 0 : 1);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void endsUnfinishedWhenCancelledInALookUp() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		this.lookUp = () -> {
			asked.countDown();
			LockSupport.park();
		};
		this.found.add(Optional.of(SAVED));
		Delivery delivery = delivery(answering(UNANSWERED), this.producer, good());
		delivery.start();
		asked.await();

		delivery.cancel();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void burnsNoAttemptWhenThrottled() throws InterruptedException {
		this.limiter = limiter(4);
		another(SAVED);
		Throttled throttled = throttled(Duration.ZERO);

		run(delivery(answering(throttled, throttled, throttled, throttled, throttled, SAVED), this.producer,
				anotherSavedMeanwhile(), good()));

		assertThat(outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.attempts()).isEqualTo(1);
		});
		assertThat(deadLetters()).isEmpty();
		assertThat(this.limiter.isOpen()).isFalse();
		assertThat(this.registry.get("sluice.delivery.duration").tag("outcome", "throttled").timer().count())
			.isEqualTo(5);
	}

	@Test
	void waitsAsLongAsTheBackendAsks() throws InterruptedException {
		CountDownLatch throttled = new CountDownLatch(1);
		Delivery delivery = delivery((order) -> {
			throttled.countDown();
			return throttled(Duration.ofHours(1));
		}, this.producer, good());
		delivery.start();
		throttled.await();

		await().until(() -> this.limiter.inFlight() == 0);
		delivery.cancel();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(false);
		assertThat(this.producer.history()).isEmpty();
	}

	/** The outcome of the order that the backend has may be lost. */
	@Test
	void buriesAConflictAndPublishesThatTheBackendHasTheOther() {
		deliver(answering(new Conflict(FailureReason.otherPayload("the backend answered 422: key reused"))));

		assertThat(outcomes()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.status()).isEqualTo(OrderStatus.SAVED);
			assertThat(outcome.fingerprint()).isNull();
			assertThat(outcome.conflict()).isEqualTo(Fingerprint.ofJson(good().value()).hex());
		});
		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("conflict");
		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
		assertThat(this.registry.get("sluice.dead.letters").tag("kind", "conflict").counter().count()).isEqualTo(1);
		assertThat(this.finished).hasValue(true);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void neverDeliversAnotherPayloadThanTheFirst(boolean saved) throws InterruptedException {
		UUID keyed = UUID.fromString("019ab000-0000-8000-8000-000000000001");
		ConsumerRecord<byte[], byte[]> first = Records.order(keyed).at(7);
		if (saved) {
			run(delivery(answering(SAVED), this.producer, first));
		}
		else {
			reject(first);
		}
		this.finished.set(null);
		run(delivery(answering(SAVED), this.producer, Records.order(keyed).value("{\"other\":1}").at(8)));
		assertThat(this.finished).hasValue(true);
		run(delivery(answering(SAVED), this.producer, Records.order(keyed).at(9)));

		assertThat(this.calls).hasValue(2);
		assertThat(outcomes()).filteredOn((outcome) -> outcome.status() != OrderStatus.RETRYING)
			.allSatisfy(
					(outcome) -> assertThat(outcome.fingerprint()).isEqualTo(Fingerprint.ofJson(first.value()).hex()))
			.extracting(OrderOutcome::status)
			.containsExactly(saved ? OrderStatus.SAVED : OrderStatus.FAILED, OrderStatus.SAVED);
		assertThat(deadLetters()).filteredOn((letter) -> header(letter, DeadLetterHeaders.KIND).equals("conflict"))
			.singleElement()
			.satisfies((letter) -> {
				assertThat(new String(letter.value())).isEqualTo("{\"other\":1}");
				assertThat(header(letter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
			});
	}

	@Test
	void tellsOfABugAndHoldsNoPlace() {
		IllegalStateException failure = new IllegalStateException("a bug");

		deliver((order) -> {
			throw failure;
		});

		assertThat(this.finished).hasValue(false);
		assertThat(this.bug).hasValue(failure);
		assertThat(this.limiter.inFlight()).isZero();
	}

	@Test
	void publishesAgainInsteadOfDeliveringAgain() {
		AtomicInteger failures = new AtomicInteger(2);
		MockProducer<byte[], byte[]> failing = new MockProducer<>(false, null, new ByteArraySerializer(),
				new ByteArraySerializer());

		Delivery delivery = delivery(answering(SAVED), failing, good());
		delivery.start();
		await().until(() -> {
			if (failures.get() > 0) {
				if (failing.errorNext(new TimeoutException("no acknowledgement"))) {
					failures.decrementAndGet();
				}
				return false;
			}
			assertThat(this.finished).as("before Kafka acknowledges").hasValue(null);
			return failing.completeNext();
		});
		await().until(() -> this.finished.get() != null);

		assertThat(this.finished).hasValue(true);
		assertThat(this.calls).hasValue(1);
		assertThat(failing.history()).hasSize(3);
	}

	@Test
	void keepsNoMoreThanAnOrderOfWhatWasRejected() throws InterruptedException {
		String longest = "{}" + " ".repeat(Order.MAX_BYTES - 2);

		reject(Records.order(ID).value(longest).at(7));
		reject(Records.order(ID).value(longest + " ").at(8));

		assertThat(outcomes()).filteredOn((outcome) -> outcome.status() == OrderStatus.FAILED)
			.extracting(OrderOutcome::order)
			.containsExactly(longest, null);
		assertThat(deadLetters()).hasSize(2);
	}

	@Test
	void laysAnUnreadableRecordIntoTheDeadLetters() throws InterruptedException {
		run(delivery(answering(SAVED), this.producer, Records.order(ID).value("no JSON").at(7)));

		assertThat(this.calls).hasValue(0);
		ProducerRecord<byte[], byte[]> deadLetter = deadLetters().getFirst();
		assertThat(header(deadLetter, DeadLetterHeaders.KIND)).isEqualTo("unreadable");
		assertThat(header(deadLetter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
		assertThat(header(deadLetter, DeadLetterHeaders.STACK)).contains("IllegalArgumentException", "RecordReader");
		assertThat(outcomes()).singleElement().extracting(OrderOutcome::status).isEqualTo(OrderStatus.FAILED);
		assertThat(outcomes().getFirst().order()).isNull();
		// Otherwise the projection could not tell it from an outcome before the
		// acceptance.
		assertThat(outcomes().getFirst().acceptedAt()).isNotNull();
		assertThat(this.finished).hasValue(true);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "c-2" })
	void namesTheCustomerOfAnUnreadableRecordIfItIsKnown(@Nullable String key) throws InterruptedException {
		run(delivery(answering(SAVED), this.producer, Records.order(ID).key(key).value("no JSON").at(7)));

		assertThat(outcomes()).singleElement()
			.extracting(OrderOutcome::customerId)
			.isEqualTo("c-2".equals(key) ? "c-2" : "unknown");
	}

	/** Its outcome would be larger than its topic takes. */
	@Test
	void doesNotTakeALongKeyForACustomer() throws InterruptedException {
		run(delivery(answering(SAVED), this.producer, Records.order(ID).key("c".repeat(65)).at(7)));

		assertThat(header(deadLetters().getFirst(), DeadLetterHeaders.KIND)).isEqualTo("unreadable");
		assertThat(outcomes()).singleElement().extracting(OrderOutcome::customerId).isEqualTo("unknown");
		assertThat(this.finished).hasValue(true);
	}

	/** A bug would end the delivery of all orders, again after each restart. */
	@ParameterizedTest
	@ValueSource(strings = { "-1000000000-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "2500-01-01T00:00:00Z",
			"+1000000000-12-31T23:59:59Z" })
	void finishesARecordWithAnOddTime(String time) throws InterruptedException {
		run(delivery(answering(SAVED), this.producer, Records.order(ID).header(OrderHeaders.TIME, time).at(7)));

		assertThat(this.bug).hasNullValue();
		assertThat(outcomes()).hasSize(1);
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void saysNothingOfAnUnreadableRecordWithoutId() throws InterruptedException {
		run(delivery(answering(SAVED), this.producer, Records.order(ID).header(OrderHeaders.ID, null).at(7)));

		assertThat(deadLetters()).hasSize(1);
		assertThat(outcomes()).isEmpty();
		assertThat(this.finished).hasValue(true);
	}

	@Test
	void endsUnfinishedWhenCancelledInTheQueue() throws InterruptedException {
		for (int i = 0; i < this.limiter.limit(); i++) {
			this.limiter.acquire();
		}
		Delivery delivery = delivery(answering(SAVED), this.producer, good());
		delivery.start();

		delivery.cancel();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(false);
		assertThat(this.calls).hasValue(0);
		assertThat(this.limiter.inFlight()).isEqualTo(this.limiter.limit());
	}

	/** It ends its attempt, and must not wait for another one. */
	@ParameterizedTest
	@MethodSource
	void beginsNothingMoreWhenCancelledInAnAttempt(Attempt attempt, List<OrderStatus> published)
			throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		Delivery delivery = delivery(held(begun, proceed, attempt), this.producer,
				new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1), good());
		delivery.start();
		begun.await();

		delivery.cancel();
		assertThat(delivery.awaitEnd(Duration.ZERO)).isFalse();
		proceed.countDown();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(attempt == SAVED);
		assertThat(this.calls).hasValue(1);
		assertThat(this.limiter.inFlight()).isZero();
		assertThat(outcomes()).extracting(OrderOutcome::status).containsExactlyElementsOf(published);
	}

	static Stream<Arguments> beginsNothingMoreWhenCancelledInAnAttempt() {
		return Stream.of(arguments(SAVED, List.of(OrderStatus.SAVED)), arguments(BUSY, List.of(OrderStatus.RETRYING)),
				arguments(throttled(Duration.ofHours(1)), List.of()));
	}

	@Test
	void endsAtOnceWhenAbandoned() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		Delivery delivery = delivery(held(begun, new CountDownLatch(1), SAVED), this.producer, good());
		delivery.start();
		begun.await();

		delivery.abandon();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(false);
	}

	/** Kafka accepts nothing, so a delivery would retry forever. */
	@ParameterizedTest
	@ValueSource(strings = { "saved", "conflict", "unreadable" })
	void stopsPublishingWhenCancelled(String kind) throws InterruptedException {
		AtomicInteger sends = new AtomicInteger();
		MockProducer<byte[], byte[]> failing = new MockProducer<>(true, null, new ByteArraySerializer(),
				new ByteArraySerializer()) {

			@Override
			public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
				sends.incrementAndGet();
				TimeoutException failure = new TimeoutException("no acknowledgement");
				return CompletableFuture.failedFuture(failure);
			}

		};
		Attempt attempt = kind.equals("conflict") ? new Conflict(FailureReason.otherPayload("422")) : SAVED;
		Delivery delivery = delivery(answering(attempt), failing,
				Records.order(ID).value(kind.equals("unreadable") ? "no JSON" : "{}").at(7));
		delivery.start();
		await().until(() -> sends.get() > 1);

		delivery.cancel();

		assertThat(delivery.awaitEnd(Duration.ofSeconds(10))).isTrue();
		assertThat(this.finished).hasValue(false);
	}

	@Test
	void aRecordWhosePredecessorWasGivenUpIsGivenUpToo() throws InterruptedException {
		KeySequencer sequencer = new KeySequencer();
		byte[] key = { 1 };
		KeySequencer.Ticket before = sequencer.ticket(key);
		Delivery delivery = new Delivery(good(), sequencer.ticket(key),
				context(backend(answering(SAVED)), this.producer, noWait()),
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

		run(delivery(answering(throttled, throttled, BUSY, BUSY, throttled, forEver, SAVED), this.producer,
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
		}, this.producer, good()));
		Timer acceptToSaved = this.registry.get("sluice.accept.to.saved").timer();
		assertThat(acceptToSaved.count()).isEqualTo(1);
		run(delivery(answering(REJECTED), this.producer, good()));

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
		}, this.producer, new Backoff(Duration.ofHours(1), Duration.ofHours(1), () -> 1));
		Delivery waiting = new Delivery(good(), noTicket(), slow, (finished, bug) -> {
		});
		waiting.start();
		failed.await();

		run(delivery(answering(SAVED), this.producer, good()));

		assertThat(this.finished).hasValue(true);
		waiting.cancel();
		assertThat(waiting.awaitEnd(Duration.ofSeconds(10))).isTrue();
	}

	private void deliver(Function<QueuedOrder, Attempt> backend) {
		try {
			run(delivery(backend, this.producer, good()));
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Delivers an order that the backend rejects while it saves others. */
	private void reject(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
		another(SAVED);
		run(delivery(answering(REJECTED), this.producer, anotherSavedMeanwhile(), record));
	}

	private void run(Delivery delivery) throws InterruptedException {
		delivery.start();
		assertThat(delivery.awaitEnd(Duration.ofSeconds(20))).isTrue();
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, MockProducer<byte[], byte[]> producer,
			ConsumerRecord<byte[], byte[]> record) {
		return delivery(backend, producer, noWait(), record);
	}

	private Delivery delivery(Function<QueuedOrder, Attempt> backend, MockProducer<byte[], byte[]> producer,
			Backoff backoff, ConsumerRecord<byte[], byte[]> record) {
		return new Delivery(record, noTicket(), context(backend(backend), producer, backoff), (finished, bug) -> {
			this.finished.set(finished);
			this.bug.set(bug);
		});
	}

	private Delivery.Context context(Backend backend, MockProducer<byte[], byte[]> producer, Backoff backoff) {
		ReliablePublisher publisher = new ReliablePublisher(() -> producer, noWait(), this.time);
		return new Delivery.Context(new RecordReader(), this.payloads, this.limiter, backend,
				new RetryPolicy(backoff, MAX_ATTEMPTS, Duration.ofHours(1), this.maxAge),
				new OutcomePublisher(publisher, this.json, this.registry), new DeadLetters(publisher, this.registry),
				new DeliveryTimers(this.registry), Thread.ofVirtual().factory(), this.time, InstantSource.fixed(NOW));
	}

	private Backend backend(Function<QueuedOrder, Attempt> delivery) {
		return new Backend() {

			@Override
			public Attempt deliver(QueuedOrder order) {
				return delivery.apply(order);
			}

			@Override
			public @Nullable Saved find(UUID id) {
				assertThat(id).isEqualTo(ID);
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

	/** A back-off during which the backend fails at another order. */
	private Backoff anotherFailsMeanwhile() {
		return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> {
			another(BUSY);
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

	private Timer duration(String outcome) {
		return this.registry.get("sluice.delivery.duration").tag("outcome", outcome).timer();
	}

	private List<OrderOutcome> outcomes() {
		return this.producer.history()
			.stream()
			.filter((record) -> record.topic().equals(Topics.ORDER_OUTCOMES))
			.map((record) -> this.json.readValue(record.value(), OrderOutcome.class))
			.toList();
	}

	private List<ProducerRecord<byte[], byte[]>> deadLetters() {
		return this.producer.history().stream().filter((record) -> record.topic().equals(Topics.ORDERS_DLT)).toList();
	}

	private static String header(ProducerRecord<?, ?> record, String name) {
		return new String(record.headers().lastHeader(name).value());
	}

}
