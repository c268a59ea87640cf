package dev.sluice.lab.sink;

import java.util.concurrent.atomic.AtomicLong;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Counts the bytes that calls send, with gRPC's framing, before HTTP/2's. */
final class WireCounter implements ClientInterceptor {

	private final AtomicLong bytes;

	WireCounter(AtomicLong bytes) {
		this.bytes = bytes;
	}

	@Override
	public <I, O> ClientCall<I, O> interceptCall(MethodDescriptor<I, O> method, CallOptions options, Channel next) {
		return next.newCall(method, options.withStreamTracerFactory(new ClientStreamTracer.Factory() {

			@Override
			public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
				return new ClientStreamTracer() {

					@Override
					public void outboundWireSize(long sent) {
						WireCounter.this.bytes.addAndGet(sent);
					}

				};
			}

		}));
	}

}
