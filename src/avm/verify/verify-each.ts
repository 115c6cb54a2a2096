import { TxError, type TxFault } from './fault.ts';

/** What verifyEach adds to a fault. */
export type FaultLabels<T> = {
  /** The text AvalancheGo puts before the message. */
  readonly prefix?: string;
  /** The output an item spends. */
  readonly spends?: (item: T) => SpentOutput;
};

/** The fields of a fault that identify an output. */
export type SpentOutput = Required<Pick<TxFault, 'utxoID' | 'createdBy' | 'outputIndex'>>;

/** Checks the items of a list in order. Adds to a fault the path of the item, such as `inputs[2]`. */
export function verifyEach<T>(
  list: string,
  items: readonly T[],
  check: (item: T, index: number) => void,
  labels: FaultLabels<T> = {},
): void {
  let index = 0;
  try {
    for (const item of items) {
      check(item, index);
      index++;
    }
  } catch (error) {
    if (!(error instanceof TxError)) throw error;
    const path = `${list}[${index}]${error.fault.path === undefined ? '' : `.${error.fault.path}`}`;
    const spends = labels.spends?.(items[index] as T);
    throw new TxError((labels.prefix ?? '') + error.message, { ...error.fault, ...spends, path });
  }
}
