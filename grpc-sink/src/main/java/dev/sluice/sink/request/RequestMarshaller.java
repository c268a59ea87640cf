package dev.sluice.sink.request;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import com.google.errorprone.annotations.Immutable;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.sequence.ClientSession;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import org.jspecify.annotations.Nullable;

/**
 * Reads the known fields of a {@link Request} from the wire, with one copy of the
 * payload, or two if gRPC has decompressed it. The generated parser keeps each unknown
 * field as objects, so 4 MB on the wire can take 141 MB. It never throws: bytes that are
 * not a request end their stream like any other message without a valid id.
 */
@Immutable
public final class RequestMarshaller implements Marshaller<Received> {

	static final int MAX_ID_BYTES = 64;

	static final int MAX_KEY_BYTES = 128;

	/** Enough for the envelope; a payload is read past this buffer. */
	private static final int BUFFER_BYTES = 128;

	/**
	 * A request of up to this many bytes is read at once: read piece by piece, each of
	 * its messages costs several small reads from the transport's buffers. Until it is
	 * parsed it takes twice its memory.
	 */
	private static final int AT_ONCE_BYTES = 16 * 1024;

	private static final byte[] NO_PAYLOAD = {};

	private static final Parser<Session> SESSION = DiscardUnknownFieldsParser.wrap(Session.parser());

	private final int maxBytes;

	/**
	 * Creates a marshaller.
	 * @param maxBytes maximum size of a request, also after gRPC has decompressed it
	 */
	public RequestMarshaller(int maxBytes) {
		this.maxBytes = maxBytes;
	}

	@Override
	public Received parse(InputStream stream) {
		try {
			CodedInputStream in = open(stream);
			return (in != null) ? read(in) : new Received.TooLarge();
		}
		catch (IOException ex) {
			return Received.Unnamed.of("The bytes are not a dev.sluice.sink.v1.Request: " + ex.getMessage());
		}
	}

	/** Null if the request is too large. */
	private @Nullable CodedInputStream open(InputStream stream) throws IOException {
		if (!(stream instanceof KnownLength)) {
			// What gRPC decompresses: only reading it shows how large it is.
			byte[] bytes = stream.readNBytes(this.maxBytes + 1);
			return (bytes.length <= this.maxBytes) ? CodedInputStream.newInstance(bytes) : null;
		}
		int bytes = stream.available();
		if (bytes > this.maxBytes) {
			return null;
		}
		return (bytes <= AT_ONCE_BYTES) ? CodedInputStream.newInstance(stream.readNBytes(bytes))
				: CodedInputStream.newInstance(stream, BUFFER_BYTES);
	}

	private Received read(CodedInputStream in) throws IOException {
		Fields fields = new Fields();
		Received.Unnamed wrong = fields.read(in);
		if (wrong != null) {
			return wrong;
		}
		if (fields.version < Payload.VERSION || fields.version > Payload.SEQUENCES_VERSION) {
			return Received.Unnamed.of("Version %s is not known; send version %s or %s"
				.formatted(Integer.toUnsignedString(fields.version), Payload.VERSION, Payload.SEQUENCES_VERSION));
		}
		if (fields.version < Payload.SEQUENCES_VERSION && fields.numbered()) {
			return Received.Unnamed.of("Session and sequence need version " + Payload.SEQUENCES_VERSION);
		}
		if (fields.session != null && !fields.session.isValid()) {
			return Received.Unnamed.of("A session must have an id of %s to %s bytes, and numbers less than 2^63"
				.formatted(ClientSession.MIN_ID_BYTES, ClientSession.MAX_ID_BYTES));
		}
		if (fields.messages.isEmpty()) {
			return fields.message();
		}
		return (fields.idBytes == 0 && fields.kind == Received.Kind.NONE && fields.sequence == 0
				&& fields.key.isEmpty()) ? new Received.Batch(fields.messages, fields.session) : Received.Unnamed
					.of("A request with messages must have no message_id, sequence, routing_key or payload of its own");
	}

	/** As in protobuf, the last of several values of a field counts. */
	private static final class Fields {

		private int version;

		private ByteString id = ByteString.EMPTY;

		private int idBytes;

		private Received.Kind kind = Received.Kind.NONE;

		private byte[] payload = NO_PAYLOAD;

		private long sequence;

		private ByteString key = ByteString.EMPTY;

		private int keyBytes;

		private Session announced = Session.getDefaultInstance();

		private @Nullable ClientSession session;

		private List<Received.Message> messages = List.of();

		/** Whether anything has a sequence or a session. */
		boolean numbered() {
			return this.sequence != 0 || this.session != null
					|| this.messages.stream().anyMatch((message) -> message.sequence() != 0);
		}

