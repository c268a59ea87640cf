package dev.sluice.lab;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packages = "dev.sluice.lab", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

	private static final DescribedPredicate<JavaClass> KIT = resideInAPackage("dev.sluice.lab.kit..");

	@ArchTest
	static final ArchRule kitKnowsNoExperiment = noClasses().that()
		.resideInAPackage("dev.sluice.lab.kit..")
		.should()
		.dependOnClassesThat(resideInAPackage("dev.sluice.lab..").and(DescribedPredicate.not(KIT)));

	@ArchTest
	static final ArchRule experimentsKnowEachOtherOnlyThroughKit = slices().matching("dev.sluice.lab.(*)..")
		.should()
		.notDependOnEachOther()
		.ignoreDependency(alwaysTrue(), KIT);

	@ArchTest
	static final ArchRule hasNoCyclesOfPackages = slices().matching("dev.sluice.lab.(**)").should().beFreeOfCycles();

}
