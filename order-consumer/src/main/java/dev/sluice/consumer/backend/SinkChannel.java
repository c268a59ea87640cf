package dev.sluice.consumer.backend;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContextBuilder;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** The channel to the sink, without TLS or with an SSL bundle. */
public final class SinkChannel {

	/** Without keep-alive, a broken connection is noticed after a quarter of an hour. */
	private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

	private static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(10);

	private SinkChannel() {
	}

	/** Creates the channel. It connects at the first call. */
	public static ManagedChannel open(DeliveryTarget target, SslBundles bundles) {
		NettyChannelBuilder channel = NettyChannelBuilder.forTarget(target.sinkAddress())
			.keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
			.keepAliveTimeout(KEEP_ALIVE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		if (target.sinkSslBundle().isEmpty()) {
			return channel.negotiationType(NegotiationType.PLAINTEXT).build();
		}
		SslBundle bundle = bundles.getBundle(target.sinkSslBundle());
		try {
			return channel
				.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient()
					.keyManager(bundle.getManagers().getKeyManagerFactory())
					.trustManager(bundle.getManagers().getTrustManagerFactory())).build())
				.build();
		}
		catch (SSLException ex) {
			throw new IllegalStateException(
					"delivery.sink-ssl-bundle=%s cannot be used: %s".formatted(target.sinkSslBundle(), ex.getMessage()),
					ex);
		}
	}

}
