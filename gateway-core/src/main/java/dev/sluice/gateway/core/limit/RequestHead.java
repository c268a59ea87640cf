package dev.sluice.gateway.core.limit;

import java.util.HashMap;
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

	private static final Pattern NAME = Pattern.compile(TOKEN);

	/**
	 * A path of segments that need no decoding and go nowhere but down, or an absolute
	 * target with one. Nothing else names a resource.
	 */
	private static final Pattern REQUEST_LINE = Pattern.compile("(?!CONNECT )(" + TOKEN
			+ ") (?:(?i:https?)://([^/?\\[]*+)|(?=/))((?:/(?!\\.\\.?[/? ])[-._~0-9A-Za-z]++)*+/?)(?:\\?(?:[-._~!$&'()*+,;=:@/?0-9A-Za-z]|%[0-9A-Fa-f]{2})*+)? HTTP/1\\.([01])");

	private static final String HOST = "host";

	private static final String CONTENT_LENGTH = "content-length";

	private static final String TRANSFER_ENCODING = "transfer-encoding";

	private static final String EXPECT = "expect";

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

	/**
	 * Whether a further line is well-formed. Those fields that decide where the request
	 * ends and whom it is for must be there once. White space at the beginning of a line
	 * would continue the line before (obsolete line folding).
	 */
	boolean add(String line) {
		int colon = line.indexOf(':');
		String name = line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
		return switch (name) {
			case HOST, CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT ->
				this.values.putIfAbsent(name, line.substring(colon + 1).trim()) == null;
			case "connection" -> {
				this.last |= line.toLowerCase(Locale.ROOT).contains("close");
				yield true;
			}
			case "prefer" -> {
				this.preferring = true;
				yield true;
			}
			default -> NAME.matcher(name).matches();
		};
	}

	/** Whether a line behind a chunked body is well-formed and changes nothing. */
	static boolean isTrailer(String line) {
		RequestHead alone = new RequestHead();
		return alone.add(line) && alone.values.isEmpty();
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
			return !this.http11 && this.authority == null;
		}
		return AUTHORITY.matcher(host).matches() && (this.authority == null || this.authority.equalsIgnoreCase(host));
	}

}
