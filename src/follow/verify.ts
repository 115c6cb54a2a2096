import { type Id, idText } from '../bytes/id.ts';
import { type Parent, verifyBlock } from '../chain/processing.ts';
import type { TxVerifier } from '../chain/tx-verifier.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import { type AnyFault, Fault } from '../fault.ts';
import { assetOf } from '../state/view.ts';
import type { Block } from '../tx/block.ts';
import type { Effects } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { batchView, type Loaded } from './batch-view.ts';
import { assetsIn, type Needs, needsOf } from './block-inputs.ts';
import type { Exports } from './exports.ts';
import { FollowError } from './fault.ts';
import { findImported } from './imported.ts';
import type { FollowedBlock, FollowLedger } from './ledger.ts';
import type { Timing } from './pause.ts';
import type { Fetched } from './pipeline.ts';
import type { Beyond } from './pre-linearization-lookup.ts';

export type VerifyDeps = {
  readonly ledger: Pick<FollowLedger, 'load'>;
  readonly judge: TxVerifier;
  readonly recover: RecoverSigner;
  readonly exports: Exports;
  readonly beyond: Beyond;
  readonly timing: Pick<Timing, 'now' | 'unix' | 'soon'>;
};

/** Blocks that hold, in order, and why the next one does not. */
export type Verdict = { readonly verified: readonly VerifiedBlock[]; readonly fault: FollowError | undefined };

/** `untold`: how many of its imports had to be taken as they show themselves. */
export type VerifiedBlock = FollowedBlock & { readonly untold: number };

export type Place = { readonly id: Id; readonly height: bigint; readonly time: bigint };

/** How long blocks are judged before others get a turn, in milliseconds. */
const turn = 10;

/** Judges blocks as any node would, each on what the ones before it leave. Rejects if what that takes cannot be had now. */
export async function verifyBlocks(fetched: readonly Fetched[], last: Place, deps: VerifyDeps): Promise<Verdict> {
  const { timing, judge } = deps;
  const needs = needsOf(fetched.map(({ block }) => block));
  const ground = await prefetch(needs, deps);
  const view = batchView(ground);
  const imported = new Set<Id>();
  const verified: VerifiedBlock[] = [];
  let parent: Parent = { ...last, view };
  let turnEnds = timing.now() + turn;
  for (const { block, prepared } of fetched) {
    await prepared;
    if (timing.now() > turnEnds) {
      await new Promise<void>((resolve) => timing.soon(resolve));
      turnEnds = timing.now() + turn;
    }
    try {
      const processing = verifyBlock(block, {
        judge,
        now: timing.unix,
        parent: (id) => (id === parent.id ? parent : undefined),
        importedBy: () => imported,
        effects: (tx) => needs.effects.get(tx) as Effects,
        dropped: () => {},
      });
      for (const id of processing.imported) imported.add(id);
      verified.push({ block, diff: processing.diff, ...outside(block, processing, ground) });
      view.merge(processing.diff);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { verified, fault: badBlock(block, error) };
    }
    parent = { id: block.id, height: block.height, time: block.time, view };
  }
  return { verified, fault: undefined };
}

/** What the ledger holds, and what had to be fetched from elsewhere. */
type Ground = Loaded & { readonly older: ReadonlyMap<Id, Utxo>; readonly olderAssets: Map<Id, Tx> };

async function prefetch({ utxos, assets, imports }: Needs, { ledger, recover, exports, beyond }: VerifyDeps): Promise<Ground> {
  const [held, imported] = await Promise.all([
    ledger.load({ utxos: [...utxos.keys()], assets: [...assets] }),
    findImported(imports, exports, recover),
  ]);
  const missing = new Map([...utxos].filter(([id]) => !held.utxos.has(id) && held.spent?.has(id) !== true));
  const missingAssets = [...assets].filter((id) => !held.assets.has(id));
  const [older, olderAssets] = await Promise.all([beyond.utxos(missing), beyond.txs(missingAssets)]);
  return {
    utxos: new Map([...held.utxos, ...older]),
    assets: new Map([...held.assets, ...[...olderAssets].map(([id, tx]) => [id, assetOf(tx)] as const)]),
    imported,
    older,
    olderAssets,
  };
}

/** What a block takes from outside of the history that is held. An asset is told with the first block that names it. */
function outside(
  { txs }: Block,
  processing: { readonly diff: FollowedBlock['diff']; readonly imported: ReadonlySet<Id> },
  { older, olderAssets, imported }: Ground,
): Pick<VerifiedBlock, 'older' | 'imported' | 'olderAssets' | 'untold'> {
  const taken = older.size === 0 ? [] : [...processing.diff.consumed.values()].filter(({ id }) => older.has(id));
  const imports = [...processing.imported];
  const named: Tx[] = [];
  for (const id of olderAssets.size === 0 ? [] : new Set(txs.flatMap((tx) => [...assetsIn(tx)]))) {
    const tx = olderAssets.get(id);
    if (tx?.unsigned.kind === 'CreateAssetTx') named.push(tx);
    olderAssets.delete(id);
  }
  return {
    older: taken,
    imported: new Map(imports.flatMap((id) => [[id, imported.utxos.get(id)] as const]).filter(isKnown)),
    olderAssets: named,
    untold: imports.filter((id) => imported.untold.has(id)).length,
  };
}

const isKnown = (entry: readonly [Id, Utxo | undefined]): entry is readonly [Id, Utxo] => entry[1] !== undefined;

const badBlock = ({ height, id }: Block, { message, fault }: AnyFault) =>
  new FollowError(`block ${height} of the followed node (${idText(id)}) breaks a rule: ${message}`, {
    code: 'FOLLOW_BAD_BLOCK',
    height: String(height),
    blockID: idText(id),
    cause: fault.code,
  });
