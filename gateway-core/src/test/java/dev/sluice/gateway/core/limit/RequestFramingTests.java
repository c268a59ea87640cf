package dev.sluice.gateway.core.limit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RequestFramingTests {

	private static final int MAX_HEAD_BYTES = 512;

	private static final String HOST = "Host: gateway\r\n";

	@ParameterizedTest
	@ValueSource(strings = { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nGET /a?b=%20&c=/ HTTP/1.1\r\nHost: a\r\n\r\n",
			"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
			"BREW /x HTTP/1.1\r\nhOST:\ta-b.c:80 \r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX:\r\nY: \tz\u00e9\r\n\r\n", "CONNECTS / HTTP/1.0\r\n\r\n",
			"GET /a../.b?%00%2f%5C%c3%a4%ff HTTP/1.0\r\nExpect: 100-Continue\r\n\r\n",
			"GET http://a:80/x HTTP/1.1\r\nHost: A:80\r\n\r\n", "GET / HTTP/1.1\r\nHost: _a..b~:\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: [1:2]:99999\r\nFrom: b\r\nCookie: c\r\nAccept-Charset: d\r\nIf-Modified-Since: e\r\nUpgrade-Insecure-Requests: 1\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n",
			"GET https://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\n\r\0GET / HTTP/1.0\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2;a;b=c\r\n\r\r\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.0\r\n\r\n" })
	void letsWellFormedRequestsPassHoweverTheyAreCut(String requests) {
		byte[] bytes = requests.getBytes(StandardCharsets.ISO_8859_1);
		for (int size = 1; size <= bytes.length; size++) {
			assertThat(wellFormed(MAX_HEAD_BYTES, bytes, size)).isEqualTo(bytes.length);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "\n", "\r\r", "\r\n\r", " ", "G\u0000", "GET\t", "GET  ", "GET / h", "GET /\r", "GET /\n",
			"GET /a\"", "GET /%4g", "GET /% ", "GET /\u00e9", "GET /a#", "GET / HTTP/0", "GET / HTTP/2",
			"GET / HTTP/1.2", "GET / HTTP/1.10", "GET / HTTP/1.1 ", "GET / HTTP/1.1\n", "GET / HTTP/1.1\rX",
			"GET / HTTP/1.1\r\nHost: a\n", "GET / HTTP/1.1\r\nHost: a\r\n ", "GET / HTTP/1.1\r\nHost: a\r\n\t",
			"GET / HTTP/1.1\r\nHost: a\r\nX ", "GET / HTTP/1.1\r\n:", "GET / HTTP/1.1\r\nX\r",
			"GET / HTTP/1.1\r\nX: \u0000", "GET / HTTP/1.1\r\nX: \u007f", "GET / HTTP/1.1\r\nX: a\rb",
			"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r",
			"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r", "GET / HTTP/1.1\r\nHost:\r", "GET / HTTP/1.1\r\nHost: a b\r",
			"GET / HTTP/1.1\r\nHost: a/\r", "GET / HTTP/1.1\r\nHost: u@a\r", "GET / HTTP/1.1\r\nHost: a:999999\r\n",
			"GET / HTTP/1.1\r\nHost: a:-1\r", "GET / HTTP/1.1\r\nHost: a,b\r", "OPTIONS *", "CONNECT a:80",
			"GET /a;b HTTP/1.0", "GET /../a HTTP/1.0", "GET /. HTTP/1.0", "GET /a/..?b HTTP/1.0", "CONNECT /a HTTP/1.0",
			"GET /%6f HTTP/1.0", "GET ?a HTTP/1.0\r\n", "GET /..%2f HTTP/1.0", "GET /%00 HTTP/1.0", "GET /%5c HTTP/1.0",
			"GET http://a HTTP/1.0\r\n", "GET http://[a]/ HTTP/1.1", "GET /%c0%af HTTP/1.0", "GET /%ed%a0%80 HTTP/1.0",
			"GET // HTTP/1.0", "GET //a HTTP/1.0", "GET http://a//b HTTP/1.0", "GET /[1] HTTP/1.0",
			"GET /?a[] HTTP/1.0", "GET / HTTP/1.1\r\nExpect: x\r", "GET a", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
			"GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET f", "POST / HTTP/1.0\r\nContent-Length:\r",
			"POST / HTTP/1.0\r\nContent-Length: +1\r", "POST / HTTP/1.0\r\nContent-Length: -1\r",
			"POST / HTTP/1.0\r\nContent-Length: 1 2\r", "POST / HTTP/1.0\r\nContent-Length: 1,1\r",
			"POST / HTTP/1.0\r\nContent-Length: 0x1\r", "POST / HTTP/1.0\r\nContent-Length: 9223372036854775808\r",
			"POST / HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r",
			"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
			"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r", "POST / HTTP/1.1\r\nTransfer-Encoding: identity\r",
			"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r", "POST / HTTP/1.1\r\nTransfer-Encoding:\r",
			"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r",
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" })
	void refusesWhatBreaksARule(String requests) {
		assertBroken(requests);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\r", "\n", "g", "-", " ", "0x", "1\n", "1\r\r", "1 ", "10000000", "1;\r", "1; ", "1;a=\r",
			"1;a==", "1;a=b=", "1;a=\"", "1\r\naa", "1\r\na\n", "1\r\na\rb", "0\r\n\n", "0\r\n ", "0\r\nX",
			"0\r\nX: \n", "0\r\nHost: a\r", "0\r\nContent-Length: 1\r" })
	void refusesWhatBreaksChunkedFraming(String chunks) {
		assertBroken("POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + chunks);
	}

	/** However it is cut, by the end of its line at the latest, and for good. */
	private static void assertBroken(String requests) {
		byte[] bytes = (requests + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
		for (int size = 1; size <= bytes.length; size++) {
			assertThat(wellFormed(MAX_HEAD_BYTES, bytes, size)).isNegative();
		}
		RequestFraming framing = new RequestFraming(MAX_HEAD_BYTES);
		check(framing, requests + "\r\n\r\n");
		assertThat(check(framing, HOST)).isZero();
	}

	@Test
	void boundsHeadsFieldsTrailersAndChunkLines() {
		String line = "GET / HTTP/1.0\r\n";
		String filler = "X: " + "y".repeat(MAX_HEAD_BYTES - line.length() - 7) + "\r\n\r\n";
		assertThat(isWellFormed(line + filler, MAX_HEAD_BYTES)).isTrue();
		assertThat(isWellFormed(line + filler, MAX_HEAD_BYTES - 1)).isFalse();

		assertThat(isWellFormed(line + "X:\r\n".repeat(RequestFraming.MAX_FIELDS) + "\r\n", 8192)).isTrue();
		assertThat(isWellFormed(line + "X:\r\n".repeat(RequestFraming.MAX_FIELDS + 1) + "\r\n", 8192)).isFalse();

		String chunked = "POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
		assertThat(isWellFormed(chunked + "0\r\nX: " + "y".repeat(MAX_HEAD_BYTES), MAX_HEAD_BYTES)).isFalse();
		assertThat(isWellFormed(chunked + "1;" + "a".repeat(252) + "\r\n", 8192)).isTrue();
		assertThat(isWellFormed(chunked + "1;" + "a".repeat(253) + "\r\n", 8192)).isFalse();
		assertThat(isWellFormed(chunked + "1\r\na\r\n".repeat(1000) + "0\r\n\r\n", MAX_HEAD_BYTES)).isTrue();
	}

	@Test
	void tellsWhetherTheHeadOrTheBodyIsIncomplete() {
		RequestFraming framing = new RequestFraming(MAX_HEAD_BYTES);
		assertThat(framing.isInHead()).isFalse();

		check(framing, "P");
		assertThat(framing.isInHead()).isTrue();
		check(framing, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r");
		assertThat(framing.isInHead()).isTrue();
		check(framing, "\r\n");
		assertThat(framing.isInHead()).isFalse();
		assertThat(framing.isInBody()).isTrue();
		check(framing, "1\r\na\r\n0\r\nX: y");
		assertThat(framing.isInBody()).isTrue();
		check(framing, "X: y\r\n\r\n");
		assertThat(framing.isInBody()).isFalse();
		assertThat(framing.isComplete()).isTrue();
	}

	/** Such as the beginning of TLS. */
	@Test
	void refusesAByteThatNoLineMayHaveBeforeTheLineEnds() {
		RequestFraming framing = new RequestFraming(MAX_HEAD_BYTES);

		check(framing, "\u0016");

		assertThat(framing.isBroken()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "GET /a?b HTTP/1.1, X: close, GET, /a, false", "HEAD http://gateway?b HTTP/1.1, X: y, HEAD, /, false",
			"POST / HTTP/1.1, connection: x;Close, POST, /, true", "PUT /a~b HTTP/1.0, X: y, PUT, /a~b, true" })
	void tellsWhatARequestAsksFor(String line, String field, String method, String path, boolean last) {
		RequestFraming framing = new RequestFraming(MAX_HEAD_BYTES);

		check(framing, line + "\r\n" + HOST + field + "\r\n\r\n");

		assertThat(framing.isComplete()).isTrue();
		assertThat(framing.head().method()).isEqualTo(method);
		assertThat(framing.head().path()).isEqualTo(path);
		assertThat(framing.head().isLast()).isEqualTo(last);
	}

	private static boolean isWellFormed(String requests, int maxHeadBytes) {
		byte[] bytes = requests.getBytes(StandardCharsets.ISO_8859_1);
		return wellFormed(maxHeadBytes, bytes, bytes.length) == bytes.length;
	}

	/**
	 * Feeds the bytes of one request after another, in pieces; returns how many were
	 * checked, -1 if they break a rule.
	 */
	private static int wellFormed(int maxHeadBytes, byte[] bytes, int size) {
		RequestFraming framing = new RequestFraming(maxHeadBytes);
		int checked = 0;
		int arrived = 0;
		while (!framing.isBroken() && checked < bytes.length && (arrived < bytes.length || framing.isComplete())) {
			framing = framing.isComplete() ? new RequestFraming(maxHeadBytes) : framing;
			arrived = Math.min(arrived + size, bytes.length);
			checked += framing.check(ByteBuffer.wrap(bytes, checked, arrived - checked));
		}
		return framing.isBroken() ? -1 : checked;
	}

	private static int check(RequestFraming framing, String bytes) {
		return framing.check(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)));
	}

}
