/** What the terminal shows of accepted blocks: of one, or of a range of blocks that are shown on one line. */
export type BlockSummary = {
  /** The alias of the chain. */
  readonly chain: string;
  /** The lowest and the highest height. */
  readonly first: bigint;
  readonly last: bigint;
  readonly blocks: number;
  readonly txs: number;
  /** The number of transactions by kind, such as `Transfer`. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Amounts that the transactions move to other owners or chains, by asset ID. At most `maxAssets`. */
  readonly moved: ReadonlyMap<string, MovedAmount>;
};

export type MovedAmount = { readonly symbol: string; readonly denomination: number; readonly amount: bigint };

/** The most assets of a summary; amounts of further ones are left out. */
export const maxAssets = 8;

/** Adds a later summary of the same chain to an earlier one. */
export function mergeSummaries(earlier: BlockSummary, later: BlockSummary): BlockSummary {
  const kinds = new Map(earlier.kinds);
  for (const [kind, count] of later.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  const moved = new Map(earlier.moved);
  for (const [asset, amount] of later.moved) addMoved(moved, asset, amount);
  return {
    chain: earlier.chain,
    // After a revert, heights begin again at a lower one.
    first: later.first < earlier.first ? later.first : earlier.first,
    last: later.last > earlier.last ? later.last : earlier.last,
    blocks: earlier.blocks + later.blocks,
    txs: earlier.txs + later.txs,
    kinds,
    moved,
  };
}

/** Adds an amount of an asset, unless there are too many assets already. */
export function addMoved(moved: Map<string, MovedAmount>, asset: string, added: MovedAmount): void {
  const before = moved.get(asset);
  if (before === undefined && moved.size >= maxAssets) return;
  moved.set(asset, before === undefined ? added : { ...before, amount: before.amount + added.amount });
}
