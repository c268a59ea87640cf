package dev.sluice.devservices;

/** Holds the instance of {@link DevServices#shared()}, created when first requested. */
final class SharedDevServices {

	private SharedDevServices() {
	}

	static DevServices instance() {
		return Holder.INSTANCE;
	}

	private static final class Holder {

		static final DevServices INSTANCE = create();

		private static DevServices create() {
			DevServices services = DevServices.start(Infrastructure.fromEnvironment());
			Runtime.getRuntime().addShutdownHook(new Thread(services::close, "dev-services-close"));
			return services;
		}

	}

}
