package dev.sluice.sink;

import java.util.HashSet;
import java.util.Set;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Reads from the headers of a call which dictionaries its client has. */
final class KnownDictionaries implements ServerInterceptor {

	/** Of the call that is being handled. */
	static final Context.Key<Set<Integer>> CALL = Context.keyWithDefault("sink-dictionaries", Set.of());

	private static final Metadata.Key<String> HEADER = Metadata.Key.of("sink-dictionaries",
			Metadata.ASCII_STRING_MARSHALLER);

	@Override
	public <I, O> ServerCall.Listener<I> interceptCall(ServerCall<I, O> call, Metadata headers,
			ServerCallHandler<I, O> next) {
		String header = headers.get(HEADER);
		return (header != null)
				? Contexts.interceptCall(Context.current().withValue(CALL, ids(header)), call, headers, next)
				: next.startCall(call, headers);
	}

	/** What is no number is nothing the client has. */
	private static Set<Integer> ids(String header) {
		Set<Integer> ids = new HashSet<>();
		for (String id : header.split(",", -1)) {
			try {
				ids.add(Integer.parseUnsignedInt(id.strip()));
			}
			catch (NumberFormatException _) {
				// The dictionary is sent once more.
			}
		}
		return ids;
	}

}
