import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { type LongWork, mapInSteps, runSteps } from '../../base/timing/long-work.ts';
import { stateRows } from '../contract/dev-chain-methods.ts';
import { implement } from '../rpc/method.ts';

/** A state of the chains: height and time (Unix seconds) of the X-Chain's last block. */
type StatePoint = { readonly height: number; readonly time: number };

type StateDiff = {
  readonly blocks: { readonly [K in 'added' | 'removed']: readonly { readonly height: number; readonly id: Id }[] };
  readonly txs: { readonly [K in 'added' | 'removed']: readonly Id[] };
  readonly balances: readonly { readonly address: Address; readonly assetID: Id; readonly change: bigint; readonly sharedChange: bigint }[];
};

/** Methods of the developer's chain that save and restore its state. */
export const stateMethods = implement<{
  readonly snapshot: (name: string | undefined) => Promise<StatePoint & { readonly name: string }>;
  readonly revert: (name: string) => Promise<StatePoint>;
  readonly listSnapshots: () => readonly (StatePoint & { readonly name: string })[];
  readonly deleteSnapshot: (name: string) => Promise<void>;
  /** Compares two snapshots of the X-Chain, or one with the current state. */
  readonly diff: (from: string, to: string | undefined) => Promise<StateDiff>;
  readonly longWork: LongWork;
  /** Goes back to the state of a fresh chain. */
  readonly reset: () => Promise<StatePoint>;
  readonly formatAddress: (address: Address) => string;
  /** Resolves when all processes have the restored clock. */
  readonly informReaders: () => Promise<void>;
}>()(stateRows, {
  snapshot: {
    run: async ({ snapshot }, { name }) => toNamedPoint(await snapshot(name || undefined)),
    needsWriter: true,
  },
  revert: {
    run: async ({ revert, informReaders }, { name }) => {
      const restored = toPoint(await revert(name));
      await informReaders();
      return restored;
    },
    needsWriter: true,
  },
  listSnapshots: {
    run: async ({ listSnapshots }) => ({ snapshots: listSnapshots().map(toNamedPoint) }),
    needsWriter: true,
  },
  diff: {
    run: async ({ diff, formatAddress, longWork }, { from, to }) => {
      const found = await diff(from, to || undefined);
      return runSteps(formatDiff(found, formatAddress), longWork.begin());
    },
    needsWriter: true,
  },
  deleteSnapshot: {
    run: async ({ deleteSnapshot }, { name }) => {
      await deleteSnapshot(name);
      return { name };
    },
    needsWriter: true,
  },
  reset: {
    run: async ({ reset, informReaders }) => {
      const restored = toPoint(await reset());
      await informReaders();
      return restored;
    },
    needsWriter: true,
  },
});

function* formatDiff({ blocks, txs, balances }: StateDiff, formatAddress: (address: Address) => string) {
  return {
    blocks: { added: yield* mapInSteps(blocks.added, toBlock), removed: yield* mapInSteps(blocks.removed, toBlock) },
    txs: { added: yield* mapInSteps(txs.added, idText), removed: yield* mapInSteps(txs.removed, idText) },
    balances: yield* mapInSteps(balances, ({ address, assetID, change, sharedChange }) => ({
      address: formatAddress(address),
      assetID: idText(assetID),
      change: String(change),
      sharedChange: String(sharedChange),
    })),
  };
}

const toPoint = ({ height, time }: StatePoint) => ({ height: String(height), time: String(time) });
const toNamedPoint = ({ name, ...point }: StatePoint & { readonly name: string }) => ({ name, ...toPoint(point) });
const toBlock = ({ height, id }: { readonly height: number; readonly id: Id }) => ({ height: String(height), blockID: idText(id) });
