package dev.sluice.gateway.core.limit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.Order;

/**
 * Finds where one HTTP/1.1 request ends (RFC 9112), and whether it is well-formed: lines
 * end with CRLF, heads obey {@link RequestHead}, and chunks have no white space around
 * their size. Two servers behind this check agree on every request.
 * <p>
 * Once a rule is broken, it stays broken; answer with 400 and close the connection. Not
 * thread-safe.
 */
public final class RequestFraming {

	/** Maximum number of header fields, and of trailer fields. */
	public static final int MAX_FIELDS = 100;

	private static final int MAX_CHUNK_LINE_BYTES = 256;

	/**
	 * Limits a chunk to less than 256 MB: the servers behind this check count no further.
	 * Extensions have no effect.
	 */
	private static final Pattern CHUNK_SIZE = Pattern
		.compile("([0-9A-Fa-f]{1,7})(?:;" + RequestHead.TOKEN + "(?:=" + RequestHead.TOKEN + ")?)*+");

	private static final int DEL = 0x7F;

	private final RequestHead head = new RequestHead();

	private final int maxHeadBytes;

	private State state = State.START;

	/** Whether a part of the next line has arrived. */
	private boolean withinLine;

	private boolean emptyLine;

	/** Bytes and lines of the head or the trailers so far. */
	private int sectionBytes;

	private int fields;

	/** Bytes of the body or the chunk that have not arrived yet. */
	private long remaining;

	/** Size of the body, or of its chunks so far. */
	private long contentBytes;

	private int bodyBytes;

	/**
	 * @param maxHeadBytes maximum size of a head, from its first byte to the end of its
	 * empty line, in bytes; also of the trailers
	 */
	public RequestFraming(int maxHeadBytes) {
		this.maxHeadBytes = maxHeadBytes;
	}

	/**
	 * Checks the next bytes of the request.
	 * @param bytes the bytes from position to limit; neither is changed
	 * @return the number of bytes that were checked, up to the end of the request. Those
	 * of a line that has not arrived completely must be passed again with its rest
	 */
	public int check(ByteBuffer bytes) {
		int at = bytes.position();
		int end = at;
		do {
			at = end;
			end = switch (this.state) {
				case BODY, CHUNK -> skip(at, bytes.limit());
				case START, FIELDS, CHUNK_SIZE, CHUNK_END, TRAILERS -> readLine(bytes, at);
				case COMPLETE, BROKEN -> at;
			};
		}
		while (end > at);
		this.withinLine = end < bytes.limit();
		return end - bytes.position();
	}

	/** Whether the request has begun, and its head is not yet complete. */
	public boolean isInHead() {
		return this.state == State.FIELDS || (this.state == State.START && this.withinLine);
	}

	/** Whether the head is complete and the body is not. */
	public boolean isInBody() {
		return switch (this.state) {
			case BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS -> true;
			case START, FIELDS, COMPLETE, BROKEN -> false;
		};
	}

	/** Whether the request has arrived completely, with its body. */
	public boolean isComplete() {
		return this.state == State.COMPLETE;
	}

	/** Whether a byte has broken a rule. */
	public boolean isBroken() {
		return this.state == State.BROKEN;
	}

	/** Number of bytes of the body that were checked, with the frames of its chunks. */
	public int bodyBytes() {
		return this.bodyBytes;
	}

	/** Whether the body is longer than an order may be, or in too many chunks. */
	public boolean isTooLarge() {
		return this.contentBytes > Order.MAX_BYTES || this.bodyBytes > 2 * Order.MAX_BYTES;
	}

	public RequestHead head() {
		return this.head;
	}

	private int skip(int at, int limit) {
		int skipped = (int) Math.min(this.remaining, limit - at);
		this.remaining -= skipped;
		this.bodyBytes += skipped;
		if (this.remaining == 0) {
			this.state = (this.state == State.CHUNK) ? State.CHUNK_END : State.COMPLETE;
		}
		return at + skipped;
	}

	/** Returns the end of the line, or its beginning if it has not arrived completely. */
	private int readLine(ByteBuffer bytes, int start) {
		int end = start;
		int octet = 0;
		int afterCr = -1;
		boolean wellFormed = true;
		while (end < bytes.limit() && octet != '\n') {
			octet = bytes.get(end++) & 0xFF;
			if (octet == '\r' && afterCr < 0) {
				afterCr = end;
			}
			wellFormed &= octet != DEL && (octet >= ' ' || "\t\r\n".indexOf(octet) >= 0);
		}
		int length = end - start;
		boolean ofChunk = this.state == State.CHUNK_SIZE || this.state == State.CHUNK_END;
		wellFormed &= ofChunk ? length <= MAX_CHUNK_LINE_BYTES : this.sectionBytes + length <= this.maxHeadBytes;
		boolean arrived = octet == '\n';
		if (!wellFormed || (arrived && afterCr != end - 1)) {
			this.state = State.BROKEN;
			return start;
		}
		if (!arrived) {
			return start;
		}
		byte[] line = new byte[length - 2];
		bytes.get(start, line);
		this.sectionBytes += length;
		this.bodyBytes += isInBody() ? length : 0;
		this.state = next(new String(line, StandardCharsets.ISO_8859_1));
		return end;
	}

	private State next(String text) {
		return switch (this.state) {
			case START -> text.isEmpty() ? skipEmptyLine() : check(this.head.begin(text), State.FIELDS);
			case FIELDS ->
				text.isEmpty() ? endHead() : check(++this.fields <= MAX_FIELDS && this.head.add(text), State.FIELDS);
			case CHUNK_SIZE -> beginChunk(text);
			case CHUNK_END -> check(text.isEmpty(), State.CHUNK_SIZE);
			case TRAILERS -> text.isEmpty() ? State.COMPLETE
					: check(++this.fields <= MAX_FIELDS && RequestHead.isTrailer(text), State.TRAILERS);
			case BODY, CHUNK, COMPLETE, BROKEN -> State.BROKEN;
		};
	}

	private static State check(boolean wellFormed, State next) {
		return wellFormed ? next : State.BROKEN;
	}

	/** One empty line before a request is ignored (RFC 9112, section 2.2). */
	private State skipEmptyLine() {
		boolean first = !this.emptyLine;
		this.emptyLine = true;
		this.sectionBytes = 0;
		return check(first, State.START);
	}

	private State endHead() {
		this.remaining = this.head.end();
		this.contentBytes = Math.max(0, this.remaining);
		if (this.remaining == RequestHead.CHUNKED) {
			return State.CHUNK_SIZE;
		}
		return (this.remaining == 0) ? State.COMPLETE : check(this.remaining > 0, State.BODY);
	}

	private State beginChunk(String text) {
		Matcher matcher = CHUNK_SIZE.matcher(text);
		if (!matcher.matches()) {
			return State.BROKEN;
		}
		this.remaining = Long.parseLong(matcher.group(1), 16);
		this.contentBytes += this.remaining;
		this.fields = 0;
		this.sectionBytes = 0;
		return (this.remaining > 0) ? State.CHUNK : State.TRAILERS;
	}

	/** What the next byte belongs to. */
	private enum State {

		START, FIELDS, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS, COMPLETE, BROKEN

	}

}
