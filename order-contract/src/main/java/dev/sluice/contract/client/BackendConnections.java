package dev.sluice.contract.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.BackendAnswer;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestWriterFactory;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.io.HttpConnectionFactory;
import org.apache.hc.core5.http.io.HttpMessageParser;
import org.apache.hc.core5.http.io.HttpMessageWriter;
import org.apache.hc.core5.http.io.SessionInputBuffer;
import org.apache.hc.core5.http.io.SessionOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the backend for a blocking client. A connection on which bytes
 * have arrived that belong to no request fails with an {@link IOException} before the
 * next request is sent: they would be taken for its answer. The end of a connection does
 * not end a head, as it does for the client's own parser.
 */
public final class BackendConnections implements HttpConnectionFactory<ManagedHttpClientConnection> {

	/**
	 * Each connection keeps three buffers of 8 KB. The default of 32 KB would take 96 MB
	 * in a full pool, for orders and responses of a few hundred bytes.
	 */
	public static final Http1Config HTTP_1 = Http1Config.custom()
		.setBufferSize(8 * 1024)
		.setMaxLineLength(BackendAnswer.MAX_BYTES)
		.setMaxHeaderCount(BackendAnswer.MAX_FIELDS)
		.build();

	@Override
	public ManagedHttpClientConnection createConnection(Socket socket) throws IOException {
		InStep inStep = new InStep();
		return ManagedHttpClientConnectionFactory.builder()
			.http1Config(HTTP_1)
			.requestWriterFactory(() -> inStep::write)
			.responseParserFactory((_) -> inStep::parse)
			.build()
			.createConnection(socket);
	}

	/** Writes the requests and reads the answers of one connection. */
	private static final class InStep {

		private final HttpMessageWriter<ClassicHttpRequest> writer = DefaultHttpRequestWriterFactory.INSTANCE.create();

		private final HttpMessageParser<ClassicHttpResponse> parser = DefaultHttpResponseParserFactory.INSTANCE
			.create(HTTP_1);

		/** What the connection reads; null before its first answer. */
		private @Nullable SessionInputBuffer buffer;

		private @Nullable InputStream in;

		void write(ClassicHttpRequest request, SessionOutputBuffer out, OutputStream stream)
				throws IOException, HttpException {
			if (this.buffer != null && this.in != null && (this.buffer.length() > 0 || this.in.available() > 0)) {
				throw new IOException("The backend sent more than one answer to a request");
			}
			this.writer.write(request, out, stream);
		}

		ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream in) throws IOException, HttpException {
			this.buffer = buffer;
			this.in = in;
			AtomicBoolean ended = new AtomicBoolean();
			ClassicHttpResponse response = this.parser.parse(buffer, new FilterInputStream(in) {

				@Override
				public int read(byte[] bytes, int offset, int length) throws IOException {
					int count = super.read(bytes, offset, length);
					ended.set(count < 0);
					return count;
				}

			});
			if (response != null && ended.get()) {
				throw new ProtocolException("The connection ended within the head of an answer");
			}
			return response;
		}

	}

}
