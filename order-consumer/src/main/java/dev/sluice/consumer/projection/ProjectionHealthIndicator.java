package dev.sluice.consumer.projection;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Shows the state of the projection. It is never down: nothing depends on it. */
final class ProjectionHealthIndicator extends AbstractHealthIndicator {

	private final Projection projection;

	ProjectionHealthIndicator(Projection projection) {
		super("The state of the projection cannot be read");
		this.projection = projection;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		switch (this.projection.state()) {
			case WORKING -> builder.up();
			case WAITING, FAILING, STOPPED -> builder.unknown();
		}
		builder.withDetail("state", this.projection.state()).withDetail("ageSeconds", this.projection.ageSeconds());
	}

}
