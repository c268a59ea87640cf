package dev.sluice.contract;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;

/**
 * Requests as no HTTP client sends them: heads, framing and bodies combined from good and
 * bad parts, pipelined, cut off, or changed byte by byte. Seed, host and number determine
 * an exchange. Two hosts of equal length get the same requests, except for the host and
 * the keys, which contain it.
 */
public final class RequestCorpus {

	private static final String[] METHODS = { "GET", "GET", "GET", "POST", "POST", "POST", "POST", "PUT", "DELETE",
			"PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "BREW", "G T", "G\u0000T", "" };

	private static final String[] TARGETS = { "/orders", "/orders", "/orders", "/openapi.json", "/orders/x",
			"/orders/019ab000-0000-7000-8000-00000000000a", "/orders/019ab000-0000-7000-8000-00000000000a/redelivery",
			"/orders?status=failed", "/orders?status=failed&limit=1", "/orders?status=saved",
			"/orders?status=failed&limit=x", "/orders?status=failed&status=failed", "/orders?status=failed&after=%00",
			"/orders?%zz", "/orders?a=%", "/orders?a=b=c&&", "/orders/", "//orders", "/orders//x", "/./orders",
			"/a/../orders", "/orders/..", "/orders;a=b", "/orders;a=b/x", "/orders%2fx", "/%6frders", "/orders%00",
			"/orders/%c3%a4", "/orders/%ff", "/orders?status=failed&after=%ff%fe", "/nothing", "/", "/error",
			"/actuator", "/actuator/health", "/actuator/prometheus", "*", "orders", "http://HOST/orders", "http://HOST",
			"http://HOST/openapi.json?x", "http://other/orders", "HTTP://HOST/orders", "https://HOST/orders",
			"ftp://HOST/orders", "http:///orders", "/orders#x", "/a|b", "/a\\b", "/a\"b", "/{x}", "/a^b", "/\u00e4",
			"/orders?q=\u00e4", "/orders?q={}", "/orders?q=a|b", "/orders x", "?", "", "/favicon.ico", "/orders.json",
			"/orders/..%2f..%2fetc", "/%c0%af", "/actuator/health/../env" };

	private static final String[] VERSIONS = { "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1",
			"HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "http/1.1", "HTTP/1.01", "HTTP/1", "HTTP/ 1.1",
			"" };

	private static final String[] HOSTS = { "Host: HOST", "Host: HOST", "Host: HOST", "Host: HOST", "Host: HOST",
			"Host: HOST", "Host: HOST:80", "host:HOST", "Host: [::1]:8080", "Host: 127.0.0.1", "Host: a.b-c.d.",
			"Host:", "Host: ", "Host: a_b", "Host: HOST\r\nHost: HOST", "Host: a, b", "Host: a b", "Host: :::",
			"Host: a:x", "Host: a:99999", "Host: a:", "Host: u@a", "Host: a/b", "Host: [::1", "Host: ::1", "Host: -a",
			"Host: \u00e4", "X: y" };

	private static final String[] HEADERS = { "Prefer: respond-async", "Prefer: respond-async", "Prefer: wait=1",
			"Prefer: respond-async, wait=0", "Prefer: respond-async; foo", "Prefer: wait=-1", "Prefer: wait=x",
			"Prefer: wait=9999999999", "Prefer: respond-async\r\nPrefer: wait=0", "Prefer:", "Prefer: ,,",
			"Prefer: return=minimal", "Idempotency-Key: \"KEY\"", "Idempotency-Key: \"KEY\"", "Idempotency-Key: KEY",
			"Idempotency-Key: \"\"", "Idempotency-Key: \"KEY\"\r\nIdempotency-Key: \"KEY\"",
			"Idempotency-Key: \"KEY\";a=b", "Idempotency-Key:", "Accept: */*", "Accept: application/json",
			"Accept: application/problem+json", "Accept: text/html", "Accept: text/html, */*;q=0.1",
			"Accept: application/json;q=0", "Accept: nothing", "Accept: */*;q=x", "Accept:", "Accept: application/*",
			"Accept: application/json;charset=utf-8", "Accept: text/html\r\nAccept: */*",
			"Content-Type: application/json", "Content-Type: application/json;charset=UTF-8",
			"Content-Type: application/json;charset=utf-16", "Content-Type: application/json;charset=none",
			"Content-Type: APPLICATION/JSON", "Content-Type: text/plain", "Content-Type: application/problem+json",
			"Content-Type: application/*", "Content-Type: nothing", "Content-Type:", "Content-Type: */*",
			"Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data",
			"Content-Type: multipart/form-data; boundary=b",
			"Content-Type: application/json\r\nContent-Type: text/plain",
			"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "traceparent: 00-x", "traceparent:",
			"traceparent: 00-00000000000000000000000000000000-0000000000000000-00", "Connection: close",
			"Connection: keep-alive", "Connection: close, keep-alive", "Connection: x",
			"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
			"Connection: Upgrade\r\nUpgrade: websocket", "Expect: 100-continue", "Expect: x", "TE: trailers",
			"Trailer: X", "Range: bytes=0-1", "If-None-Match: *", "Content-Encoding: gzip", "Accept-Encoding: gzip",
			"Cookie: a=b", "X: \u00ff", "X: a\tb", "X:", "X:  y  ", "X-Forwarded-For: 1.2.3.4",
			"X-Forwarded-Proto: https", "X-HTTP-Method-Override: PUT", "Origin: http://evil.example", "X : y", "X\t: y",
			"X y: z", ": z", "no colon", " folded: x", "X: a\r\n b", "X: a\r\n\tb", "X\u0000: y", "X: a\u0000b",
			"X: a\u0001b", "X: a\u007fb", "X: a\rb", "X: a\nb", "X(: y", "X/: y", "\u00e4: y", "X\r: y" };

	/** Framing headers; {@code %d} is the body's length. */
	private static final String[] FRAMINGS = { "Content-Length: %d", "Content-Length: %d", "Content-Length: %d",
			"Content-Length: %d", "Content-Length:%d ", "content-length: 0%d", "Content-Length: +%d",
			"Content-Length: -%d", "Content-Length: %d, %<d", "Content-Length: %d\r\nContent-Length: %<d",
			"Content-Length: %d\r\nContent-Length: 1", "Content-Length:", "Content-Length: x", "Content-Length: %d.0",
			"Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999", "Content-Length: 65537",
			"Content-Length: 52428800", "", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked",
			"Transfer-Encoding: chunked", "transfer-encoding: Chunked", "Transfer-Encoding: gzip, chunked",
			"Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity",
			"Transfer-Encoding: chunked, identity", "Transfer-Encoding:", "Transfer-Encoding: xchunked",
			"Transfer-Encoding: chunked;a=b", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
			"Transfer-Encoding: chunked\r\nContent-Length: %d", "Content-Length: %d\r\nTransfer-Encoding: chunked",
			"Transfer-Encoding: \u000bchunked", "Transfer-Encoding : chunked" };

	/** Formats of chunked bodies: size, data. */
	private static final String[] CHUNKS = { "%x\r\n%s\r\n0\r\n\r\n", "%x\r\n%s\r\n0\r\n\r\n", "%X\r\n%s\r\n0\r\n\r\n",
			"0%x\r\n%s\r\n000\r\n\r\n", "%x;a=b\r\n%s\r\n0\r\n\r\n", "%x;a=\"b\"\r\n%s\r\n0\r\n\r\n",
			"%x \r\n%s\r\n0\r\n\r\n", " %x\r\n%s\r\n0\r\n\r\n", "%x\n%s\r\n0\r\n\r\n", "%x\r\n%s\n0\r\n\r\n",
			"%x\r\n%s\r\n0\n\r\n", "%x\r\n%s\r\n0\r\n\n", "%x\r\n%s\r\n0\r\nX: y\r\n\r\n",
			"%x\r\n%s\r\n0\r\nX : y\r\n\r\n", "%x\r\n%s\r\n0\r\nContent-Length: 1\r\n\r\n", "0x%x\r\n%s\r\n0\r\n\r\n",
			"-%x\r\n%s\r\n0\r\n\r\n", "%xg\r\n%s\r\n0\r\n\r\n", "fffffffffffffffff%x\r\n%s\r\n0\r\n\r\n",
			"%x\r\n%sx\r\n0\r\n\r\n", "\r\n%x\r\n%s\r\n0\r\n\r\n", "%x\r\n%s\r\n", "%x\r\n%s", "%x;\r\n%s\r\n0\r\n\r\n",
			"%x\r\r\n%s\r\n0\r\n\r\n", "%x;" + "x".repeat(20_000) + "\r\n%s\r\n0\r\n\r\n",
			"%x\r\n%s\r\n0\r\nX: " + "y".repeat(20_000) + "\r\n\r\n" };

	private static final String[] BODIES = {
			"{\"customerId\":\"c-%d\",\"items\":[{\"sku\":\"tea\",\"quantity\":2,\"unitPrice\":{\"amount\":\"9.90\",\"currency\":\"EUR\"}}]}",
			"{\"customerId\":\"c-%d\",\"items\":[{\"sku\":\"tea\",\"quantity\":2,\"unitPrice\":{\"amount\":\"9.90\",\"currency\":\"EUR\"}}]}",
			"{\"customerId\":\"c-%d\",\"items\":[{\"sku\":\"tea\",\"quantity\":2,\"unitPrice\":{\"amount\":\"9.90\",\"currency\":\"EUR\"}}]}",
			"{\"customerId\":\"c-%d\",\"items\":[]}", "{\"customerId\":\"c-%d\"", "[%d]", "%d", "", "a=b&c=%d",
			"\u0000%d", "[[[[%d", "{\"customerId\":\"c-%d\",\"note\":\"\u00c0\u00af\u00ed\u00a0\u0080\"}",
			"{\"customerId\":\"c-%d\",\"items\":[{\"sku\":\"tea\",\"quantity\":0,\"unitPrice\":{\"amount\":\"x\",\"currency\":\"E\"}}],\"more\":1}" };

	/** What begins like TLS or HTTP/2, or like nothing. */
	private static final String[] PREFACES = { "\u0016\u0003\u0001\u0002\u0000\u0001",
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n\r\n", "" };

	private final long seed;

	private final String host;

	/**
	 * @param host host in the requests, without a port
	 */
	public RequestCorpus(long seed, String host) {
		this.seed = seed;
		this.host = host;
	}

	/** The bytes of one connection, always the same for a number; ISO-8859-1. */
	public String exchange(int number) {
		Random random = new Random(this.seed * 1_000_003 + number * 7_919L + 17);
		random.nextLong();
		return switch (random.nextInt(10)) {
			case 0 -> pipelined(random);
			case 1 -> cutOff(random);
			case 2, 3 -> changed(one(random, 1), random);
			case 4 -> (random.nextInt(4) == 0) ? noise(random) : one(random, 6);
			default -> one(random, 2);
		};
	}

	/** Several requests at once. The last one usually asks to close the connection. */
	private String pipelined(Random random) {
		StringBuilder all = new StringBuilder();
		for (int i = random.nextInt(4); i >= 0; i--) {
			all.append(one(random, 1));
		}
		if (random.nextInt(4) > 0) {
			all.append("GET /last HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(this.host));
		}
		return all.toString();
	}

	private String cutOff(Random random) {
		String whole = one(random, 1);
		return whole.substring(0, random.nextInt(whole.length() + 1));
	}

	/** With some bytes replaced, left out or repeated. */
	private static String changed(String request, Random random) {
		StringBuilder changed = new StringBuilder(request);
		for (int i = random.nextInt(3); i >= 0; i--) {
			int at = random.nextInt(changed.length());
			switch (random.nextInt(3)) {
				case 0 -> changed.setCharAt(at, (char) random.nextInt(256));
				case 1 -> changed.deleteCharAt(at);
				default -> changed.insert(at, changed.substring(at / 2, at));
			}
		}
		return changed.toString();
	}

	private static String noise(Random random) {
		byte[] noise = new byte[1 + random.nextInt(2_000)];
		random.nextBytes(noise);
		return pick(random, PREFACES) + new String(noise, StandardCharsets.ISO_8859_1);
	}

	/**
	 * A request with mostly good parts.
	 * @param faults approximate number of bad parts
	 */
	private String one(Random random, int faults) {
		// The first entries of each array are good.
		boolean[] bad = new boolean[6];
		for (int i = random.nextInt(faults + 1); i > 0; i--) {
			bad[random.nextInt(bad.length)] = true;
		}
		String method = bad[0] ? pick(random, METHODS) : (random.nextInt(3) == 0) ? "GET" : "POST";
		String target = bad[1] ? pick(random, TARGETS)
				: method.equals("GET") ? TARGETS[3 + random.nextInt(5)] : "/orders";
		String version = bad[2] ? pick(random, VERSIONS) : "HTTP/1.1";
		String body = BODIES[random.nextInt(bad[5] ? BODIES.length : 3)].replace("%d", "" + random.nextInt(1_000));
		boolean hasBody = method.equals("POST") || random.nextInt(4) == 0;
		if (random.nextInt(20) == 0) {
			// More than a server reads in one go.
			body += " ".repeat(random.nextInt(20_000));
		}
		List<String> lines = new ArrayList<>();
		lines.add(bad[3] ? pick(random, HOSTS) : "Host: HOST");
		if (hasBody && random.nextInt(8) > 0) {
			lines.add("Content-Type: application/json");
		}
		for (int i = random.nextInt(3); i > 0; i--) {
			lines.add(random.nextInt(lines.size() + 1), pick(random, HEADERS));
		}
		if (random.nextInt(60) == 0) {
			lines.add("X: " + "x".repeat(7_000 + random.nextInt(3_000)));
		}
		if (random.nextInt(60) == 0) {
			for (int i = 60 + random.nextInt(60); i > 0; i--) {
				lines.add("X-" + i + ": y");
			}
		}
		String framing = "";
		if (hasBody) {
			framing = bad[4] ? pick(random, FRAMINGS)
					: pick(random, "Content-Length: %d", "Transfer-Encoding: chunked");
			lines.add(random.nextInt(lines.size() + 1), framing.formatted(body.length()));
		}
		String lineEnd = (random.nextInt(40) == 0) ? "\n" : "\r\n";
		String space = (random.nextInt(60) == 0) ? pick(random, "  ", "\t", "\u000b", "\r") : " ";
		String start = (random.nextInt(60) == 0) ? pick(random, "\r\n", "\n", " ", "\r\n\r\n", "\u0000") : "";
		StringBuilder text = new StringBuilder(start).append(method)
			.append(space)
			.append(target)
			.append(version.isEmpty() ? "" : " " + version)
			.append((random.nextInt(80) == 0) ? " " : "")
			.append(lineEnd);
		lines.forEach((line) -> text.append(line).append((random.nextInt(200) == 0) ? "\n" : lineEnd));
		text.append(lineEnd);
		if (hasBody) {
			boolean chunked = framing.toLowerCase(Locale.ROOT).contains("chunked");
			String chunks = bad[5] ? pick(random, CHUNKS) : CHUNKS[0];
			text.append(chunked ? chunks.formatted(body.length(), body) : body);
		}
		return text.toString()
			.replace("HOST", this.host)
			.replace("KEY", this.host + new UUID(random.nextLong(), random.nextLong()));
	}

	private static String pick(Random random, String... values) {
		return values[random.nextInt(values.length)];
	}

	/** An exchange with what cannot be printed escaped, and without what is long. */
	public static String printed(String exchange) {
		StringBuilder text = new StringBuilder();
		exchange.chars().limit(2_000).forEach((octet) -> {
			switch (octet) {
				case '\r' -> text.append("\\r");
				case '\n' -> text.append("\\n\n");
				case '\\' -> text.append("\\\\");
				default -> text
					.append((octet >= ' ' && octet < 0x7F) ? Character.toString(octet) : "\\x%02x".formatted(octet));
			}
		});
		return text.toString();
	}

}
