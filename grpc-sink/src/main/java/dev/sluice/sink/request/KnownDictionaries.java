package dev.sluice.sink.request;

import java.util.HashSet;
import java.util.Set;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Reads from the headers of a call which dictionaries its client has. */
public final class KnownDictionaries implements ServerInterceptor {

	/** Ids of the dictionaries that the client of the current call has. */
	public static final Context.Key<Set<Integer>> CALL = Context.keyWithDefault("sink-dictionaries", Set.of());

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

	/** Anything that is not a number is ignored. */
	private static Set<Integer> ids(String header) {
		Set<Integer> ids = new HashSet<>();
		for (String id : header.split(",", -1)) {
			try {
				ids.add(Integer.parseUnsignedInt(id.strip()));
			}
			catch (NumberFormatException _) {
				// At worst the dictionary is sent again.
			}
		}
		return ids;
	}

}
