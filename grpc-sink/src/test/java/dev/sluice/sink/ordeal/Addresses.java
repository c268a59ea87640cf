package dev.sluice.sink.ordeal;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;

/** Resolves every target {@code sinks:///any} to these ports of 127.0.0.1. */
final class Addresses extends NameResolverProvider {

	private final List<Integer> ports;

	Addresses(List<Integer> ports) {
		this.ports = ports;
	}

	@Override
	public NameResolver newNameResolver(URI target, NameResolver.Args args) {
		return "sinks".equals(target.getScheme()) ? new Resolver() : null;
	}

	@Override
	protected boolean isAvailable() {
		return true;
	}

	@Override
	protected int priority() {
		return 5;
	}

	@Override
	public String getDefaultScheme() {
		return "sinks";
	}

	private final class Resolver extends NameResolver {

		@Override
		public String getServiceAuthority() {
			return "sinks";
		}

		@Override
		public void start(Listener2 listener) {
			listener.onResult(ResolutionResult.newBuilder()
				.setAddressesOrError(StatusOr.fromValue(Addresses.this.ports.stream()
					.map((port) -> new EquivalentAddressGroup(new InetSocketAddress("127.0.0.1", port)))
					.toList()))
				.build());
		}

		@Override
		public void shutdown() {
		}

	}

}
