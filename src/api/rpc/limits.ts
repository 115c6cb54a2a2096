/**
 * Limits on one request, so that no request blocks the event loop for long. AvalancheGo has none of them. All are far above what clients
 * send. Lengths are in bytes of the JSON text, including escapes.
 */

/** A method name, an id, or a text parameter other than a transaction. Responses repeat it escaped, which costs many times its length. */
export const maxTextLength = 4096;

/** The parameters of one call. The largest transaction is half a megabyte of hex. */
export const maxParamsLength = 2 * 1024 * 1024;

/** Members of the request object and of each object in its parameters, including unknown ones. */
export const maxMembers = 128;

/** Values in the parameters or the id of one request, including nested ones. */
export const maxValues = 131_072;

/** Calls in one batch. */
export const maxBatch = 100;

/** Total bytes of the responses of a batch. The call that exceeds it still gets its response; the calls after it are not run. */
export const maxBatchResponse = 8 * 1024 * 1024;
