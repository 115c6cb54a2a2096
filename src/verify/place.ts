import { TxError, type TxFault } from './fault.ts';

/** What a list's faults are told apart by. */
export type Naming<T> = {
  /** What the peer puts before the text of an inner error. */
  readonly prefix?: string;
  /** The output an item spends. */
  readonly spends?: (item: T) => SpentOutput;
};

/** An output in the words of a fault. */
export type SpentOutput = Required<Pick<TxFault, 'utxoID' | 'createdBy' | 'outputIndex'>>;

/** Judges the items of a list in turn; a fault then says which item it came from. */
export function each<T>(list: string, items: readonly T[], check: (item: T, index: number) => void, naming: Naming<T> = {}): void {
  let index = 0;
  try {
    for (const item of items) {
      check(item, index);
      index++;
    }
  } catch (error) {
    if (!(error instanceof TxError)) throw error;
    const path = `${list}[${index}]${error.fault.path === undefined ? '' : `.${error.fault.path}`}`;
    const spends = naming.spends?.(items[index] as T);
    throw new TxError((naming.prefix ?? '') + error.message, { ...error.fault, ...spends, path });
  }
}
