package dev.sluice.failing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.sluice.contract.GatewayErrorContract;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Fails with an error. It is outside the package that a gateway scans, so only a test
 * that imports it has it.
 */
@RestController
public class FailingController {

	@GetMapping(GatewayErrorContract.PATH)
	CompletionStage<String> fail(@PathVariable String when, @PathVariable String which) {
		return switch (when) {
			case "at-once" -> throw GatewayErrorContract.error(which);
			case "within" -> CompletableFuture.completedStage(which).thenApply(FailingController::fail);
			default -> CompletableFuture.supplyAsync(() -> fail(which));
		};
	}

	private static String fail(String which) {
		throw GatewayErrorContract.error(which);
	}

}
