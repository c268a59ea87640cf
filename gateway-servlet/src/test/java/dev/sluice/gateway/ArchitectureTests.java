package dev.sluice.gateway;

import java.util.Set;
import java.util.concurrent.CompletionStage;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.sluice.gateway.core.GatewayRules;
import dev.sluice.gateway.core.GatewayRules.DoNotIncludeTestJars;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@AnalyzeClasses(packagesOf = GatewayApplication.class,
		importOptions = { DoNotIncludeTests.class, DoNotIncludeTestJars.class })
class ArchitectureTests {

	@ArchTest
	static final ArchTests packages = ArchTests.in(GatewayRules.class);

	@ArchTest
	static final ArchRule knowsNothingOfTheOtherParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.springframework.web.reactive..", "io.r2dbc..", "io.netty..");

	/** But between two polls of an order's status. */
	@ArchTest
	static final ArchRule neverSleeps = noClasses().should()
		.callMethodWhere(describe("it sleeps", (call) -> call.getTargetOwner().isAssignableTo(Thread.class)
				&& call.getName().equals("sleep") && !call.getOrigin().getName().equals("untilSaved")));

	/** The other thread models are sequential code. */
	@ArchTest
	static final ArchRule usesFuturesOnlyInAsync = noClasses().that()
		.resideInAnyPackage("dev.sluice.gateway", "dev.sluice.gateway.backend..", "dev.sluice.gateway.order..",
				"dev.sluice.gateway.web..", "dev.sluice.gateway.edge..")
		.should()
		.callMethodWhere(
				describe("it composes futures", (call) -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
						&& !Set.of("get", "join").contains(call.getName())));

}
