/*
 * Numbers (`seq`) of outputs. There are three ranges:
 * - From 0 up: outputs of transactions in `tx`. The number is that of the transaction, times 2^20, plus the index of the output. Such an output needs no
 *   row of its own.
 * - Below -2^32: outputs with a row in `old_utxo`, from before linearization or copied from another node. They become known one after the other,
 *   although they are older than all others, so each gets a number below the last one: the order of the numbers is the order of time, and a list
 *   that goes down never misses one that is added meanwhile. Most of them have no transaction in `tx`. The outputs of genesis transactions have
 *   one, but not a number of the first range: which of them still existed at block 0 is not known from the transaction (see `unknownOutputs` in
 *   tx-outputs.ts).
 * - Between: outputs that moved between chains. The number is minus that in table `moved`.
 */

/** More than the outputs of any transaction: those of a genesis have at least 40 bytes each, those of others fit in 64 KiB. */
export const outputsPerTx = 2 ** 20;

/** The number of an output by the number of its transaction and its index. */
export const outputNumber = (tx: number, index: number): number => tx * outputsPerTx + index;

/** The number of the transaction that created an output of this chain. */
export const txOfOutput = (seq: number): number => Math.floor(seq / outputsPerTx);

/** The index of an output of this chain within its transaction. */
export const indexOfOutput = (seq: number): number => seq % outputsPerTx;

/** Greater than the numbers of all outputs in `old_utxo`. */
export const abovePreLinearization = -(2 ** 32);

/** Whether a number is that of an output with a row in `old_utxo`: from before linearization, or copied from another node. */
export const isPreLinearizationOutput = (seq: number): boolean => seq < abovePreLinearization;

/** Whether a number is that of an output that moved between chains. */
export const isMovedOutput = (seq: number): boolean => seq < 0 && seq >= abovePreLinearization;

/** Below and above all numbers of outputs. */
export const [belowAnyOutput, aboveAnyOutput] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
