package dev.sluice.gateway.core.http;

import java.net.Inet6Address;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The head of one request, read line by line. It is well-formed only if every server
 * reads it in the same way: a body has exactly one length, a request one host, and a
 * target one decoding. Not thread-safe.
 */
public final class RequestHead {

	/** The length of a chunked body. */
	static final long CHUNKED = -1;

	/** The length of the body of an ill-formed request. */
	static final long ILL_FORMED = -2;

	static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

	private static final Pattern FIELD_NAME = Pattern.compile(TOKEN + ":");

	/**
	 * No resource has CONNECT or TRACE, and servers answer them without asking the
	 * application.
	 */
	private static final Pattern REQUEST_LINE = Pattern.compile("(?!CONNECT |TRACE )(" + TOKEN
			+ ") ((?:/|(?i:https?)://)(?:[-._~!$&'()*+,;=:@/?\\[\\]0-9A-Za-z]|%[0-9A-Fa-f]{2})*+) HTTP/1\\.([01])");

	private static final String HOST = "host";

	private static final String CONTENT_LENGTH = "content-length";

	private static final String TRANSFER_ENCODING = "transfer-encoding";

	private static final String EXPECT = "expect";

	private static final String CONNECTION = "connection:";

	/** The fields that decide where a request ends and whom it is for, each once. */
	private static final List<String> SINGLE = List.of(HOST, CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT);

	/** The names of RFC 3986, without what needs escapes or looks like two. */
	private static final Pattern AUTHORITY = Pattern
		.compile("(?:[-._~0-9A-Za-z]++|\\[([0-9A-Fa-f:.]{2,45})])(?::([0-9]{1,5})?)?");

	private static final Pattern ABSOLUTE_TARGET = Pattern.compile("(?i:https?)://([^/?]*)(.*)");

	private static final Pattern UNUSABLE_IN_PATH = Pattern.compile("%(?:00|2[Ff]|5[Cc])|[\\[\\]]");

	private static final Pattern LENGTH = Pattern.compile("[0-9]{1,19}");

	private final Map<String, String> values = new HashMap<>();

	private String method = "";

	private String target = "";

	private String path = "";

	private boolean http11;

	private boolean last;

	/** The method, such as {@code POST}. */
	public String method() {
		return this.method;
	}

	/** The path, as it was sent. Nothing in it needs an escape in JSON. */
	public String path() {
		return this.path.isEmpty() ? "/" : this.path;
	}

	/**
	 * Whether the connection must be closed after the answer: in HTTP/1.0, and if the
	 * client asks for it.
	 */
	public boolean isLast() {
		return this.last;
	}

	/** Whether the first line is well-formed. */
	boolean begin(String line) {
		Matcher matcher = REQUEST_LINE.matcher(line);
		if (!matcher.matches()) {
			return false;
		}
		this.method = matcher.group(1);
		this.target = matcher.group(2);
		this.http11 = matcher.group(3).equals("1");
		this.last = !this.http11;
		return true;
	}

	/** Whether a further line is well-formed. */
	boolean add(String line) {
		if (!isField(line)) {
			return false;
		}
		if (line.regionMatches(true, 0, CONNECTION, 0, CONNECTION.length())) {
			this.last |= line.toLowerCase(Locale.ROOT).contains("close");
		}
		String name = singleName(line);
		return name == null || this.values.putIfAbsent(name, line.substring(name.length() + 1).trim()) == null;
	}

	/** Whether a line behind a chunked body is well-formed and changes nothing. */
	static boolean isTrailer(String line) {
		return isField(line) && singleName(line) == null;
	}

	/**
	 * White space at the beginning would continue the line before (obsolete line
	 * folding).
	 */
	private static boolean isField(String line) {
		return FIELD_NAME.matcher(line).lookingAt();
	}

	private static @Nullable String singleName(String line) {
		for (String name : SINGLE) {
			if (line.length() > name.length() && line.charAt(name.length()) == ':'
					&& line.regionMatches(true, 0, name, 0, name.length())) {
				return name;
			}
		}
		return null;
	}

	/**
	 * The head is complete.
	 * @return the length of the body, {@link #CHUNKED} or {@link #ILL_FORMED}
	 */
	long end() {
		String host = this.values.get(HOST);
		String expect = this.values.get(EXPECT);
		if (((host != null) ? !isAuthority(host) : this.http11) || !isTargetUsable(host)
				|| (this.http11 && expect != null && !expect.equalsIgnoreCase("100-continue"))) {
			return ILL_FORMED;
		}
		String length = this.values.get(CONTENT_LENGTH);
		String encoding = this.values.get(TRANSFER_ENCODING);
		if (encoding != null) {
			return (this.http11 && length == null && encoding.equalsIgnoreCase("chunked")) ? CHUNKED : ILL_FORMED;
		}
		if (length == null) {
			return 0;
		}
		// 19 digits fit an unsigned long: a length over Long.MAX_VALUE is negative here.
		return (LENGTH.matcher(length).matches() && Long.parseUnsignedLong(length) >= 0)
				? Long.parseUnsignedLong(length) : ILL_FORMED;
	}

	private static boolean isAuthority(String text) {
		Matcher matcher = AUTHORITY.matcher(text);
		if (!matcher.matches() || (matcher.group(2) != null && Integer.parseInt(matcher.group(2)) > 0xFFFF)) {
			return false;
		}
		try {
			return matcher.group(1) == null || Inet6Address.ofLiteral(matcher.group(1)) != null;
		}
		catch (IllegalArgumentException _) {
			return false;
		}
	}

	/**
	 * Whether it is a path, or {@code http(s)://} with the authority of the Host field,
	 * and every server finds the same path and decodes it in the same way: it has no
	 * brackets and no escaped NUL, slash or backslash, and does not begin with two
	 * slashes, which would make the rest an authority.
	 */
	private boolean isTargetUsable(@Nullable String host) {
		String path = this.target;
		if (!path.startsWith("/")) {
			Matcher matcher = ABSOLUTE_TARGET.matcher(path);
			if (!matcher.matches() || !matcher.group(1).equalsIgnoreCase(host)) {
				return false;
			}
			path = matcher.group(2);
		}
		this.path = path.split("\\?", 2)[0];
		return !path.startsWith("//") && !UNUSABLE_IN_PATH.matcher(this.path).find() && isUtf8(path);
	}

	/**
	 * Whether the escaped bytes are UTF-8: others decode to the replacement character.
	 */
	private static boolean isUtf8(String target) {
		return target.indexOf('%') < 0 || URLDecoder.decode(target, StandardCharsets.UTF_8).indexOf('\uFFFD') < 0;
	}

}
