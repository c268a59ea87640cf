package dev.sluice.gateway.core.web;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.DescribedApi;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** The gateway's API document and its controllers, which are below the test's package. */
public abstract class ApiDocumentContract {

	/** Answers only failures from elsewhere. */
	private static final String ERROR_PAGE = "/error";

	@Test
	void describesEachOperationAndNoOther() {
		assertThat(DescribedApi.operations()).containsExactlyInAnyOrderElementsOf(operations());
	}

	private Set<String> operations() {
		var scanner = new ClassPathBeanDefinitionScanner(new DefaultListableBeanFactory(), false);
		scanner.addIncludeFilter(new AnnotationTypeFilter(RestController.class));
		return scanner.findCandidateComponents(getClass().getPackageName())
			.stream()
			.map((bean) -> ClassUtils.resolveClassName(String.valueOf(bean.getBeanClassName()), null))
			.flatMap((controller) -> Arrays.stream(controller.getDeclaredMethods()))
			.map((method) -> AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class))
			.flatMap(ApiDocumentContract::operations)
			.collect(Collectors.toSet());
	}

	private static Stream<String> operations(RequestMapping mapping) {
		if (mapping == null || mapping.path()[0].equals(ERROR_PAGE)) {
			return Stream.empty();
		}
		return Arrays.stream(mapping.method()).map((method) -> method + " " + mapping.path()[0]);
	}

}
