package dev.sluice.gateway;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.sluice.gateway.core.GatewayRules;
import dev.sluice.gateway.core.GatewayRules.DoNotIncludeTestJars;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.Map.entry;

@AnalyzeClasses(packagesOf = GatewayApplication.class,
		importOptions = { DoNotIncludeTests.class, DoNotIncludeTestJars.class })
class ArchitectureTests {

	/** Methods that hold the calling thread, by type. */
	private static final Map<Class<?>, Set<String>> BLOCKING = Map.ofEntries(
			entry(Mono.class, Set.of("block", "blockOptional")),
			entry(Flux.class, Set.of("blockFirst", "blockLast", "toIterable", "toStream")),
			entry(Future.class, Set.of("get", "join", "resultNow")), entry(Thread.class, Set.of("sleep", "join")),
			entry(TimeUnit.class, Set.of("sleep", "timedJoin", "timedWait")),
			entry(LockSupport.class, Set.of("park", "parkNanos", "parkUntil")),
			entry(Lock.class, Set.of("lock", "lockInterruptibly")),
			entry(Condition.class, Set.of("await", "awaitNanos", "awaitUntil", "awaitUninterruptibly")),
			entry(Semaphore.class, Set.of("acquire", "acquireUninterruptibly")),
			entry(CountDownLatch.class, Set.of("await")), entry(CyclicBarrier.class, Set.of("await")),
			entry(BlockingQueue.class, Set.of("put", "take")),
			entry(ExecutorService.class, Set.of("awaitTermination", "invokeAll", "invokeAny", "close")));

	@ArchTest
	static final ArchTests packages = ArchTests.in(GatewayRules.class);

	@ArchTest
	static final ArchRule knowsNothingOfTheOtherParadigm = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..", "org.springframework.jdbc..",
				"java.sql..", "javax.sql..", "java.net.http..");

	/**
	 * Code that serves requests never blocks. OrderTopics, RecentOrders, RecentReader and
	 * OutcomePublisher wait on threads of their own, or when the gateway stops. WarmUp
	 * waits before the gateway starts, KeysReadiness where Spring Boot runs blocking
	 * health indicators: on a thread of boundedElastic.
	 */
	@ArchTest
	static final ArchRule neverWaits = noClasses().that()
		.doNotHaveSimpleName("OrderTopics")
		.and()
		.doNotHaveSimpleName("RecentOrders")
		.and()
		.doNotHaveSimpleName("RecentReader")
		.and()
		.doNotHaveSimpleName("OutcomePublisher")
		.and()
		.doNotHaveSimpleName("WarmUp")
		.and()
		.doNotHaveSimpleName("KeysReadiness")
		.should()
		.callMethodWhere(isBlocking());

	private static DescribedPredicate<JavaMethodCall> isBlocking() {
		return describe("it waits", (call) -> {
			MethodCallTarget target = call.getTarget();
			return BLOCKING.entrySet()
				.stream()
				.anyMatch((type) -> target.getOwner().isAssignableTo(type.getKey())
						&& type.getValue().contains(target.getName()))
					|| isObjectWait(target);
		});
	}

	/** A record may have a component of that name, but without these parameters. */
	private static boolean isObjectWait(MethodCallTarget target) {
		return target.getName().equals("wait") && target.getRawReturnType().isEquivalentTo(void.class);
	}

}
