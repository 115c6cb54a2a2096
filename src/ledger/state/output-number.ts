/*
 * Numbers (`seq`) of outputs. Those of this chain's blocks are 1, 2, 3 and so on, in the order of the blocks. Outputs from before
 * linearization become known later but are older, so their numbers go down from -2^32: the order of the numbers is the order of time, and a
 * list that goes down never misses one that is added meanwhile. The numbers between are those of outputs that moved between chains: minus
 * their number in table `moved`.
 */

/** Greater than the numbers of all outputs from before linearization. */
export const abovePreLinearization = -(2 ** 32);

/** Whether a number is that of an output that moved between chains. */
export const isMovedOutput = (seq: number): boolean => seq < 0 && seq >= abovePreLinearization;

/** Below and above all numbers of outputs. */
export const [belowAnyOutput, aboveAnyOutput] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
