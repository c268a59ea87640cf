package dev.sluice.gateway;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.sluice.gateway.core.queue.OrderTopics;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packagesOf = GatewayApplication.class, importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

	@ArchTest
	static final ArchRule isPublicOnlyWhereAnotherPackageNeedsIt = classes().that()
		.areTopLevelClasses()
		.and()
		.arePublic()
		.and()
		.resideOutsideOfPackage("dev.sluice.gateway.core..")
		.should(beUsedInAnotherPackage());

	@ArchTest
	static final ArchRule hasNoCyclesOfPackages = slices().matching("dev.sluice.gateway.(*)..")
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule knowsNothingOfTheOtherParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..", "org.springframework.jdbc..",
				"java.sql..", "javax.sql..", "java.net.http..");

	@ArchTest
	static final ArchRule neverSleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

	/**
	 * OrderTopics waits for Kafka on a thread of its own, which serves no request.
	 * RecentOrders waits for its own thread when the gateway stops.
	 */
	@ArchTest
	static final ArchRule neverWaits = noClasses().that()
		.doNotHaveSimpleName("OrderTopics")
		.and()
		.doNotHaveSimpleName("RecentOrders")
		.should()
		.callMethodWhere(isBlocking());

	private static DescribedPredicate<JavaMethodCall> isBlocking() {
		return describe("it waits for a result", (call) -> {
			MethodCallTarget target = call.getTarget();
			String name = target.getName();
			boolean reactive = target.getOwner().isAssignableTo(Mono.class)
					|| target.getOwner().isAssignableTo(Flux.class);
			boolean future = target.getOwner().isAssignableTo(Future.class)
					|| target.getOwner().isAssignableTo(CompletableFuture.class);
			return (reactive && (name.startsWith("block") || name.equals("toIterable") || name.equals("toStream")))
					|| (future && (name.equals("get") || name.equals("join") || name.equals("resultNow")))
					|| (target.getOwner().isAssignableTo(Thread.class) && name.equals("join"));
		});
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

}
