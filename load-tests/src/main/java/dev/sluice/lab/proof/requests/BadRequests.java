package dev.sluice.lab.proof.requests;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * A corpus of bad requests and some good ones, made from the OpenAPI document and by
 * mutation of good requests. Seed, host and number determine a request, so that each can
 * be reproduced.
 */
final class BadRequests {

	/** Maximum length of a body that a gateway reads. */
	private static final int LIMIT = 64 * 1024;

	private static final String GOOD = """
			{"customerId":"customer-%d","items":[{"sku":"sku-%d","quantity":%d,"unitPrice":{"amount":"19.99","currency":"EUR"}}],"note":"as always"}""";

	private static final String[] VALUES = { "null", "true", "-1", "0", "1.5", "\"\"", "\" \"", "[]", "{}", "[null]",
			"\"\\u0000\"", "\"\\ud800\"", "9223372036854775808", "\"XXX\"", "\"customer-1\"", "1e5", "\"\\u202e\"" };

	private static final String[] HEADERS = { "Idempotency-Key: unquoted", "Idempotency-Key: \"",
			"Idempotency-Key: \"\"", "Idempotency-Key: \"a\", \"b\"", "Idempotency-Key: \"\u0001\"",
			"Idempotency-Key: ?1", "Idempotency-Key:", "Prefer: wait=-1",
			"Prefer: respond-async, wait=99999999999999999999", "Prefer: wait=1.5", "Prefer: ;;;==",
			"Prefer: \"respond-async", "traceparent: 00-xyz", "traceparent: \u00ff\u00fe", "Accept: text/html",
			"Accept: ////", "Content-Type: text/plain", "Content-Type: application/json; charset=utf-16",
			"Content-Type: ;", "Content-Encoding: gzip", "Expect: 100-continue", "Expect: nothing", "Host: a, b",
			"Host: :::", "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked", "Content-Length: 5",
			"Content-Length: -1", "Content-Length: +7", "Content-Length: 99999999999999999999", "Connection: close, x",
			"Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "X\u0000: y", "X y: z", ": nameless", " folded: x",
			"no colon at all", "X: a\rb", "Range: bytes=0-", "If-Match: \"x\"", "Cookie: " + "a=b; ".repeat(500) };

	private static final String[] TARGETS = { "/orders?status=", "/orders?status=failed&limit=0",
			"/orders?status=failed&limit=99999999999", "/orders?status=failed&after=%ff%fe",
			"/orders?status=failed&after=" + "A".repeat(32), "/orders?%zz", "/orders?status=failed&status=failed",
			"/orders/", "/orders/x", "/orders/%00", "/orders/..%2f..%2fetc",
			"/orders/00000000-0000-0000-0000-000000000000", "/orders/1-1-1-1-1", "/orders/1-1-1-1-1/redelivery",
			"//orders", "/orders;x=y", "/./orders", "/..", "*", "http://elsewhere/orders", "orders",
			"/orders/" + "9".repeat(4_000), "/\u00e4", "/%c0%af", "/actuator/env", "/actuator/health/../env", "/error",
			"/orders#x", "/{id}", "/orders/ x" };

	private static final String[] METHODS = { "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
			"get", "POST\t", "G\u0000T", "ORDER", "A".repeat(300) };

	private static final String[] VERSIONS = { "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTTP/1.1 ", "http/1.1",
			"HTTP/1.10", "", "FTP/1.1", "HTTP/1" };

	private final DescribedOrders orders = DescribedOrders.read();

	private final long seed;

	private final String host;

	/**
	 * @param host host and port in the requests
	 */
	BadRequests(long seed, String host) {
		this.seed = seed;
		this.host = host;
	}

	/** The defect of a request. */
	enum Kind {

		/** No defect: it must be placed. */
		GOOD,

		/** Valid by the OpenAPI document: it must be placed. */
		DESCRIBED,

