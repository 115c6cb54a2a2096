import type { Id } from '../bytes/id.ts';
import { zeroId } from '../bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import { sqliteIndex } from '../index-sqlite/sqlite-index.ts';
import type { Export } from '../index-write/exported-outputs.ts';
import type { NewBlock } from '../state/block-change.ts';
import { claimedNumber } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { diffOn } from '../state/diff.ts';
import { openChain } from '../state/grow.fixture.ts';
import { chainID, genesisID, peerID, randomChain } from '../state/random-chain.fixture.ts';
import type { OpenDatabase } from '../store/database.ts';
import { makeBlock } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import { makeTx } from '../tx/tx.ts';
import { createOracle } from './reads-oracle.fixture.ts';

/** Two indexed chains in one database: a random one, and one that now and then imports what that one exports. Some of it gets lost. */
export type ReadsWorld = ReturnType<typeof createReadsWorld>;

export function createReadsWorld(open: OpenDatabase, seed: number, path?: string) {
  const source = randomChain(seed, 6, 3_000_000);
  const log: ({ readonly chain: 0 | 1; readonly block: NewBlock } | { readonly gone: readonly Export[] })[] = [];
  const { store, memory, state, close } = openChain(open, path);
  const feeAsset = source.genesisTxs[0]?.id as Id;
  const indexOf = (id: Id) => {
    const number = claimedNumber(store, id);
    migrateStore(store, number);
    return sqliteIndex(store, { number, id, feeAsset, completeFrom: 0 });
  };
  const index = indexOf(chainID);
  state.init(source.genesisTxs, source.first, index.within);
  const oracle = createOracle(chainID, feeAsset);
  oracle.accept(source.first, source.genesisTxs, []);

  const peer = openState(store, memory, { id: peerID, genesis: genesisID });
  const peerIndex = indexOf(peerID);
  const empty = { networkID: 12345, blockchainID: zeroId, outputs: [], inputs: [], memo: new Uint8Array(0) };
  const asset = { name: Buffer.from('P'), symbol: Buffer.from('P'), denomination: 0, initialStates: [] };
  const peerTxs = [makeTx({ kind: 'CreateAssetTx', ...empty, ...asset }, [])];
  peer.init(peerTxs, source.first, peerIndex.within);

  /** The other chain takes some of what was exported to it. */
  const importElsewhere = (): void => {
    const waiting = oracle.waitingFor(peerID);
    const taken = waiting.filter(() => source.pick(2) === 0).slice(0, 3);
    if (taken.length === 0) return;
    const inputs = taken.map(({ txID, outputIndex, assetID }) => ({
      txID,
      outputIndex,
      assetID,
      input: { kind: 'secp256k1fx.TransferInput' as const, amount: 1n, signatureIndices: [] },
    }));
    const tx = makeTx({ kind: 'ImportTx', ...empty, blockchainID: peerID, sourceChain: chainID, importedInputs: inputs }, []);
    const last = peer.lastAccepted();
    // Two chains have no common heights: what one of them does is told apart from the other's blocks by the second only.
    const time = BigInt(oracle.lastTime() + 1 + source.pick(2));
    const block = makeBlock({ parentID: last.id, height: last.height + 1n, time: time > last.time ? time : last.time, txs: [tx] });
    const diff = diffOn(peer);
    diff.apply(tx, effectsOf(tx));
    peer.commit(block, diff, peerIndex.within);
    log.push({ chain: 1, block: { block, diff, imported: new Map(taken.map((utxo) => [utxo.id, utxo])) } });
    oracle.taken(taken, tx.id, Number(block.time));
  };

  /** Some of what was exported is found to be gone, and nobody knows how. */
  const findGone = (): void => {
    const taken = oracle.waitingFor(peerID).filter(() => source.pick(4) === 0);
    const gone = taken.map(({ id }) => ({ id, destination: peerID }));
    void index.exported.take(gone);
    log.push({ gone });
    oracle.taken(taken, undefined, oracle.lastTime());
  };

  return {
    store,
    state,
    oracle,
    addresses: source.addresses,
    pick: source.pick,
    number: claimedNumber(store, chainID),
    feeAsset,
    /** Where both chains begin, and all their blocks since. */
    beginnings: [
      { id: chainID, txs: source.genesisTxs, first: source.first },
      { id: peerID, txs: peerTxs, first: source.first },
    ],
    log,
    /** The next block, and perhaps one of the other chain. */
    step: (txCount?: number): void => {
      const before = oracle.lastTime();
      const { puts, block, diff } = source.next(state, txCount);
      if (puts.length > 0) store.write(() => memory.put(chainID, peerID, puts));
      state.commit(block, diff, index.within);
      oracle.accept(block, block.txs, puts);
      log.push({ chain: 0, block: { block, diff, imported: oracle.inbound() } });
      if (source.pick(3) === 0) importElsewhere();
      // What is found gone in one second with an earlier block is gone for whoever asks about that one as well.
      if (oracle.lastTime() > before && source.pick(4) === 0) findGone();
    },
    close,
  };
}
