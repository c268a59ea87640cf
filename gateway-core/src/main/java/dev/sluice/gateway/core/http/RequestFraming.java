package dev.sluice.gateway.core.http;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.Order;

/**
 * Finds where the requests of one HTTP/1.1 connection end (RFC 9112), and whether each is
 * well-formed: lines end with CRLF, heads obey {@link RequestHead}, and chunks have no
 * white space around their size. Two servers behind this check agree on every request.
 * <p>
 * Once a byte breaks a rule, the connection stays broken; answer with 400 and close it.
 * An instance holds one line. Not thread-safe.
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

	private static final int CR = '\r';

	private static final int LF = '\n';

	private static final int DEL = 0x7F;

	private final int maxHeadBytes;

	private State state = State.START;

	/** The line that is being read, without its LF. */
	private final StringBuilder line = new StringBuilder();

	private boolean afterCr;

	/** Bytes of the head, the trailers or the chunk's line that were read. */
	private int sectionBytes;

	private int maxSectionBytes;

	private boolean emptyLine;

	private int fields;

	private RequestHead head = new RequestHead();

	/** Bytes of the body or the chunk that have not arrived yet. */
	private long remaining;

	/** Size of the body, or of its chunks so far. */
	private long contentBytes;

	private int bodyBytes;

	private long completed;

	/**
	 * @param maxHeadBytes maximum size of a head, from its first byte to the end of its
	 * empty line, in bytes; also of the trailers
	 */
	public RequestFraming(int maxHeadBytes) {
		this.maxHeadBytes = maxHeadBytes;
		this.maxSectionBytes = maxHeadBytes;
	}

	/**
	 * Checks the next bytes of the connection, up to the end of a request.
	 * @param bytes the bytes from position to limit; neither is changed
	 * @return the number of bytes that were checked; all of them are part of a
	 * well-formed request, unless {@link #isBroken}
	 */
	public int check(ByteBuffer bytes) {
		int start = bytes.position();
		int end = bytes.limit();
		int at = start;
		long before = this.completed;
		while (at < end && this.completed == before && this.state != State.BROKEN) {
			if (this.state == State.BODY || this.state == State.CHUNK) {
				int skipped = (int) Math.min(this.remaining, end - at);
				at += skipped;
				skip(skipped);
			}
			else if (isAllowed(bytes.get(at) & 0xFF)) {
				at++;
			}
			else {
				this.state = State.BROKEN;
			}
		}
		return at - start;
	}

	/** Whether a request has begun whose head is not yet complete. */
	public boolean isInHead() {
		return this.state == State.FIELDS || (this.state == State.START && !this.line.isEmpty());
	}

	/** Whether a head is complete whose body is not. */
	public boolean isInBody() {
		return this.state != State.START && this.state != State.FIELDS && this.state != State.BROKEN;
	}

	/** Number of bytes of the body that have arrived, with the frames of its chunks. */
	public int bodyBytes() {
		return this.bodyBytes;
	}

	/** Whether the body is longer than an order may be, or in too many chunks. */
	public boolean isTooLarge() {
		return this.contentBytes > Order.MAX_BYTES || this.bodyBytes > 2 * Order.MAX_BYTES;
	}

	/** The head that was read last. */
	public RequestHead head() {
		return this.head;
	}

	/** Number of requests received completely, with their bodies. */
	public long completed() {
		return this.completed;
	}

	/** Whether a byte has broken a rule. */
	public boolean isBroken() {
		return this.state == State.BROKEN;
	}

	private void skip(int bytes) {
		this.remaining -= bytes;
		this.bodyBytes += bytes;
		if (this.remaining == 0) {
			if (this.state == State.CHUNK) {
				go(State.CHUNK_END);
			}
			else {
				end();
			}
		}
	}

	private boolean isAllowed(int octet) {
		if (++this.sectionBytes > this.maxSectionBytes || this.afterCr != (octet == LF)) {
			return false;
		}
		this.afterCr = octet == CR;
		if (isInBody()) {
			this.bodyBytes++;
		}
		if (octet == LF) {
			String text = this.line.substring(0, this.line.length() - 1);
			this.line.setLength(0);
			return isAllowed(text);
		}
		this.line.append((char) octet);
		return (octet >= ' ' && octet != DEL) || octet == '\t' || octet == CR;
	}

	private boolean isAllowed(String text) {
		return switch (this.state) {
			case START -> text.isEmpty() ? skipEmptyLine() : beginHead(text);
			case FIELDS -> text.isEmpty() ? endHead() : ++this.fields <= MAX_FIELDS && this.head.add(text);
			case CHUNK_SIZE -> beginChunk(text);
			case CHUNK_END -> text.isEmpty() && go(State.CHUNK_SIZE);
			case TRAILERS -> text.isEmpty() ? end() : ++this.fields <= MAX_FIELDS && RequestHead.isTrailer(text);
			case BODY, CHUNK, BROKEN -> false;
		};
	}

	private boolean go(State next) {
		this.state = next;
		this.sectionBytes = 0;
		this.maxSectionBytes = (next == State.CHUNK_SIZE || next == State.CHUNK_END) ? MAX_CHUNK_LINE_BYTES
				: this.maxHeadBytes;
		return true;
	}

	/** One empty line before a request is ignored (RFC 9112, section 2.2). */
	private boolean skipEmptyLine() {
		boolean first = !this.emptyLine;
		this.emptyLine = true;
		this.sectionBytes = 0;
		return first;
	}

	private boolean beginHead(String text) {
		this.state = State.FIELDS;
		this.fields = 0;
		this.head = new RequestHead();
		return this.head.begin(text);
	}

	private boolean endHead() {
		this.remaining = this.head.end();
		this.contentBytes = Math.max(0, this.remaining);
		this.bodyBytes = 0;
		if (this.remaining == RequestHead.CHUNKED) {
			return go(State.CHUNK_SIZE);
		}
		return (this.remaining == 0) ? end() : this.remaining > 0 && go(State.BODY);
	}

	private boolean beginChunk(String text) {
		Matcher matcher = CHUNK_SIZE.matcher(text);
		if (!matcher.matches()) {
			return false;
		}
		this.remaining = Long.parseLong(matcher.group(1), 16);
		this.contentBytes += this.remaining;
		this.fields = 0;
		return go((this.remaining > 0) ? State.CHUNK : State.TRAILERS);
	}

	private boolean end() {
		this.emptyLine = false;
		this.completed++;
		return go(State.START);
	}

	/** What the next byte belongs to. */
	private enum State {

		START, FIELDS, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS, BROKEN

	}

}
