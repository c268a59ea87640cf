package dev.sluice.devservices;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Holds the instance of {@link DevServices#shared()}, created when first requested. If
 * that fails, the next request tries again.
 */
final class SharedDevServices {

	private static final SharedDevServices ofThisJvm = new SharedDevServices(SharedDevServices::create);

	private final Supplier<DevServices> factory;

	private @Nullable DevServices created;

	SharedDevServices(Supplier<DevServices> factory) {
		this.factory = factory;
	}

	static DevServices instance() {
		return ofThisJvm.get();
	}

	synchronized DevServices get() {
		DevServices services = this.created;
		if (services == null) {
			services = this.factory.get();
			this.created = services;
		}
		return services;
	}

	private static DevServices create() {
		DevServices services = DevServices.start(Infrastructure.fromEnvironment());
		Runtime.getRuntime().addShutdownHook(new Thread(services::close, "dev-services-close"));
		return services;
	}

}
