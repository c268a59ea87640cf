package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import dev.sluice.lab.proof.delivery.DeadLetterBox.Letter;

/**
 * Mixes bad records with good orders in Kafka. Each bad record must become a dead letter,
 * each good order must be saved, and delivery and projection must read to the end.
 */
public final class RecordsProof implements Proof {

	private static final Duration END = Duration.ofSeconds(90);

	private static final int CUSTOMERS = 97;

	@Override
	public String name() {
		return "records";
	}

	@Override
	public String question() {
		return "Can a malformed Kafka record of any kind stop the consumer?";
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int bad = testBed.size(2_000, 200, 54);
		testBed.startWithoutGateways();
		String bootstrap = testBed.stack().infrastructure().kafka().bootstrapServers();
		BadRecords records = new BadRecords(testBed.seed());
		DeliveryTimes good = new DeliveryTimes(bad, (order) -> new UUID(~testBed.seed(), order));
		Map<String, Integer> origins = new ConcurrentHashMap<>();
		testBed.step("Placing %,d bad records and as many good orders".formatted(bad));
		try (OrderFeed feed = new OrderFeed(bootstrap)) {
			for (int i = 0; i < bad; i++) {
				int number = i;
				feed.send(records.record(number),
						(place) -> origins.put("%d-%d".formatted(place.partition(), place.offset()), number));
				feed.send(OrderFeed.order(new UUID(~testBed.seed(), number), "customer-" + number % CUSTOMERS),
						(_) -> good.accepted(number, Instant.now()));
			}
			feed.flush();
		}
		testBed.stack().startConsumer(ServiceOptions.NONE);
		testBed.step("Waiting until all of them are read");
		long undelivered = unread(testBed.deliveryGroup());
		long unprojected = unread(new ConsumerGroup(bootstrap, ConsumerGroup.STATUS));
		good.ask(testBed.backend());
		List<Letter> letters = new DeadLetterBox(bootstrap).letters();
		Map<Integer, Letter> byNumber = new HashMap<>();
		letters.stream()
			.filter((letter) -> origins.containsKey(letter.origin()))
			.forEach((letter) -> byNumber.put(origins.get(letter.origin()), letter));
		write(testBed, bad, byNumber);
		return new Evidence(
				Map.of("records",
						"%,d bad ones of %d kinds among as many good orders".formatted(bad,
								BadRecords.Kind.values().length),
						"seed", Long.toString(testBed.seed()), "dead letters", Evidence.describe(kinds(letters))),
				List.of(Check.exactly("bad records in the dead letters", bad, byNumber.size()),
						Check.exactly("dead letters in all", bad, letters.size()),
						Check.none("dead letters without kind or reason",
								letters.stream()
									.filter((letter) -> letter.kind() == null || letter.reason() == null)
									.count()),
						Check.exactly("good orders in Kafka", bad, good.accepted()),
						Check.none("good orders not saved", good.notSaved((_) -> true)),
						Check.none("records whose delivery has not ended", undelivered),
						Check.none("records that the projection has not read", unprojected)),
				null);
	}

	private static long unread(ConsumerGroup group) throws InterruptedException {
		try (ConsumerGroup reading = group) {
			return reading.awaitRead(END);
		}
	}

	private static Map<String, Integer> kinds(List<Letter> letters) {
		Map<String, Integer> kinds = new TreeMap<>();
		letters.forEach((letter) -> kinds.merge(String.valueOf(letter.kind()), 1, Integer::sum));
		return kinds;
	}

	private static void write(TestBed testBed, int bad, Map<Integer, Letter> letters) throws IOException {
		List<String> lines = new ArrayList<>(List.of("number,kind,dead_letter,reason"));
		for (int number = 0; number < bad; number++) {
			Letter letter = letters.get(number);
			lines.add("%d,%s,%s,\"%s\"".formatted(number, BadRecords.kind(number),
					(letter != null) ? letter.kind() : "none",
					(letter != null) ? String.valueOf(letter.reason()).replace('"', '\'') : ""));
		}
		Files.write(testBed.file("records.csv"), lines);
	}

}
