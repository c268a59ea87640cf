package dev.sluice.gateway.core;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** Rules of the packages of every gateway. */
public final class GatewayRules {

	/** Tomcat creates GuardedHttp11Protocol by its name. */
	@ArchTest
	static final ArchRule isPublicOnlyWhereAnotherPackageNeedsIt = classes().that()
		.areTopLevelClasses()
		.and()
		.arePublic()
		.and()
		.resideOutsideOfPackage("dev.sluice.gateway.core..")
		.and()
		.doNotHaveSimpleName("GuardedHttp11Protocol")
		.should(beUsedInAnotherPackage());

	@ArchTest
	static final ArchRule hasNoCyclesOfPackages = slices().matching("dev.sluice.gateway.(*)..")
		.should()
		.beFreeOfCycles();

	private GatewayRules() {
	}

	private static ArchCondition<JavaClass> beUsedInAnotherPackage() {
		return new ArchCondition<>("be used in another package") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				boolean used = type.getDirectDependenciesToSelf()
					.stream()
					.anyMatch((use) -> !use.getOriginClass().getPackageName().equals(type.getPackageName()));
				events
					.add(new SimpleConditionEvent(type, used, type.getName() + " is public, and used in its package"));
			}

		};
	}

	/** Test classes of another module are in a jar once it is packaged. */
	public static final class DoNotIncludeTestJars implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("-tests.jar");
		}

	}

}