		/** Breaks one rule of the OpenAPI document: it must be answered 400. */
		RULE,

		/** Some bytes of the body are changed. */
		BYTES,

		/** A value of the body is changed, or a name is unknown. */
		VALUES,

		DUPLICATE_NAMES,

		DEEP,

		HUGE_NUMBERS,

		INVALID_UTF8,

		/** A body near or beyond the limits. */
		LARGE,

		/** The client disconnects in the middle of the body. */
		CUT_BODY,

		/** The client disconnects in the middle of the head. */
		CUT_HEAD,

		/** Headers that are malformed, contradictory, many or long. */
		HEADERS,

		/** Malformed paths, queries and methods. */
		TARGETS,

		/** Another version of HTTP, or another protocol. */
		PROTOCOL,

		/** Malformed chunks. */
		CHUNKS,

		/** A good request that arrives in small parts: it must be placed. */
		TRICKLE,

		/** The request stops halfway, and the client stays connected. */
		STALLED,

		/** The client sends many requests before it reads an answer. */
		SLOW_READER;

		/** Whether it keeps its connection for seconds. */
		boolean isSlow() {
			return switch (this) {
				case TRICKLE, STALLED, SLOW_READER -> true;
				case GOOD, DESCRIBED, RULE, BYTES, VALUES, DUPLICATE_NAMES, DEEP, HUGE_NUMBERS, INVALID_UTF8, LARGE,
						CUT_BODY, CUT_HEAD, HEADERS, TARGETS, PROTOCOL, CHUNKS ->
					false;
			};
		}

		/** Whether it must be placed. */
		boolean isGood() {
			return this == GOOD || this == DESCRIBED || this == TRICKLE;
		}

	}

	/**
	 * A request.
	 *
	 * @param parts bytes to send, with a pause after each part but the last
	 * @param pauseMillis length of the pause, in milliseconds
	 * @param ends whether the client then half-closes the connection
	 */
	record Request(int number, Kind kind, List<byte[]> parts, long pauseMillis, boolean ends) {

		/** Whether its answer has no body. */
		boolean isHead() {
			return new String(bytes(), StandardCharsets.ISO_8859_1).startsWith("HEAD ");
		}

		byte[] bytes() {
			ByteArrayOutputStream all = new ByteArrayOutputStream();
			this.parts.forEach(all::writeBytes);
			return all.toByteArray();
		}

	}

	/** The request with a number, always the same. */
	Request request(int number) {
		// Without the factors, the first draws of neighbours would be alike.
		Random random = new Random(this.seed * 1_000_003 + number * 7_919L);
		random.nextLong();
		Kind kind = kind(random);
		return switch (kind) {
			case GOOD -> plain(number, kind, post(good(random), variation(random)));
			case DESCRIBED -> plain(number, kind, post(utf8(this.orders.good(random)), variation(random)));
			case RULE -> plain(number, kind, post(utf8(this.orders.broken(random)), variation(random)));
			case BYTES -> plain(number, kind, post(mutated(good(random), random), variation(random)));
			case VALUES -> plain(number, kind, post(otherValue(good(random), random), variation(random)));
			case DUPLICATE_NAMES -> plain(number, kind,
					post(replaced(good(random), "\"note\"", pick(random, "\"items\"", "\"customerId\"")),
							variation(random)));
			case DEEP -> plain(number, kind, post(deep(random), variation(random)));
			case HUGE_NUMBERS -> plain(number, kind, post(huge(random), variation(random)));
			case INVALID_UTF8 -> plain(number, kind, post(invalidUtf8(random), variation(random)));
			case LARGE -> plain(number, kind, post(large(random), variation(random)));
			case CUT_BODY -> {
				byte[] whole = post(good(random), variation(random));
				yield new Request(number, kind, List.of(Arrays.copyOf(whole, whole.length - 1 - random.nextInt(120))),
						0, true);
			}
			case CUT_HEAD -> {
				byte[] whole = post(good(random), variation(random));
				yield new Request(number, kind, List.of(Arrays.copyOf(whole, random.nextInt(80))), 0, true);
			}
			// The headers may announce more than is sent.
			case HEADERS -> new Request(number, kind, List.of(headers(random)), 0, true);
			case TARGETS -> plain(number, kind, target(random));
			case PROTOCOL -> protocol(number, random);
			case CHUNKS -> new Request(number, kind, List.of(chunks(random)), 0, true);
			case TRICKLE -> trickle(number, random);
			case STALLED -> {
				byte[] whole = random.nextBoolean() ? post(good(random), variation(random)) : chunked(good(random));
				yield new Request(number, kind, List.of(Arrays.copyOf(whole, 1 + random.nextInt(whole.length - 8))), 0,
						false);
			}
			case SLOW_READER -> slowReader(number, random);
		};
	}

