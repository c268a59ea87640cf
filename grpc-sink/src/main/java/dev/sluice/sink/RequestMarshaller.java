package dev.sluice.sink;

import java.io.IOException;
import java.io.InputStream;

import com.google.errorprone.annotations.Immutable;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import dev.sluice.contract.sink.Request;
import io.grpc.MethodDescriptor.Marshaller;

/**
 * Reads a {@link Request} from the wire: its known fields, the payload in one copy, and
 * nothing else. The generated parser keeps each unknown field as objects, so that 4 MB
 * can come to 141 MB. It never throws: what is no request ends its stream as any other
 * message that cannot be named.
 */
@Immutable
final class RequestMarshaller implements Marshaller<Received> {

	static final int MAX_ID_BYTES = 64;

	/** Enough for the envelope; a payload is read past this buffer. */
	private static final int BUFFER_BYTES = 128;

	private static final ByteString NO_ID = ByteString.EMPTY;

	private static final byte[] NO_PAYLOAD = {};

	private final int maxBytes;

	/**
	 * Reads requests.
	 * @param maxBytes of a request at most, also after gRPC has decompressed it
	 */
	RequestMarshaller(int maxBytes) {
		this.maxBytes = maxBytes;
	}

	@Override
	public Received parse(InputStream stream) {
		CodedInputStream in = CodedInputStream.newInstance(stream, BUFFER_BYTES);
		in.setSizeLimit(this.maxBytes);
		try {
			return read(in);
		}
		catch (IOException ex) {
			return Received.Unnamed.of("These bytes are no dev.sluice.sink.v1.Request: " + ex.getMessage());
		}
	}

	/** As protobuf has it, the last of several values of a field counts. */
	private static Received read(CodedInputStream in) throws IOException {
		int version = 0;
		ByteString id = NO_ID;
		int idBytes = 0;
		Received.Kind kind = Received.Kind.NONE;
		Received.Kind ifNone = Received.Kind.NONE;
		byte[] payload = NO_PAYLOAD;
		int tag = in.readTag();
		while (tag != 0) {
			if (tag == tag(Request.VERSION_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
				version = in.readUInt32();
			}
			else if (tag == tag(Request.MESSAGE_ID_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				idBytes = in.readRawVarint32();
				id = readId(in, idBytes);
			}
			else if (tag == tag(Request.PLAIN_MESSAGE_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				kind = Received.Kind.PLAIN;
				payload = in.readByteArray();
			}
			else if (tag == tag(Request.ZSTD_COMPRESSED_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
				kind = Received.Kind.ZSTD;
				payload = in.readByteArray();
			}
			else {
				ifNone = Received.Kind.UNKNOWN;
				if (!in.skipField(tag)) {
					// The end of a group that never began.
					in.checkLastTagWas(0);
				}
			}
			tag = in.readTag();
		}
		if (version != Payload.VERSION) {
			return Received.Unnamed
				.of("Version " + Integer.toUnsignedString(version) + " is not known; send version " + Payload.VERSION);
		}
		if (idBytes == 0 || idBytes > MAX_ID_BYTES) {
			return Received.Unnamed.of("message_id has " + idBytes + " bytes; send 1 to " + MAX_ID_BYTES);
		}
		return new Received.Message(id, (kind != Received.Kind.NONE) ? kind : ifNone, payload);
	}

	private static ByteString readId(CodedInputStream in, int length) throws IOException {
		if (length > MAX_ID_BYTES) {
			in.skipRawBytes(length);
			return NO_ID;
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
