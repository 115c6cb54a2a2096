import type { ExplorerReads } from './explorer-reads.ts';
import type { IndexReads } from './index-reads.ts';
import type { ReadsChains } from './reads-chains.fixture.ts';

/** Test chains and an index of them; `sync` indexes the blocks that were added since. */
export type IndexUnderTest = {
  readonly chains: ReadsChains;
  readonly reads: IndexReads;
  readonly explorer: ExplorerReads;
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Compares some reads of an index with its oracle. `name`: the kind of database. */
export type ReadsCheck = (indexed: IndexUnderTest, name: string) => Promise<void>;
