package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/**
 * Sends a problem document in place of Tomcat's page for requests that Tomcat answers by
 * itself, such as an unreadable request line. Tomcat creates it by its class name.
 */
public final class ContainerProblems extends ErrorReportValve {

	private static final Log log = LogFactory.getLog(ContainerProblems.class);

	@Override
	protected void report(Request request, Response response, @Nullable Throwable throwable) {
		if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
			return;
		}
		ProblemType type = StandardProblem.typeOf(response.getStatus());
		byte[] body = StandardProblem.of(type).json("GET", null).getBytes(StandardCharsets.US_ASCII);
		try {
			response.setStatus(type.status());
			response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
			response.finishResponse();
		}
		catch (IOException ex) {
			log.debug("The client has disconnected", ex);
		}
	}

}
