package dev.sluice.gateway.core;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packages = "dev.sluice.gateway.core", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

	@ArchTest
	static final ArchRule showsNoParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..",
				"org.springframework.web.reactive..", "org.springframework.http.server.reactive..",
				"org.springframework.jdbc..", "reactor..", "io.r2dbc..", "java.sql..");

	@ArchTest
	static final ArchRule hasNoCyclesOfPackages = slices().matching("dev.sluice.gateway.core.(*)..")
		.should()
		.beFreeOfCycles();

}
