package dev.sluice.consumer.backend;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import jakarta.validation.constraints.NotBlank;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.validation.annotation.Validated;

/**
 * The destination of queued orders.
 *
 * @param target {@code http}, the backend, or {@code grpc}, the sink; default
 * {@code http}
 * @param sinkAddress {@code host:port} of the sink; default {@code 127.0.0.1:9190}
 * @param sinkSslBundle name of the SSL bundle for the sink. Empty, the default, means no
 * TLS
 */
@ConfigurationProperties("delivery")
@Validated
public record DeliveryTarget(@DefaultValue("http") Kind target,
		@DefaultValue("127.0.0.1:9190") @NotBlank String sinkAddress, @DefaultValue("") String sinkSslBundle) {

	/** The kinds of target. */
	enum Kind {

		/** The backend, over HTTP. */
		HTTP,

		/** The sink, over its stream. */
		GRPC

	}

	/** The channel to the sink. */
	public ManagedChannelBuilder<?> sinkChannel(SslBundles bundles) {
		return Grpc.newChannelBuilder(this.sinkAddress,
				this.sinkSslBundle.isEmpty() ? InsecureChannelCredentials.create() : tls(bundles));
	}

	private ChannelCredentials tls(SslBundles bundles) {
		SslManagerBundle managers = bundles.getBundle(this.sinkSslBundle).getManagers();
		return TlsChannelCredentials.newBuilder()
			.keyManager(managers.getKeyManagers())
			.trustManager(managers.getTrustManagers())
			.build();
	}

}
