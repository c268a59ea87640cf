package dev.sluice.consumer.backend;

import javax.net.ssl.SSLException;

import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContextBuilder;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** The channel to the sink, without TLS or with an SSL bundle. */
public final class SinkChannel {

	private SinkChannel() {
	}

	/** The channel that {@code delivery.sink-address} and the bundle describe. */
	public static ManagedChannelBuilder<?> to(DeliveryTarget target, SslBundles bundles) {
		NettyChannelBuilder channel = NettyChannelBuilder.forTarget(target.sinkAddress());
		if (target.sinkSslBundle().isEmpty()) {
			return channel.negotiationType(NegotiationType.PLAINTEXT);
		}
		SslBundle bundle = bundles.getBundle(target.sinkSslBundle());
		try {
			return channel.sslContext(
					GrpcSslContexts
						.configure(SslContextBuilder.forClient()
							.keyManager(bundle.getManagers().getKeyManagerFactory())
							.trustManager(bundle.getManagers().getTrustManagerFactory()))
						.build());
		}
		catch (SSLException ex) {
			throw new IllegalStateException(
					"delivery.sink-ssl-bundle=%s cannot be used: %s".formatted(target.sinkSslBundle(), ex.getMessage()),
					ex);
		}
	}

}
