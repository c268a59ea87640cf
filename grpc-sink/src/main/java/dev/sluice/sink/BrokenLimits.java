package dev.sluice.sink;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Ends a unary call whose request breaks a limit, with a status that names the limit. The
 * request is never received whole, so no handler answers the call as well.
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
