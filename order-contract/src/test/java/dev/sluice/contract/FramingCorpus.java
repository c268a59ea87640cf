package dev.sluice.contract;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Raw requests that place orders, or would if they were well-formed: heads and chunks
 * combined from good and bad parts, pipelined, cut off, or with bytes changed at random;
 * and noise. A seed and a number determine the bytes that are sent over one connection.
 * Their orders are of customers that no other number has.
 */
final class FramingCorpus {

	private static final String[] METHODS = { "GET", "PUT", "TRACE", "CONNECT", "OPTIONS", "HEAD", "post", "G T",
			"P\u0000ST", "" };

	private static final String[] TARGETS = { "/orders?q=a|b", "/orders?a=%ff", "/orders?%zz", "/orders?a=b=c&&",
			"/orders/", "//orders", "//a/orders", "/./orders", "/a/../orders", "/../orders", "/orders;a=b", "/orders;[",
			"/orders;%00", "/orders;a=%ff", "/orders%2f", "/orders%2fx", "/%6frders", "/orders%00", "/orders%",
			"/orders%5c", "/orders[", "/orders\u00e4", "*", "orders", "http://a/orders", "http://a",
			"http://other/orders", "HTTP://A/orders", "https://a/orders", "ftp://a/orders", "http:///orders",
			"http://u@a/orders", "http://a//orders", "/orders#x", "/orders x", "/orders\t", "?", "", "/ORDERS" };

	private static final String[] VERSIONS = { "HTTP/1.0", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "http/1.1",
			"HTTP/1.01", "HTTP/1", "HTTP/ 1.1", "HTTP/1.1 ", "" };

	private static final String[] HOSTS = { "Host: a:80", "host:a", "Host: [::1]:8080", "Host: 127.0.0.1",
			"Host: a.b-c.d.", "Host:", "Host: ", "Host: a_b", "Host: a~b", "Host: a\r\nHost: a", "Host: a, b",
			"Host: a b", "Host: a:x", "Host: a:99999", "Host: a:", "Host: u@a", "Host: a/b", "Host: [::1", "Host: [1]",
			"Host: ::1", "Host: -a", "Host: a..b", "Host: \u00e4", "Host: a\r\n b", "X: y" };

	private static final String[] HEADERS = { "Accept: text/html", "Accept: */*;q=x", "Prefer: wait=0",
			"Prefer: wait=x", "Prefer: respond-async; foo", "Prefer: ,,", "Idempotency-Key: KEY",
			"Idempotency-Key: \"\"", "Idempotency-Key:", "Content-Type: application/json;charset=utf-16",
			"Content-Type:", "traceparent: 00-x", "Range: bytes=0-1", "If-None-Match: *", "Origin: http://evil.example",
			"Connection: close", "Connection: keep-alive", "Connection: close, keep-alive",
			"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
			"Connection: Upgrade\r\nUpgrade: websocket", "Expect: 100-continue", "Expect: x", "TE: trailers",
			"Trailer: X", "Content-Type: text/plain", "Content-Encoding: gzip", "Cookie: a=b", "X: \u00ff", "X: a\tb",
			"X:", "X:  y  ", "X-HTTP-Method-Override: PUT", "X : y", "X\t: y", "X y: z", ": z", "no colon",
			" folded: x", "X: a\r\n b", "X: a\r\n\tb", "X:\r\n b", "X\u0000: y", "X: a\u0000b", "X: a\u0001b",
			"X: a\u007fb", "X: a\rb", "X: a\nb", "X: a\n", "X: a\r", "X(: y", "X/: y", "\u00e4: y", "X\r: y" };

	/** {@code %s} is the body's length. */
	private static final String[] FRAMINGS = { "Content-Length:%s ", "content-length: 0%s", "Content-Length: +%s",
			"Content-Length: -%s", "Content-Length: %s, %<d", "Content-Length: %s\r\nContent-Length: %<d",
			"Content-Length: %s\r\nContent-Length: 1", "Content-Length:", "Content-Length: x", "Content-Length: %s.0",
			"Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999", "Content-Length: 65537", "",
			"transfer-encoding: Chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
			"Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:",
			"Transfer-Encoding: xchunked", "Transfer-Encoding: chunked;a=b", "Transfer-Encoding:\r\n chunked",
			"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: \u000bchunked",
			"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "Transfer-Encoding : chunked",
			"Transfer-Encoding: chunked\r\nContent-Length: %s", "Content-Length: %s\r\nTransfer-Encoding: chunked",
			"Content-Length: 5\r\nTransfer-Encoding: chunked",
			"X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: %s" };

	/** Chunked bodies: size, data. */
	private static final String[] CHUNKS = { "%X\r\n%s\r\n0\r\n\r\n", "00%x\r\n%s\r\n000\r\n\r\n",
			"0000000000%x\r\n%s\r\n0\r\n\r\n", "%x;a=b\r\n%s\r\n0;c\r\n\r\n", "%x;a=\"b\"\r\n%s\r\n0\r\n\r\n",
			"%x;\r\n%s\r\n0\r\n\r\n", "%x;a\nb\r\n%s\r\n0\r\n\r\n", "%x; a=b\r\n%s\r\n0\r\n\r\n",
			"%x \r\n%s\r\n0\r\n\r\n", " %x\r\n%s\r\n0\r\n\r\n", "%x\n%s\r\n0\r\n\r\n", "%x\r\n%s\n0\r\n\r\n",
			"%x\r\n%s0\r\n\r\n", "%x\r\n%s\r\n0\n\r\n", "%x\r\n%s\r\n0\r\n\n", "%x\r\n%s\r\n0\r\nX: y\r\n\r\n",
			"%x\r\n%s\r\n0\r\nX : y\r\n\r\n", "%x\r\n%s\r\n0\r\nContent-Length: 1\r\n\r\n", "0x%x\r\n%s\r\n0\r\n\r\n",
			"-%x\r\n%s\r\n0\r\n\r\n", "+%x\r\n%s\r\n0\r\n\r\n", "%xg\r\n%s\r\n0\r\n\r\n", "%x\r\n%sx\r\n0\r\n\r\n",
			"fffffffffffffffff%x\r\n%s\r\n0\r\n\r\n", "1000000%02x\r\n%s\r\n0\r\n\r\n", "\r\n%x\r\n%s\r\n0\r\n\r\n",
			"%x\r\n%s\r\n", "%x\r\n%s", "%x\r\r\n%s\r\n0\r\n\r\n", "%x,\r\n%s\r\n0\r\n\r\n" };

