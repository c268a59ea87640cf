package dev.sluice.gateway;

import java.util.Set;
import java.util.concurrent.CompletionStage;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.apache.coyote.http11.Http11NioProtocol;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packagesOf = GatewayApplication.class,
		importOptions = { DoNotIncludeTests.class, ArchitectureTests.DoNotIncludeTestJars.class })
class ArchitectureTests {

	@ArchTest
	static final ArchRule isPublicOnlyWhereAnotherPackageNeedsIt = classes().that()
		.areTopLevelClasses()
		.and()
		.arePublic()
		.and()
		.resideOutsideOfPackage("dev.sluice.gateway.core..")
		.and()
		// Tomcat creates it by its name.
		.areNotAssignableTo(Http11NioProtocol.class)
		.should(beUsedInAnotherPackage());

	@ArchTest
	static final ArchRule hasNoCyclesOfPackages = slices().matching("dev.sluice.gateway.(*)..")
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule knowsNothingOfTheOtherParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.springframework.web.reactive..", "io.r2dbc..", "io.netty..");

	/** Waiters sleeps between two polls of an order's status. */
	@ArchTest
	static final ArchRule neverSleeps = noClasses().that()
		.doNotHaveSimpleName("Waiters")
		.should()
		.callMethodWhere(describe("it sleeps",
				(call) -> call.getTargetOwner().isAssignableTo(Thread.class) && call.getName().equals("sleep")));

	/** The other thread models are sequential code. */
	@ArchTest
	static final ArchRule usesFuturesOnlyInAsync = noClasses().that()
		.resideInAnyPackage("dev.sluice.gateway", "dev.sluice.gateway.backend..", "dev.sluice.gateway.order..",
				"dev.sluice.gateway.queue..", "dev.sluice.gateway.status..", "dev.sluice.gateway.web..",
				"dev.sluice.gateway.edge..")
		.should()
		.callMethodWhere(
				describe("it composes futures", (call) -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
						&& !Set.of("get", "join").contains(call.getName())));

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
	static final class DoNotIncludeTestJars implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("-tests.jar");
		}

	}

}
