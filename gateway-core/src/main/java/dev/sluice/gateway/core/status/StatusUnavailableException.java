package dev.sluice.gateway.core.status;

import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.UncategorizedDataAccessException;

/**
 * PostgreSQL did not answer a query in time, or was not asked. Any other failure of a
 * query is a bug and is thrown as it is.
 */
public final class StatusUnavailableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public StatusUnavailableException(Throwable cause) {
		super("PostgreSQL did not answer", cause, false, false);
	}

	/** Whether a failed query shows that PostgreSQL is not available. */
	public static boolean isCausedBy(Throwable failure) {
		return switch (failure) {
			case CallNotPermittedException _, RejectedExecutionException _, TimeoutException _,
					CancellationException _ ->
				true;
			// Uncategorized: such as a lock timeout, which R2DBC takes for a resource's.
			case TransientDataAccessException _, NonTransientDataAccessResourceException _,
					RecoverableDataAccessException _, UncategorizedDataAccessException _,
					PermissionDeniedDataAccessException _ ->
				true;
			default -> false;
		};
	}

}
