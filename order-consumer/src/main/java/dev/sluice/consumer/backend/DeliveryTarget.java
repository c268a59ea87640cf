package dev.sluice.consumer.backend;

import jakarta.validation.constraints.NotBlank;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Where queued orders are delivered to.
 *
 * @param target {@code http}, the backend, or {@code grpc}, the sink; default
 * {@code http}
 * @param sinkAddress {@code host:port} of the sink; default {@code 127.0.0.1:9190}
 * @param sinkSslBundle name of the SSL bundle to reach it with; empty = without TLS, the
 * default
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

}
