package dev.sluice.gateway;

/**
 * The backend's answer.
 *
 * @param status its HTTP status
 * @param body its body; empty if it has none
 */
record BackendAnswer(int status, byte[] body) {
}
