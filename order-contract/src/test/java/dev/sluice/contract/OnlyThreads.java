package dev.sluice.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Of this class, only the tests with {@link HoldsThread} run in the gate. The profile
 * {@code full} runs all. A gateway has several thread models; one of them runs everything
 * in the gate.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnlyThreads.Condition.class)
public @interface OnlyThreads {

	/** The condition for each class and method within a class with this annotation. */
	final class Condition implements ExecutionCondition {

		private static final ConditionEvaluationResult RUNS = ConditionEvaluationResult.enabled("runs in the gate");

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			Class<?> type = context.getRequiredTestClass();
			boolean runs = Boolean.getBoolean("sluice.full")
					|| type.isAnnotationPresent(OnlyThreads.class) && context.getTestMethod().isEmpty()
					|| type.isAnnotationPresent(HoldsThread.class)
					|| context.getTestMethod()
						.map((method) -> method.isAnnotationPresent(HoldsThread.class))
						.orElseGet(() -> hasSuchMethod(type));
			return runs ? RUNS : ConditionEvaluationResult.disabled("runs in the profile full");
		}

		private static boolean hasSuchMethod(Class<?> type) {
			return !ReflectionSupport
				.findMethods(type, (method) -> method.isAnnotationPresent(HoldsThread.class),
						HierarchyTraversalMode.TOP_DOWN)
				.isEmpty();
		}

	}

}
