import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import { openSqliteIndex } from '../index-sqlite/sqlite-index.ts';
import type { ExportedOutput } from '../index-write/exported-outputs.ts';
import type { NewBlock } from '../state/block-change.ts';
import { getChainNumber } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { createDiff } from '../state/diff.ts';
import { openChain } from '../state/open-chain.fixture.ts';
import { chainID, genesisID, otherChainID, randomChain } from '../state/random-chain.fixture.ts';
import type { OpenDatabase } from '../store/database.ts';
import { createOracle } from './reads-oracle.fixture.ts';

/**
 * Two indexed chains in one database: a random one, and one that sometimes imports what the first exports. Some exports disappear without
 * a known import.
 */
export type ReadsChains = ReturnType<typeof openReadsChains>;

export function openReadsChains(open: OpenDatabase, seed: number, path?: string) {
  const source = randomChain(seed, 6, 3_000_000);
  const log: ({ readonly chain: 0 | 1; readonly block: NewBlock } | { readonly unknownImports: readonly ExportedOutput[] })[] = [];
  const { store, sharedMemory, state, close } = openChain(open, path);
  const feeAsset = source.genesisTxs[0]?.id as Id;
  const indexOf = (id: Id) => {
    const number = getChainNumber(store, id);
    migrateStore(store, number);
    return openSqliteIndex(store, { number, id, feeAsset, completeFrom: 0 });
  };
  const index = indexOf(chainID);
  state.init(source.genesisTxs, source.first, index.indexBlocks);
  const oracle = createOracle(chainID, feeAsset);
  oracle.accept(source.first, source.genesisTxs, []);

  const other = openState(store, sharedMemory, { id: otherChainID, genesis: genesisID });
  const otherIndex = indexOf(otherChainID);
  const empty = { networkID: 12345, blockchainID: zeroId, outputs: [], inputs: [], memo: new Uint8Array(0) };
  const asset = { name: Buffer.from('P'), symbol: Buffer.from('P'), denomination: 0, initialStates: [] };
  const otherTxs = [makeTx({ kind: 'CreateAssetTx', ...empty, ...asset }, [])];
  other.init(otherTxs, source.first, otherIndex.indexBlocks);

  /** The other chain imports some of the outputs exported to it. */
  const importElsewhere = (): void => {
    const pending = oracle.pendingExportsTo(otherChainID);
    const taken = pending.filter(() => source.pick(2) === 0).slice(0, 3);
    if (taken.length === 0) return;
    const inputs = taken.map(({ txID, outputIndex, assetID }) => ({
      txID,
      outputIndex,
      assetID,
      input: { kind: 'secp256k1fx.TransferInput' as const, amount: 1n, signatureIndices: [] },
    }));
    const tx = makeTx({ kind: 'ImportTx', ...empty, blockchainID: otherChainID, sourceChain: chainID, importedInputs: inputs }, []);
    const last = other.lastAccepted();
    // Heights of two chains cannot be compared: an import is ordered against this chain's blocks only by its time, in seconds.
    const time = BigInt(oracle.lastTime() + 1 + source.pick(2));
    const block = makeBlock({ parentID: last.id, height: last.height + 1n, time: time > last.time ? time : last.time, txs: [tx] });
    const diff = createDiff(other);
    diff.apply(tx, effectsOf(tx));
    other.commitAll([{ block, diff }], otherIndex.indexBlocks);
    log.push({ chain: 1, block: { block, diff, imported: new Map(taken.map((utxo) => [utxo.id, utxo])) } });
    oracle.markImported(taken, tx.id, Number(block.time));
  };

  /** Some exported outputs are found to be imported, by unknown transactions. */
  const importUnknown = (): void => {
    const taken = oracle.pendingExportsTo(otherChainID).filter(() => source.pick(4) === 0);
    const unknownImports = taken.map(({ id }) => ({ id, destination: otherChainID }));
    void index.exported.markSpent(unknownImports);
    log.push({ unknownImports });
    oracle.markImported(taken, undefined, oracle.lastTime());
  };

  return {
    store,
    state,
    oracle,
    addresses: source.addresses,
    pick: source.pick,
    number: getChainNumber(store, chainID),
    feeAsset,
    /** Genesis transactions and first block of both chains. */
    geneses: [
      { id: chainID, txs: source.genesisTxs, first: source.first },
      { id: otherChainID, txs: otherTxs, first: source.first },
    ],
    /** All later blocks and unknown imports, in order. */
    log,
    /** Adds the next block, and sometimes one of the other chain. */
    step: (txCount?: number): void => {
      const before = oracle.lastTime();
      const { inboundUtxos, block, diff } = source.next(state, txCount);
      if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(chainID, otherChainID, inboundUtxos));
      state.commitAll([{ block, diff }], index.indexBlocks);
      oracle.accept(block, block.txs, inboundUtxos);
      log.push({ chain: 0, block: { block, diff, imported: oracle.inbound() } });
      if (source.pick(3) === 0) importElsewhere();
      // An unknown import that is found in the same second as the previous block would count as spent as of that block too.
      if (oracle.lastTime() > before && source.pick(4) === 0) importUnknown();
    },
    close,
  };
}
