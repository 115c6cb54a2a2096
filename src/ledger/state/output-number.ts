/*
 * Numbers (`seq`) of outputs. The number of an output that a transaction of this chain created is the transaction's number in `tx`, times
 * 2^20, plus the index of the output: so it needs no row of its own. Outputs from before linearization, or copied from another node, become
 * known later but are older, so their numbers go down from -2^32: the order of the numbers is the order of time, and a list that goes down
 * never misses one that is added meanwhile. The numbers between are those of outputs that moved between chains: minus their number in
 * table `moved`.
 */

/** More than the outputs of any transaction: those of a genesis have at least 40 bytes each, those of others fit in 64 KiB. */
export const outputsPerTx = 2 ** 20;

/** The number of an output by the number of its transaction and its index. */
export const outputNumber = (tx: number, index: number): number => tx * outputsPerTx + index;

/** The number of the transaction that created an output of this chain. */
export const txOfOutput = (seq: number): number => Math.floor(seq / outputsPerTx);

/** The index of an output of this chain within its transaction. */
export const indexOfOutput = (seq: number): number => seq % outputsPerTx;

/** Greater than the numbers of all outputs from before linearization. */
export const abovePreLinearization = -(2 ** 32);

/** Whether a number is that of an output that has no transaction in `tx`: it has a row in `old_utxo`. */
export const isPreLinearizationOutput = (seq: number): boolean => seq < abovePreLinearization;

/** Whether a number is that of an output that moved between chains. */
export const isMovedOutput = (seq: number): boolean => seq < 0 && seq >= abovePreLinearization;

/** Below and above all numbers of outputs. */
export const [belowAnyOutput, aboveAnyOutput] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
