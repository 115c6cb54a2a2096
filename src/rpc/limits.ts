/**
 * Limits on one request, so that no request holds the event loop for long. AvalancheGo has none of them; all are far above what a client
 * sends. Lengths are bytes of the JSON text, escapes and all.
 */

/** A method name, an id, and every text parameter but a transaction. Each is repeated in answers, escaped, so its cost is many times its length. */
export const maxTextLength = 4096;

/** The parameters of one call. The largest transaction that can be read takes half a megabyte of hex. */
export const maxParamsLength = 2 * 1024 * 1024;

/** Members of the request and of each object in its parameters, unknown ones included. */
export const maxMembers = 128;

/** Values in the parameters or the id of one request, nested ones included. */
export const maxValues = 131_072;

/** Calls in one batch. */
export const maxBatch = 100;

/** Bytes of all answers of a batch together. The call that passes it is still answered; calls after it are not run. */
export const maxBatchAnswer = 8 * 1024 * 1024;
