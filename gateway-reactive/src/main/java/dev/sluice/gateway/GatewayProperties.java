package dev.sluice.gateway;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What concerns the gateway as a whole.
 *
 * @param defaultWay the way of an order whose client states no preference: {@code sync}
 * or {@code queued}; default {@code sync}
 */
@ConfigurationProperties("sluice")
record GatewayProperties(@DefaultValue("sync") Way defaultWay) {
}