	/** What begins like TLS or HTTP/2, or like nothing. */
	private static final String[] PREFACES = { "\u0016\u0003\u0001\u0002\u0000\u0001",
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n\r\n", "" };

	private static final String[] BEFORE = { "\r\n", "\n", " ", "\t", "\r\n\r\n", "\u0000", "\r", "\u000b" };

	private static final String CHANGES = "\r\n\t\n\r :;,0a-+{\"\u0000\u000b\u007f\u00e4";

	private FramingCorpus() {
	}

	/** The bytes with a number. */
	static byte[] request(long seed, int number) {
		Random random = new Random(seed * 1_000_003 + number * 7_919L + 17);
		random.nextLong();
		StringBuilder text = new StringBuilder();
		switch (random.nextInt(10)) {
			case 0 -> {
				text.append(order(random, number, 0, 0));
				text.setLength(random.nextInt(text.length()));
			}
			case 1 -> {
				byte[] noise = new byte[1 + random.nextInt(2_000)];
				random.nextBytes(noise);
				text.append(pick(random, PREFACES)).append(new String(noise, StandardCharsets.ISO_8859_1));
			}
			case 2, 3 -> {
				text.append(order(random, number, 0, 0)).append(order(random, number, 1, 0));
				change(random, text);
			}
			case 4, 5 -> {
				for (int i = random.nextInt(3); i >= 0; i--) {
					text.append(order(random, number, i, random.nextInt(2)));
				}
			}
			default -> text.append(order(random, number, 0, random.nextInt(3))).append(order(random, number, 1, 0));
		}
		return text.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	/** Changes one to three bytes, outside of the orders. */
	private static void change(Random random, StringBuilder text) {
		for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
			int at = random.nextInt(text.length());
			String change = "" + CHANGES.charAt(random.nextInt(CHANGES.length()));
			switch (random.nextInt(3)) {
				case 0 -> text.insert(at, change);
				case 1 -> text.replace(at, at + 1, change);
				default -> text.deleteCharAt(at);
			}
		}
	}

	/**
	 * A request with mostly good parts.
	 * @param faults approximate number of bad parts
	 */
	private static String order(Random random, int number, int which, int faults) {
		boolean[] bad = new boolean[7];
		for (int i = faults; i > 0; i--) {
			bad[random.nextInt(bad.length)] = true;
		}
		String body = """
				{"customerId":"c-%s-%s","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}"""
			.formatted(number, which);
		if (random.nextInt(20) == 0) {
			// More than a server reads in one go.
			body += " ".repeat(random.nextInt(20_000));
		}
		String framing = bad[4] ? pick(random, FRAMINGS)
				: pick(random, "Content-Length: %s", "Transfer-Encoding: chunked");
		List<String> lines = new ArrayList<>(
				List.of(bad[3] ? pick(random, HOSTS) : "Host: a", "Content-Type: application/json"));
		if (bad[6]) {
			lines.add(random.nextInt(lines.size() + 1), pick(random, HEADERS));
		}
		if (random.nextInt(60) == 0) {
			lines.add("X: " + "x".repeat(7_000 + random.nextInt(3_000)));
		}
		if (random.nextInt(60) == 0) {
			lines.addAll(List.of("X: y\r\n".repeat(60 + random.nextInt(60)).split("\r\n")));
		}
		lines.add(random.nextInt(lines.size() + 1), framing.formatted(body.length()));
		lines.removeIf(String::isEmpty);
		StringBuilder text = new StringBuilder((random.nextInt(40) == 0) ? pick(random, BEFORE) : "")
			.append(bad[0] ? pick(random, METHODS) : "POST")
			.append((random.nextInt(60) == 0) ? pick(random, "  ", "\t", "\u000b", "\r") : " ")
			.append(bad[1] ? pick(random, TARGETS) : "/orders")
			.append(' ')
			.append(bad[2] ? pick(random, VERSIONS) : "HTTP/1.1")
			.append(lineEnd(random));
		lines.forEach((line) -> text.append(line).append(lineEnd(random)));
		text.append(lineEnd(random));
		if (framing.toLowerCase().contains("chunked")) {
			text.append((bad[5] ? pick(random, CHUNKS) : "%x\r\n%s\r\n0\r\n\r\n").formatted(body.length(), body));
		}
		else {
			text.append(body);
		}
		return text.toString();
	}

	private static String lineEnd(Random random) {
		return (random.nextInt(200) == 0) ? pick(random, "\n", "\r", "\r\r\n", " \r\n") : "\r\n";
	}

	private static String pick(Random random, String... values) {
		return values[random.nextInt(values.length)];
	}

}
