package dev.sluice.gateway.web;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers failures outside the controllers, such as in a filter, with a problem document.
 */
@RestController
final class ErrorPage implements ErrorController {

	@RequestMapping("/error")
	ResponseEntity<byte[]> error(HttpServletRequest request, HttpMethod method) {
		// Without a status, a client has requested this page directly.
		int status = (request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code) ? code : 404;
		ProblemType type = ProblemException.typeOf(status);
		return ProblemException.of(type).toResponse(method, request.getRequestURI());
	}

	/** Otherwise Spring would answer OPTIONS itself, as if this were a resource. */
	@RequestMapping(path = "/error", method = RequestMethod.OPTIONS)
	ResponseEntity<byte[]> options(HttpServletRequest request, HttpMethod method) {
		return error(request, method);
	}

	/** The handler of every path without a controller. */
	public ResponseEntity<byte[]> notFound(HttpServletRequest request, HttpMethod method) {
		return ProblemException.of(ProblemType.NOT_FOUND).toResponse(method, request.getRequestURI());
	}

}