	private static Kind kind(Random random) {
		int draw = random.nextInt(1_000);
		// Few of those that keep a connection for seconds.
		if (draw < 4) {
			return Kind.STALLED;
		}
		if (draw < 8) {
			return Kind.TRICKLE;
		}
		if (draw < 10) {
			return Kind.SLOW_READER;
		}
		if (draw < 60) {
			return (draw % 2 == 0) ? Kind.GOOD : Kind.DESCRIBED;
		}
		Kind[] quick = Arrays.stream(Kind.values())
			.filter((kind) -> !kind.isSlow() && !kind.isGood())
			.toArray(Kind[]::new);
		return quick[random.nextInt(quick.length)];
	}

	private static Request plain(int number, Kind kind, byte[] bytes) {
		return new Request(number, kind, List.of(bytes), 0, false);
	}

	private byte[] post(byte[] body, String extra) {
		return concat(
				("POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n")
					.formatted(this.host, extra, body.length)
					.getBytes(StandardCharsets.ISO_8859_1),
				body);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] good(Random random) {
		return GOOD.formatted(random.nextInt(1_000), random.nextInt(100), 1 + random.nextInt(10_000))
			.getBytes(StandardCharsets.UTF_8);
	}

	/** Some queued, some with a key, some with both. No other gateway gets the key. */
	private String variation(Random random) {
		String key = random.nextBoolean() ? ""
				: "Idempotency-Key: \"%s %s\"\r\n".formatted(this.host, new UUID(random.nextLong(), random.nextLong()));
		return key + (random.nextBoolean() ? "Prefer: respond-async\r\n" : "");
	}

	private static byte[] mutated(byte[] bytes, Random random) {
		byte[] mutated = bytes.clone();
		for (int i = random.nextInt(4); i >= 0; i--) {
			if (mutated.length == 0) {
				return mutated;
			}
			int at = random.nextInt(mutated.length);
			mutated = switch (random.nextInt(4)) {
				case 0 -> {
					mutated[at] = (byte) random.nextInt(256);
					yield mutated;
				}
				case 1 -> concat(Arrays.copyOf(mutated, at), Arrays.copyOfRange(mutated, at + 1, mutated.length));
				case 2 -> concat(Arrays.copyOf(mutated, at), Arrays.copyOfRange(mutated, at / 2, mutated.length));
				default -> Arrays.copyOf(mutated, Math.max(at, 1));
			};
		}
		return mutated;
	}

