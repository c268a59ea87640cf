package dev.sluice.gateway.core.http;

import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Checks that the bytes of one connection are well-formed HTTP/1.0 or HTTP/1.1 requests
 * (RFC 9112), one after the other. It accepts nothing that another server could read
 * differently: lines end with CRLF, one space separates the parts of a request line,
 * nothing is folded, and a body has exactly one length. Everything that a lenient server
 * would repair is an error here, so that two servers behind this check agree on where a
 * request ends.
 * <p>
 * Once a byte breaks a rule, the connection stays broken; answer with 400 and close it.
 * An instance holds a few hundred bytes, and of a head only the target and the values of
 * {@code Host}, {@code Content-Length}, {@code Transfer-Encoding} and {@code Expect}. Not
 * thread-safe.
 */
public final class RequestFraming {

	/** Maximum number of header fields, and of trailer fields. */
	public static final int MAX_FIELDS = 100;

	/** Maximum number of bytes of a chunk's extensions. */
	private static final int MAX_CHUNK_LINE_BYTES = 256;

	/**
	 * Limits a chunk to less than 256 MB: the servers behind this check count no further.
	 */
	private static final int MAX_CHUNK_DIGITS = 7;

	private static final int CR = '\r';

	private static final int LF = '\n';

	private static final int DEL = 0x7F;

	/**
	 * No resource has these methods, and servers answer them without asking the
	 * application.
	 */
	private static final Set<String> REFUSED_METHODS = Set.of("CONNECT", "TRACE");

