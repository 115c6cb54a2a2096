import { TxError, type TxFault } from './fault.ts';

/** What verifyEach adds to a fault. */
export type FaultLabels<T> = {
  /** The text AvalancheGo puts before the message. */
  readonly prefix?: string;
  /** The output an item spends. */
  readonly spends?: (item: T) => SpentOutput;
};

const noLabels: FaultLabels<unknown> = {};

/** The fields of a fault that identify an output. */
export type SpentOutput = Required<Pick<TxFault, 'utxoID' | 'createdBy' | 'outputIndex'>>;

/**
 * Checks the items of a list in order. Adds to a fault the path of the item, such as `inputs[2]`. What the check needs beside the item is
 * passed as `context`, so that a check is one function and not created for every transaction.
 */
export function verifyEach<T, C>(
  list: string,
  items: readonly T[],
  context: C,
  check: (item: T, context: C, index: number) => void,
  labels: FaultLabels<T> = noLabels,
): void {
  let index = 0;
  try {
    for (const item of items) {
      check(item, context, index);
      index++;
    }
  } catch (error) {
    if (!(error instanceof TxError)) throw error;
    const path = `${list}[${index}]${error.fault.path === undefined ? '' : `.${error.fault.path}`}`;
    const spends = labels.spends?.(items[index] as T);
    throw new TxError((labels.prefix ?? '') + error.message, { ...error.fault, ...spends, path });
  }
}
