package dev.sluice.sink.client;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were in flight and are to be sent again, before new ones. Bounded by the
 * messages that were in flight. Not thread-safe.
 */
final class Resends {

	private final TreeMap<Long, ByteString> byNumber = new TreeMap<>();

	/** The same messages by id, for acknowledgements that come late. */
	private final Map<ByteString, Long> byId = new HashMap<>();

	void add(ByteString id, long number) {
		this.byNumber.put(number, id);
		this.byId.put(id, number);
	}

	boolean isEmpty() {
		return this.byNumber.isEmpty();
	}

	/** The number of the one that was appended first. */
	long first() {
		return this.byNumber.firstKey();
	}

	/** Whether it was there. */
	boolean remove(long number) {
		ByteString id = this.byNumber.remove(number);
		if (id != null) {
			this.byId.remove(id);
		}
		return id != null;
	}

	/** The number of the message with this id, if it was there. */
	@Nullable Long remove(ByteString id) {
		Long number = this.byId.remove(id);
		if (number != null) {
			this.byNumber.remove(number);
		}
		return number;
	}

	void clear() {
		this.byNumber.clear();
		this.byId.clear();
	}

}