	private static final byte[] VERSION = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);

	/** Length of the longest field name that is compared: {@code transfer-encoding}. */
	private static final int MAX_KNOWN_NAME = 17;

	private static final String LABEL = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*+";

	private static final String AUTHORITY = "(?:" + LABEL + "(?:\\." + LABEL
			+ ")*+\\.?|\\[([0-9A-Fa-f:.]{2,45})])(?::([0-9]{1,5}))?";

	private static final Pattern HOST = Pattern.compile(AUTHORITY);

	private static final Pattern ABSOLUTE_TARGET = Pattern.compile("(?i:https?)://([^/?]*)(/[^?]*)?(\\?.*)?");

	private static final Pattern UNUSABLE_IN_PATH = Pattern.compile("%(?:00|2[Ff]|5[Cc])");

	private static final Pattern LENGTH = Pattern.compile("[0-9]{1,19}");

	/** {@code tchar} of RFC 9110. */
	private static final boolean[] TOKEN = characters("!#$%&'*+-.^_`|~");

	/** The characters of a target, except the percent sign (RFC 3986). */
	private static final boolean[] TARGET = characters("-._~!$&'()*+,;=:@/?[]");

	private final int maxHeadBytes;

	private State state = State.START;

	private int sectionBytes;

	private int fields;

	private boolean trailers;

	/** Position within the part of a line that is being read. */
	private int index;

	private int hexDigitsDue;

	private boolean http11;

	private long completed;

	private boolean partEnded;

	private final StringBuilder method = new StringBuilder();

	private final StringBuilder target = new StringBuilder();

	private final byte[] name = new byte[MAX_KNOWN_NAME];

	private Field field = Field.OTHER;

	private final StringBuilder value = new StringBuilder(0);

	private @Nullable String host;

	private @Nullable String length;

	private @Nullable String transferEncoding;

	private boolean extensionValue;

	/** Bytes of the body or the chunk that have not arrived yet. */
	private long remaining;

	/**
	 * @param maxHeadBytes maximum size of a head, from its first byte to the end of its
	 * empty line, in bytes; also of the trailers
	 */
	public RequestFraming(int maxHeadBytes) {
		this.maxHeadBytes = maxHeadBytes;
	}

	/**
	 * Checks the next bytes of the connection.
	 * @param bytes the bytes from position to limit; neither is changed
	 * @return the number of well-formed bytes; less than all if the next one breaks a
	 * rule
	 */
	public int check(ByteBuffer bytes) {
		return check(bytes, false);
	}

	/**
	 * Like {@link #check(ByteBuffer)}, but stops at the end of a head or of a request,
	 * whichever comes first.
	 * @param bytes the bytes from position to limit; neither is changed
	 * @return the number of bytes that were checked and are well-formed
	 */
	public int checkPart(ByteBuffer bytes) {
		return check(bytes, true);
	}

	private int check(ByteBuffer bytes, boolean onePart) {
		int start = bytes.position();
		int end = bytes.limit();
		int at = start;
		this.partEnded = false;
		while (at < end && !(onePart && this.partEnded)) {
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
				return at - start;
			}
		}
		return at - start;
	}

	/** Whether a request has begun whose head is not yet complete. */
	public boolean isInHead() {
		return switch (this.state) {
			case EMPTY_LINE_LF, METHOD, TARGET, VERSION, REQUEST_LINE_LF, FIELD, NAME, VALUE, FIELD_LF, SECTION_LF ->
				!this.trailers;
			case START, BODY, CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_SIZE_LF, CHUNK, CHUNK_CR, CHUNK_LF, BROKEN -> false;
		};
	}

	/** Whether no request has begun since the last one ended. */
	public boolean isBetweenRequests() {
		return this.state == State.START || this.state == State.EMPTY_LINE_LF;
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
		if (this.remaining == 0) {
			if (this.state == State.CHUNK) {
				this.state = State.CHUNK_CR;
			}
			else {
				end();
			}
		}
	}

	private boolean isAllowed(int octet) {
		return switch (this.state) {
			case START -> start(octet);
			case EMPTY_LINE_LF -> octet == LF && go(State.START);
			case METHOD -> counted() && ((octet == ' ') ? beginTarget() : method(octet));
			case TARGET -> counted() && ((octet == ' ') ? endTarget() : target(octet));
			case VERSION -> counted() && version(octet);
			case REQUEST_LINE_LF, FIELD_LF -> counted() && octet == LF && go(State.FIELD);
			case FIELD -> counted() && ((octet == CR) ? go(State.SECTION_LF) : beginField(octet));
			case NAME -> counted() && ((octet == ':') ? endName() : TOKEN[octet] && name(octet));
			case VALUE -> counted() && ((octet == CR) ? endValue() : value(octet));
			case SECTION_LF -> counted() && octet == LF && (this.trailers ? end() : endHead());
			case CHUNK_SIZE -> chunkSize(octet);
			case CHUNK_EXTENSION -> chunkExtension(octet);
			case CHUNK_SIZE_LF -> octet == LF && endChunkSize();
			case CHUNK_CR -> octet == CR && go(State.CHUNK_LF);
			case CHUNK_LF -> octet == LF && beginChunk();
			case BODY, CHUNK, BROKEN -> false;
		};
	}

	private boolean go(State next) {
		this.state = next;
		return true;
	}

	private boolean counted() {
		return ++this.sectionBytes <= this.maxHeadBytes;
	}

	/** One empty line before a request is ignored (RFC 9112, section 2.2). */
	private boolean start(int octet) {
		if (octet == CR) {
			return ++this.index == 1 && go(State.EMPTY_LINE_LF);
		}
		this.sectionBytes = 1;
		this.fields = 0;
		this.host = null;
		this.length = null;
		this.transferEncoding = null;
		this.method.setLength(0);
		this.state = State.METHOD;
		return method(octet);
	}

	private boolean method(int octet) {
		this.method.append((char) octet);
		return TOKEN[octet];
	}

	private boolean beginTarget() {
		if (REFUSED_METHODS.contains(this.method.toString())) {
			return false;
		}
		this.index = 0;
		this.hexDigitsDue = 0;
		this.target.setLength(0);
		return go(State.TARGET);
	}

	private boolean target(int octet) {
		// No asterisk and no authority: only a path or http://...
		if (this.index++ == 0 && octet != '/' && octet != 'h' && octet != 'H') {
			return false;
		}
		this.target.append((char) octet);
		if (this.hexDigitsDue > 0) {
			this.hexDigitsDue--;
			return octet < 0x80 && Character.digit(octet, 16) >= 0;
		}
		if (octet == '%') {
			this.hexDigitsDue = 2;
			return true;
		}
		return TARGET[octet];
	}

	private boolean endTarget() {
		if (this.index == 0 || this.hexDigitsDue > 0) {
			return false;
		}
		this.index = 0;
		return go(State.VERSION);
	}

	private boolean version(int octet) {
		int at = this.index++;
		if (at < VERSION.length) {
			return octet == VERSION[at];
		}
		if (at == VERSION.length) {
			this.http11 = octet == '1';
			return octet == '0' || octet == '1';
		}
		return octet == CR && go(State.REQUEST_LINE_LF);
	}

	/** White space would continue the line before (obsolete line folding): refused. */
	private boolean beginField(int octet) {
		this.index = 0;
		return ++this.fields <= MAX_FIELDS && TOKEN[octet] && name(octet) && go(State.NAME);
	}

	private boolean name(int octet) {
		if (this.index < MAX_KNOWN_NAME) {
			this.name[this.index] = (byte) Character.toLowerCase(octet);
		}
		this.index++;
		return true;
	}

	private boolean endName() {
		this.field = Field.of(this.name, this.index);
		this.value.setLength(0);
		return go(State.VALUE);
	}

	private boolean value(int octet) {
		if (this.field != Field.OTHER) {
			this.value.append((char) octet);
		}
		return octet == '\t' || (octet >= ' ' && octet != DEL);
	}

	private boolean endValue() {
		this.state = State.FIELD_LF;
		if (this.field == Field.OTHER) {
			return true;
		}
		if (this.trailers) {
			return false;
		}
		String text = trimmed(this.value);
		return switch (this.field) {
			case HOST -> {
				boolean first = this.host == null;
				this.host = text;
				yield first && isAuthority(text);
			}
			case CONTENT_LENGTH -> {
				boolean first = this.length == null;
				this.length = text;
				yield first && isLength(text);
			}
			case TRANSFER_ENCODING -> {
				boolean first = this.transferEncoding == null;
				this.transferEncoding = text;
				yield first && text.equalsIgnoreCase("chunked");
			}
			// There is no other expectation.
			case EXPECT -> !this.http11 || text.equalsIgnoreCase("100-continue");
			case OTHER -> true;
		};
	}

	/** Only spaces and tabs are optional white space; {@code trim} removes more. */
	private static String trimmed(CharSequence text) {
		int start = 0;
		int end = text.length();
		while (start < end && isBlank(text.charAt(start))) {
			start++;
		}
		while (end > start && isBlank(text.charAt(end - 1))) {
			end--;
		}
		return text.subSequence(start, end).toString();
	}

	private static boolean isBlank(char character) {
		return character == ' ' || character == '\t';
	}

	private static boolean isLength(String text) {
		if (!LENGTH.matcher(text).matches()) {
			return false;
		}
		// 19 digits fit an unsigned long: a length over Long.MAX_VALUE is negative here.
		return Long.parseUnsignedLong(text) >= 0;
	}

	private static boolean isAuthority(String text) {
		Matcher matcher = HOST.matcher(text);
		if (!matcher.matches()) {
			return false;
		}
		String port = matcher.group(2);
		if (port != null && Integer.parseInt(port) > 0xFFFF) {
			return false;
		}
		String address = matcher.group(1);
		if (address == null) {
			return true;
		}
		try {
			Inet6Address.ofLiteral(address);
			return true;
		}
		catch (IllegalArgumentException _) {
			return false;
		}
	}

	private boolean endHead() {
		if ((this.http11 && this.host == null) || !isTargetUsable()) {
			return false;
		}
		this.partEnded = true;
		if (this.transferEncoding != null) {
			return this.http11 && this.length == null && beginChunk();
		}
		if (this.length == null) {
			return end();
		}
		this.remaining = Long.parseLong(this.length);
		return (this.remaining == 0) ? end() : go(State.BODY);
	}

	/**
	 * Whether it is a path, or {@code http(s)://} with the authority of the Host field.
	 */
	private boolean isTargetUsable() {
		if (this.target.charAt(0) == '/') {
			return isPathUsable(this.target.toString());
		}
		Matcher matcher = ABSOLUTE_TARGET.matcher(this.target);
		return matcher.matches() && isAuthority(matcher.group(1))
				&& (this.host == null || this.host.equalsIgnoreCase(matcher.group(1)))
				&& isPathUsable(orElse(matcher.group(2), "/") + orElse(matcher.group(3), ""));
	}

	private static String orElse(@Nullable String group, String other) {
		return (group != null) ? group : other;
	}

	/**
	 * Whether every server decodes the target in the same way: it is UTF-8, and its path
	 * has no brackets and no escaped NUL, slash or backslash, and does not lead above the
	 * root. Nor does it begin with two slashes, which would make the rest an authority.
	 */
	private static boolean isPathUsable(String target) {
		int query = target.indexOf('?');
		if (query >= 0 && decoded(target.substring(query)) == null) {
			return false;
		}
		String path = (query < 0) ? target : target.substring(0, query);
		if (path.startsWith("//") || path.indexOf('[') >= 0 || path.indexOf(']') >= 0) {
			return false;
		}
		if (path.indexOf('%') >= 0) {
			if (UNUSABLE_IN_PATH.matcher(path).find()) {
				return false;
			}
			path = decoded(path);
			if (path == null) {
				return false;
			}
		}
		int depth = 0;
		for (String segment : path.split("/")) {
			int parameters = segment.indexOf(';');
			String name = (parameters < 0) ? segment : segment.substring(0, parameters);
			if (name.equals("..")) {
				depth--;
			}
			else if (!name.isEmpty() && !name.equals(".")) {
				depth++;
			}
			if (depth < 0) {
				return false;
			}
		}
		return !path.isEmpty();
	}

	/**
	 * Decodes a part of a target, which has two digits after each percent sign.
	 * @return the part, null if it is not UTF-8
	 */
	private static @Nullable String decoded(String part) {
		ByteBuffer bytes = ByteBuffer.allocate(part.length());
		for (int i = 0; i < part.length(); i++) {
			char character = part.charAt(i);
			if (character == '%') {
				character = (char) Integer.parseInt(part, i + 1, i + 3, 16);
				i += 2;
			}
			bytes.put((byte) character);
		}
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
		}
		catch (CharacterCodingException _) {
			return null;
		}
	}

	private boolean end() {
		this.index = 0;
		this.trailers = false;
		this.completed++;
		this.partEnded = true;
		return go(State.START);
	}

	private boolean beginChunk() {
		this.index = 0;
		this.sectionBytes = 0;
		this.remaining = 0;
		return go(State.CHUNK_SIZE);
	}

	private boolean chunkSize(int octet) {
		int digit = (octet < 0x80) ? Character.digit(octet, 16) : -1;
		if (digit >= 0) {
			this.remaining = this.remaining * 16 + digit;
			return ++this.index <= MAX_CHUNK_DIGITS;
		}
		if (this.index == 0) {
			return false;
		}
		if (octet == ';') {
			this.index = 0;
			this.extensionValue = false;
			return go(State.CHUNK_EXTENSION);
		}
		return octet == CR && go(State.CHUNK_SIZE_LF);
	}

	/**
	 * Accepts names and values that are tokens, without white space; they have no effect.
	 */
	private boolean chunkExtension(int octet) {
		if (++this.sectionBytes > MAX_CHUNK_LINE_BYTES) {
			return false;
		}
		if (TOKEN[octet]) {
			this.index++;
			return true;
		}
		if (this.index == 0) {
			return false;
		}
		if (octet == CR) {
			return go(State.CHUNK_SIZE_LF);
		}
		this.index = 0;
		boolean valueBefore = this.extensionValue;
		this.extensionValue = octet == '=';
		return octet == ';' || (octet == '=' && !valueBefore);
	}

	private boolean endChunkSize() {
		if (this.remaining > 0) {
			return go(State.CHUNK);
		}
		this.trailers = true;
		this.sectionBytes = 0;
		this.fields = 0;
		return go(State.FIELD);
	}

	private static boolean[] characters(String punctuation) {
		boolean[] allowed = new boolean[256];
		for (char character = '0'; character <= 'z'; character++) {
			allowed[character] = Character.isLetterOrDigit(character);
		}
		for (char character : punctuation.toCharArray()) {
			allowed[character] = true;
		}
		return allowed;
	}

	/** What the next byte belongs to. A section is a head or the trailers. */
	private enum State {

		START, EMPTY_LINE_LF, METHOD, TARGET, VERSION, REQUEST_LINE_LF, FIELD, NAME, VALUE, FIELD_LF, SECTION_LF, BODY,
		CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_SIZE_LF, CHUNK, CHUNK_CR, CHUNK_LF, BROKEN

	}

	/**
	 * The fields whose values decide where a request ends, which host it is for, or
	 * whether its client waits for 100 (Continue).
	 */
	private enum Field {

		HOST, EXPECT, CONTENT_LENGTH, TRANSFER_ENCODING, OTHER;

		static Field of(byte[] name, int length) {
			return switch (length) {
				case 4 -> is(name, "host") ? HOST : OTHER;
				case 6 -> is(name, "expect") ? EXPECT : OTHER;
				case 14 -> is(name, "content-length") ? CONTENT_LENGTH : OTHER;
				case 17 -> is(name, "transfer-encoding") ? TRANSFER_ENCODING : OTHER;
				default -> OTHER;
			};
		}

		private static boolean is(byte[] name, String known) {
			for (int i = 0; i < known.length(); i++) {
				if (name[i] != known.charAt(i)) {
					return false;
				}
			}
			return true;
		}

	}

}
