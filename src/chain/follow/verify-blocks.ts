import type { Block } from '../../avm/tx/block.ts';
import type { Effects } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { assetOf } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { type Parent, verifyBlock } from '../lifecycle/processing.ts';
import type { BlockVerifier } from '../lifecycle/tx-verifier.ts';
import { createBatchView, type PrefetchedState } from './batch-view.ts';
import { assetIdsOf, type BlockInputs, collectBlockInputs } from './block-inputs.ts';
import type { ExportLookup } from './export-lookup.ts';
import { FollowError } from './fault.ts';
import { findImportedOutputs } from './imported-outputs.ts';
import type { FollowedBlock, FollowLedger } from './ledger.ts';
import type { PreLinearizationLookup } from './pre-linearization-lookup.ts';
import type { FetchedBlock } from './ready-blocks.ts';
import type { Timing } from './timing.ts';

type BatchVerifyDeps = {
  readonly ledger: Pick<FollowLedger, 'load'>;
  readonly verifier: BlockVerifier;
  readonly exportLookup: ExportLookup;
  readonly preLinearization: PreLinearizationLookup;
  readonly timing: Pick<Timing, 'now' | 'unix' | 'soon'>;
};

/** Valid blocks in order, and the error of the first invalid one. */
type VerifiedBatch = { readonly verified: readonly VerifiedBlock[]; readonly fault: FollowError | undefined };

/** `unknownImports`: number of imported outputs whose export could not be found. */
export type VerifiedBlock = FollowedBlock & { readonly unknownImports: number };

export type BlockPosition = { readonly id: Id; readonly height: bigint; readonly time: bigint };

/** Milliseconds of verification before the event loop gets a turn. */
const sliceTime = 10;

/** Verifies blocks as any node does, each on the state after the previous one. Rejects if the inputs cannot be fetched now. */
export async function verifyBlocks(fetched: readonly FetchedBlock[], last: BlockPosition, deps: BatchVerifyDeps): Promise<VerifiedBatch> {
  const { timing, verifier } = deps;
  const inputs = collectBlockInputs(fetched.map(({ block }) => block));
  const prefetched = await prefetch(inputs, deps);
  const view = createBatchView(prefetched);
  const imported = new Set<Id>();
  const verified: VerifiedBlock[] = [];
  let parent: Parent = { ...last, view };
  let sliceEnd = timing.now() + sliceTime;
  for (const { block, prepared } of fetched) {
    await prepared;
    if (timing.now() > sliceEnd) {
      await new Promise<void>((resolve) => timing.soon(resolve));
      sliceEnd = timing.now() + sliceTime;
    }
    try {
      const processing = verifyBlock(block, {
        verifier,
        now: timing.unix,
        parent: (id) => (id === parent.id ? parent : undefined),
        importedByAncestors: () => imported,
        effectsOf: (tx) => inputs.effects.get(tx) as Effects,
        onDropped: () => {},
      });
      for (const id of processing.imported) imported.add(id);
      verified.push({ block, diff: processing.diff, ...externalParts(block, processing, prefetched) });
      view.merge(processing.diff);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { verified, fault: badBlock(block, error) };
    }
    parent = { id: block.id, height: block.height, time: block.time, view };
  }
  return { verified, fault: undefined };
}

/** State loaded from the ledger, and what had to be fetched from the node. */
type Prefetched = PrefetchedState & { readonly preLinearizationUtxos: ReadonlyMap<Id, Utxo>; readonly preLinearizationTxs: Map<Id, Tx> };

async function prefetch(
  { utxos, assets, imports }: BlockInputs,
  { ledger, exportLookup, preLinearization }: BatchVerifyDeps,
): Promise<Prefetched> {
  const [loaded, imported] = await Promise.all([
    ledger.load({ utxos: [...utxos.values()], assets: [...assets] }),
    findImportedOutputs(imports, exportLookup),
  ]);
  const missing = new Map<Id, UtxoRef>();
  for (const [id, ref] of utxos) if (!loaded.utxos.has(id) && loaded.spent?.has(id) !== true) missing.set(id, ref);
  const missingAssets = [...assets].filter((id) => !loaded.assets.has(id));
  const [preLinearizationUtxos, preLinearizationTxs] = await Promise.all([
    preLinearization.utxos(missing),
    preLinearization.txs(missingAssets),
  ]);
  const known = new Map(loaded.utxos);
  for (const [id, utxo] of preLinearizationUtxos) known.set(id, utxo);
  return {
    utxos: known,
    assets: new Map([...loaded.assets, ...[...preLinearizationTxs].map(([id, tx]) => [id, assetOf(tx)] as const)]),
    imported,
    preLinearizationUtxos,
    preLinearizationTxs,
  };
}

/** What a block needs that the ledger does not have. An asset is listed with the first block that refers to it. */
function externalParts(
  { txs }: Block,
  processing: { readonly diff: FollowedBlock['diff']; readonly imported: ReadonlySet<Id> },
  { preLinearizationUtxos, preLinearizationTxs, imported }: Prefetched,
): Pick<VerifiedBlock, 'preLinearizationUtxos' | 'imported' | 'preLinearizationAssets' | 'unknownImports'> {
  const consumed =
    preLinearizationUtxos.size === 0 ? [] : [...processing.diff.consumed.values()].filter(({ id }) => preLinearizationUtxos.has(id));
  const imports = [...processing.imported];
  const createAssetTxs: Tx[] = [];
  for (const id of preLinearizationTxs.size === 0 ? [] : new Set(txs.flatMap(assetIdsOf))) {
    const tx = preLinearizationTxs.get(id);
    if (tx?.unsigned.kind === 'CreateAssetTx') createAssetTxs.push(tx);
    preLinearizationTxs.delete(id);
  }
  return {
    preLinearizationUtxos: consumed,
    imported: new Map(imports.flatMap((id) => [[id, imported.utxos.get(id)] as const]).filter(isKnown)),
    preLinearizationAssets: createAssetTxs,
    unknownImports: imports.filter((id) => imported.unknown.has(id)).length,
  };
}

const isKnown = (entry: readonly [Id, Utxo | undefined]): entry is readonly [Id, Utxo] => entry[1] !== undefined;

/** Why a node may have accepted an invalid block: only a developer's chain accepts one with an invalid signature or a time in the future. */
const developerHint = (fault: AnyFault['fault']): string => {
  const { code, cause = code } = fault as { readonly code: string; readonly cause?: string };
  if (/SIGNATURE/.test(cause))
    return "; a developer's chain accepts such transactions for impersonated addresses (dev.impersonate) and can then be followed only by serac index --trust-node";
  return cause === 'BLOCK_TOO_FAR_AHEAD'
    ? "; either the clock of this machine is behind, or the clock of a developer's chain was moved ahead (dev.increaseTime, dev.setTime): such a chain can be followed up to the current time only, so this block is tried again until its time has come"
    : '';
};

const badBlock = ({ height, id }: Block, { message, fault }: AnyFault) =>
  new FollowError(`block ${height} of the followed node (${idText(id)}) is invalid: ${message}${developerHint(fault)}`, {
    code: 'FOLLOW_BAD_BLOCK',
    height: String(height),
    blockID: idText(id),
    cause: fault.code,
  });
