package dev.sluice.gateway;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@AnalyzeClasses(packagesOf = GatewayApplication.class, importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

	@ArchTest
	static final ArchRule opensNothingToOtherPackages = classes().that()
		.areTopLevelClasses()
		.and()
		.resideInAPackage("dev.sluice.gateway")
		.and()
		.doNotHaveSimpleName("ContainerProblems")
		.and()
		.doNotHaveSimpleName("EdgeProtocol")
		.should()
		.notBePublic();

	@ArchTest
	static final ArchRule knowsNothingOfTheOtherParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.springframework.web.reactive..", "io.r2dbc..", "io.netty..");

	@ArchTest
	static final ArchRule neverSleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

}