	private static byte[] otherValue(byte[] good, Random random) {
		String[] places = { "\"customer-[0-9]+\"", "\\[\\{.*\\}\\]", "\"sku-[0-9]+\"", "(?<=\"quantity\":)[0-9]+",
				"\\{\"amount\".*?\\}", "\"19.99\"", "\"EUR\"", "\"as always\"", "\"customerId\"", "\"currency\"" };
		String value = VALUES[random.nextInt(VALUES.length)];
		return new String(good, StandardCharsets.UTF_8)
			.replaceFirst(places[random.nextInt(places.length)], value.replace("\\", "\\\\"))
			.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] replaced(byte[] good, String what, String with) {
		return new String(good, StandardCharsets.UTF_8).replace(what, with).getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] deep(Random random) {
		String open = pick(random, "[", "{\"a\":", "[{\"customerId\":", "{\"items\":[");
		int depth = 10 + random.nextInt(LIMIT / open.length() - 10);
		return open.repeat(depth).getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] huge(Random random) {
		String digits = "9".repeat(1 + random.nextInt(20_000));
		String number = switch (random.nextInt(6)) {
			case 0 -> digits;
			case 1 -> "-" + digits;
			case 2 -> "1e" + digits.substring(0, Math.min(digits.length(), 10));
			case 3 -> "1e-" + digits.substring(0, Math.min(digits.length(), 10));
			case 4 -> "0." + digits;
			default -> digits + "E" + digits.substring(0, Math.min(digits.length(), 5));
		};
		String good = new String(good(random), StandardCharsets.UTF_8);
		return (random.nextBoolean() ? good.replaceFirst("(?<=\"quantity\":)[0-9]+", number)
				: good.replace("19.99", number))
			.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] invalidUtf8(Random random) {
		byte[][] sequences = { { (byte) 0xff }, { (byte) 0xc0, (byte) 0xaf }, { (byte) 0xed, (byte) 0xa0, (byte) 0x80 },
				{ (byte) 0xf5, (byte) 0x80, (byte) 0x80, (byte) 0x80 }, { (byte) 0xe2, (byte) 0x82 }, { (byte) 0x80 },
				{ (byte) 0xfe, (byte) 0xff, 0, '{' }, { (byte) 0xef, (byte) 0xbb, (byte) 0xbf } };
		byte[] good = good(random);
		int at = random.nextInt(good.length);
		return concat(concat(Arrays.copyOf(good, at), sequences[random.nextInt(sequences.length)]),
				Arrays.copyOfRange(good, at, good.length));
	}

	private static byte[] large(Random random) {
		int size = switch (random.nextInt(4)) {
			case 0 -> LIMIT - 300 + random.nextInt(600);
			case 1 -> LIMIT + 1;
			case 2 -> 2 * LIMIT;
			default -> 1024 * 1024;
		};
		String good = new String(good(random), StandardCharsets.UTF_8);
		return (random.nextBoolean() ? good.replace("as always", "x".repeat(size - good.length()))
				: good + " ".repeat(size - good.length()))
			.getBytes(StandardCharsets.UTF_8);
	}

	private byte[] headers(Random random) {
		byte[] body = good(random);
		StringBuilder head = new StringBuilder("POST /orders HTTP/1.1\r\n");
		List<String> lines = new ArrayList<>(List.of("Host: " + this.host, "Content-Type: application/json"));
		if (random.nextInt(5) > 0) {
			lines.add("Content-Length: " + body.length);
		}
		switch (random.nextInt(4)) {
			case 0 -> lines.add("X-Long: " + "x".repeat(1 << (6 + random.nextInt(11))));
			case 1 -> {
				for (int i = 1 << random.nextInt(11); i > 0; i--) {
					lines.add("X-%d: %d".formatted(i, i));
				}
			}
			default -> {
				for (int i = random.nextInt(3); i >= 0; i--) {
					lines.add(random.nextInt(lines.size() + 1), HEADERS[random.nextInt(HEADERS.length)]);
				}
			}
		}
		if (random.nextInt(8) == 0) {
			lines.remove(0);
		}
		String end = (random.nextInt(8) == 0) ? "\n" : "\r\n";
		lines.forEach((line) -> head.append(line).append(end));
		return concat(head.append(end).toString().getBytes(StandardCharsets.ISO_8859_1), body);
	}

