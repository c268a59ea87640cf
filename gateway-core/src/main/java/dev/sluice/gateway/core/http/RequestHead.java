package dev.sluice.gateway.core.http;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The head of one request, read line by line. It is well-formed only if every server
 * reads it in the same way: a body has exactly one length, a request one host, and a path
 * nothing to resolve. Not thread-safe.
 */
public final class RequestHead {

	/** The length of a chunked body. */
	static final long CHUNKED = -1;

	/** The length of the body of an ill-formed request. */
	static final long ILL_FORMED = -2;

	static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

	private static final Pattern FIELD_NAME = Pattern.compile(TOKEN + ":");

	/**
	 * A path of segments that need no decoding and go nowhere but down, or an absolute
	 * target with one. Nothing else names a resource.
	 */
	private static final Pattern REQUEST_LINE = Pattern.compile("(?!CONNECT )(" + TOKEN
			+ ") (?:(?i:https?)://([^/?\\[]*+))?((?:/(?!\\.\\.?[/? ])[-._~0-9A-Za-z]++)*+/?)(?:\\?(?:[-._~!$&'()*+,;=:@/?0-9A-Za-z]|%[0-9A-Fa-f]{2})*+)? HTTP/1\\.([01])");

	private static final String HOST = "host";

	private static final String CONTENT_LENGTH = "content-length";

	private static final String TRANSFER_ENCODING = "transfer-encoding";

	private static final String EXPECT = "expect";

	private static final String CONNECTION = "connection:";

	private static final String PREFER = "prefer:";

	/** The fields that decide where a request ends and whom it is for, each once. */
	private static final List<String> SINGLE = List.of(HOST, CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT);

	/** The names of RFC 3986, without what needs escapes or looks like two. */
	private static final Pattern AUTHORITY = Pattern
		.compile("(?:[-._~0-9A-Za-z]++|\\[[0-9A-Fa-f:.]++])(?::[0-9]{0,5})?");

	private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

	private final Map<String, String> values = new HashMap<>();

	private String method = "";

	/** The authority in an absolute target; null in any other. */
	private @Nullable String authority;

	private String path = "";

	private boolean http11;

	private boolean last;

	private boolean preferring;

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

	/** Whether the client waits for {@code 100 Continue}. */
	public boolean isContinueExpected() {
		return this.http11 && this.values.containsKey(EXPECT);
	}

	/** Whether it places an order in the default mode. */
	public boolean isPlainOrder() {
		return this.method.equals("POST") && this.path.equals("/orders") && !this.preferring;
	}

	/** Whether the first line is well-formed. */
	boolean begin(String line) {
		Matcher matcher = REQUEST_LINE.matcher(line);
		if (!matcher.matches()) {
			return false;
		}
		this.method = matcher.group(1);
		this.authority = matcher.group(2);
		this.path = matcher.group(3);
		this.http11 = matcher.group(4).equals("1");
		this.last = !this.http11;
		return true;
	}

	/** Whether a further line is well-formed. */
	boolean add(String line) {
		if (!isField(line)) {
			return false;
		}
		if (begins(line, CONNECTION)) {
			this.last |= line.toLowerCase(Locale.ROOT).contains("close");
		}
		this.preferring |= begins(line, PREFER);
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

	private static boolean begins(String line, String field) {
		return line.regionMatches(true, 0, field, 0, field.length());
	}

	private static @Nullable String singleName(String line) {
		for (String name : SINGLE) {
			if (begins(line, name) && line.charAt(name.length()) == ':') {
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
		String expect = this.values.get(EXPECT);
		if (!isAddressed() || (this.http11 && expect != null && !expect.equalsIgnoreCase("100-continue"))) {
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
		return LENGTH.matcher(length).matches() ? Long.parseLong(length) : ILL_FORMED;
	}

	/** Whether it says whom it is for, and only once. */
	private boolean isAddressed() {
		String host = this.values.get(HOST);
		if (host == null) {
			return !this.http11 && this.authority == null && !this.path.isEmpty();
		}
		return AUTHORITY.matcher(host).matches()
				&& ((this.authority != null) ? this.authority.equalsIgnoreCase(host) : !this.path.isEmpty());
	}

}
