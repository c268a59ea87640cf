package dev.sluice.failing;

import java.time.Duration;

import dev.sluice.contract.GatewayErrorContract;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Fails with an error. It is outside the package that a gateway scans, so only a test
 * that imports it has it.
 */
@RestController
public class FailingController {

	@GetMapping(GatewayErrorContract.PATH)
	Mono<String> fail(@PathVariable String when, @PathVariable String which) {
		return switch (when) {
			case "at-once" -> throw GatewayErrorContract.error(which);
			case "within" -> Mono.just(which).map(FailingController::fail);
			default -> Mono.delay(Duration.ofMillis(10)).map((_) -> fail(which));
		};
	}

	private static String fail(String which) {
		throw GatewayErrorContract.error(which);
	}

}