	private byte[] target(Random random) {
		String method = random.nextBoolean() ? pick(random, "GET", "POST") : METHODS[random.nextInt(METHODS.length)];
		String target = (random.nextInt(4) == 0) ? "/orders" : TARGETS[random.nextInt(TARGETS.length)];
		return "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n".formatted(method, target, this.host)
			.getBytes(StandardCharsets.ISO_8859_1);
	}

	private Request protocol(int number, Random random) {
		byte[] bytes;
		if (random.nextBoolean()) {
			bytes = "GET /orders/x %s\r\nHost: %s\r\n\r\n"
				.formatted(VERSIONS[random.nextInt(VERSIONS.length)], this.host)
				.getBytes(StandardCharsets.ISO_8859_1);
		}
		else {
			// Some begin like TLS or HTTP/2.
			byte[][] beginnings = { { 0x16, 3, 1, 2, 0, 1 },
					"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII), {},
					"\r\n\r\n".getBytes(StandardCharsets.US_ASCII) };
			byte[] noise = new byte[1 + random.nextInt(2_000)];
			random.nextBytes(noise);
			bytes = concat(beginnings[random.nextInt(beginnings.length)], noise);
		}
		return new Request(number, Kind.PROTOCOL, List.of(bytes), 0, true);
	}

	private byte[] chunkedHead() {
		return "POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
			.formatted(this.host)
			.getBytes(StandardCharsets.ISO_8859_1);
	}

	private byte[] chunked(byte[] body) {
		return concat(chunkedHead(), concat("%x\r\n".formatted(body.length).getBytes(StandardCharsets.US_ASCII),
				concat(body, "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII))));
	}

	private byte[] chunks(Random random) {
		byte[] body = good(random);
		String size = Integer.toHexString(body.length);
		String bad = switch (random.nextInt(7)) {
			case 0 -> "zz\r\n%s\r\n0\r\n\r\n";
			case 1 -> "ffffffffffffffff\r\n%s\r\n0\r\n\r\n";
			case 2 -> "-1\r\n%s\r\n0\r\n\r\n";
			case 3 -> size + ";" + "x".repeat(1 << random.nextInt(15)) + "\r\n%s\r\n0\r\n\r\n";
			case 4 -> size + "\r\n%sxx0\r\n\r\n";
			case 5 ->
				size + "\r\n%s\r\n0\r\nContent-Length: 3\r\nX: " + "y".repeat(1 << random.nextInt(15)) + "\r\n\r\n";
			default -> "1\r\n{\r\n".repeat(1 + random.nextInt(5_000)) + size + "\r\n%s\r\n0\r\n\r\n";
		};
		return concat(chunkedHead(),
				bad.replace("%s", new String(body, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
	}

	private Request trickle(int number, Random random) {
		byte[] whole = random.nextBoolean() ? post(good(random), variation(random)) : chunked(good(random));
		List<byte[]> drops = new ArrayList<>();
		for (int at = 0; at < whole.length;) {
			int next = Math.min(whole.length, at + 1 + random.nextInt(8));
			drops.add(Arrays.copyOfRange(whole, at, next));
			at = next;
		}
		// Well above the gateways' minimum rate, also on a busy machine.
		return new Request(number, Kind.TRICKLE, drops, 2 + random.nextInt(8), false);
	}

	/** The answers exceed the buffers of the connection, the requests do not. */
	private Request slowReader(int number, Random random) {
		String one = "GET /orders HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(this.host);
		byte[] many = one.repeat(500 + random.nextInt(500)).getBytes(StandardCharsets.ISO_8859_1);
		return new Request(number, Kind.SLOW_READER, List.of(many, one.getBytes(StandardCharsets.ISO_8859_1)), 2_000,
				true);
	}

	private static String pick(Random random, String... of) {
		return of[random.nextInt(of.length)];
	}

	private static byte[] concat(byte[] first, byte[] second) {
		byte[] both = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, both, first.length, second.length);
		return both;
	}

}