		/**
		 * Reads a request.
		 * @return what is wrong with it, which ends its stream; null if nothing is
		 */
		Received.@Nullable Unnamed read(CodedInputStream in) throws IOException {
			int tag = in.readTag();
			while (tag != 0) {
				if (tag == tag(Request.VERSION_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
					this.version = in.readUInt32();
				}
				else if (tag == tag(Request.SESSION_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
					Received.Unnamed wrong = readSession(in);
					if (wrong != null) {
						return wrong;
					}
				}
				else if (tag == tag(Request.MESSAGES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
					Received.Unnamed wrong = readOneOfSeveral(in);
					if (wrong != null) {
						return wrong;
					}
				}
				else {
					readField(in, tag);
				}
				tag = in.readTag();
			}
			return null;
		}

		private Received.@Nullable Unnamed readOneOfSeveral(CodedInputStream in) throws IOException {
			if (this.messages.size() == Received.Batch.MAX_MESSAGES) {
				return Received.Unnamed
					.of("A request has at most " + Received.Batch.MAX_MESSAGES + " messages (batch_messages)");
			}
			Fields fields = new Fields();
			int outer = in.pushLimit(in.readRawVarint32());
			int tag = in.readTag();
			while (tag != 0) {
				fields.readField(in, tag);
				tag = in.readTag();
			}
			if (in.getBytesUntilLimit() != 0) {
				return Received.Unnamed.of("A message of the request is cut off");
			}
			in.popLimit(outer);
			if (this.messages.isEmpty()) {
				this.messages = new ArrayList<>();
			}
			Received read = fields.message();
			if (read instanceof Received.Message message) {
				this.messages.add(message);
				return null;
			}
			return (Received.Unnamed) read;
		}

		/** As in protobuf, several session fields are merged into one. */
		private Received.@Nullable Unnamed readSession(CodedInputStream in) throws IOException {
			int outer = in.pushLimit(in.readRawVarint32());
			Session part = SESSION.parsePartialFrom(in);
			in.checkLastTagWas(0);
			if (in.getBytesUntilLimit() != 0) {
				return Received.Unnamed.of("The session of the request is cut off");
			}
			in.popLimit(outer);
			this.announced = this.announced.toBuilder().mergeFrom(part).build();
			this.session = new ClientSession(this.announced.getId(), this.announced.getFirstUnsettled(),
					this.announced.getAgeMillis(), this.announced.getFirstNew());
			return null;
		}

		/** Reads a field that both a request and each message of a batch can have. */
		private void readField(CodedInputStream in, int tag) throws IOException {
			if (tag == tag(Request.MESSAGE_ID_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				this.idBytes = in.readRawVarint32();
				this.id = readBytes(in, this.idBytes, MAX_ID_BYTES);
			}
			else if (tag == tag(Request.PLAIN_MESSAGE_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				this.kind = Received.Kind.PLAIN;
				this.payload = in.readByteArray();
			}
			else if (tag == tag(Request.ZSTD_COMPRESSED_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				this.kind = Received.Kind.ZSTD;
				this.payload = in.readByteArray();
			}
			else if (tag == tag(Request.SEQUENCE_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
				this.sequence = in.readUInt64();
			}
			else if (tag == tag(Request.ROUTING_KEY_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				this.keyBytes = in.readRawVarint32();
				this.key = readBytes(in, this.keyBytes, MAX_KEY_BYTES);
			}
			else if (!in.skipField(tag)) {
				// The end of a group that never began.
				in.checkLastTagWas(0);
			}
		}

		private Received message() {
			if (this.idBytes == 0 || this.idBytes > MAX_ID_BYTES) {
				return Received.Unnamed.of("message_id has " + this.idBytes + " bytes; send 1 to " + MAX_ID_BYTES);
			}
			if (this.sequence < 0 || this.sequence == Long.MAX_VALUE) {
				return Received.Unnamed.of("A sequence must be less than 2^63 - 1");
			}
			if (this.keyBytes > MAX_KEY_BYTES) {
				return Received.Unnamed
					.of("routing_key has " + this.keyBytes + " bytes; send at most " + MAX_KEY_BYTES);
			}
			return new Received.Message(this.id, this.key, this.kind, this.payload, this.sequence, this.session);
		}

	}

	/** Returns no bytes if there are more than {@code maxBytes}. */
	private static ByteString readBytes(CodedInputStream in, int length, int maxBytes) throws IOException {
		if (length > maxBytes || length == 0) {
			in.skipRawBytes(length);
			return ByteString.EMPTY;
		}
		return UnsafeByteOperations.unsafeWrap(in.readRawBytes(length));
	}

	private static int tag(int field, int wireType) {
		return field << 3 | wireType;
	}

	@Override
	public InputStream stream(Received value) {
		throw new UnsupportedOperationException("The sink only reads requests");
	}

}
