package dev.sluice.sink;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Tells the client of a call with one request which limit the request breaks. The request
 * never becomes whole, so that no handler answers beside it.
 */
final class BrokenLimits implements ServerInterceptor {

	@Override
	public <I, O> ServerCall.Listener<I> interceptCall(ServerCall<I, O> call, Metadata headers,
			ServerCallHandler<I, O> next) {
		InboundCall inbound = InboundCall.CURRENT.get();
		if (inbound != null && call.getMethodDescriptor().getType().clientSendsOneMessage()) {
			inbound.onBrokenLimit((status) -> call.close(status, new Metadata()));
		}
		return next.startCall(call, headers);
	}

}
