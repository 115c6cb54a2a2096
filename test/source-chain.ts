import { makeBlock } from '../src/avm/tx/block.ts';
import type { TransferableOutput } from '../src/avm/tx/output.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { type Id, idOf } from '../src/base/bytes/id.ts';
import { concat } from '../src/base/bytes/octets.ts';
import { pack, versionSize } from '../src/base/codec/pack.ts';
import { createCChainExport } from './c-chain-export.ts';
import type { LedgerModel } from './ledger-model.ts';
import { cChain, type LocalChain, localModel, openLocalChain, pChain } from './local-chain.ts';
import { createRandom, type Random } from './random.ts';
import { chance, randomAmount } from './random-world.ts';
import { createTxGenerator } from './tx-generator.ts';
import { createWallet, ewoq, localChainParams, ownedBy, transfer, type Wallet } from './wallet-kit.ts';

/** An X-Chain that grows by random blocks of valid transactions, including imports. Tests follow it. */
export type SourceChain = {
  readonly local: LocalChain;
  readonly model: LedgerModel;
  readonly wallet: Wallet;
  /** Export transactions of the P-Chain and C-Chain whose outputs it imports. */
  readonly foreignTxs: ReadonlyMap<Id, Uint8Array>;
  readonly grow: (blocks: number) => void;
};

export function openSourceChain(seed: number): SourceChain {
  const random = createRandom(seed);
  let clock = 1_763_000_000n;
  const local = openLocalChain({ now: () => clock });
  const model = localModel();
  const wallet = createWallet('source chain', { keys: [ewoq], count: 5 });
  const lockedUntil = () => clock + BigInt(1 + random.below(60));
  const generator = createTxGenerator({
    random,
    model,
    wallet,
    now: () => clock,
    lockedUntil,
    chains: [pChain, cChain],
    holdsPending: true,
  });
  const foreignTxs = new Map<Id, Uint8Array>();

  const depositForeignExport = (): void => {
    const from = random.pick([pChain, cChain]);
    const { bytes, utxos } = foreignExport(from, wallet, random);
    foreignTxs.set(idOf(bytes), bytes);
    for (const utxo of utxos) {
      local.deposit(from, utxo);
      model.deposit(from, utxo);
    }
  };

  /** Random transactions; each may depend on the ones before it. */
  const randomTxs = (): Tx[] => {
    const txs: Tx[] = [];
    for (let wanted = 1 + random.below(5); txs.length < wanted; ) {
      generator.reset();
      const tx = generator.nextValid();
      if (tx === undefined) break;
      model.apply(tx);
      txs.push(tx);
    }
    return txs;
  };

  return {
    local,
    model,
    wallet,
    foreignTxs,
    grow: (blocks) => {
      for (let i = 0; i < blocks; i++) {
        clock += BigInt(random.below(5));
        if (chance(random, 40)) depositForeignExport();
        const { id: parentID, height } = local.state.lastAccepted();
        const block = local.chain.parse(makeBlock({ parentID, height: height + 1n, time: clock, txs: randomTxs() }).bytes);
        local.chain.verify(block);
        local.chain.accept([block.id]);
      }
    },
  };
}

/** An export of another chain to this one, as bytes. Its signatures are never checked here. */
function foreignExport(from: Id, wallet: Wallet, random: Random): { bytes: Uint8Array; utxos: Utxo[] } {
  const outputs = Array.from({ length: 1 + random.below(3) }, () => {
    const owners = chance(random, 30) ? ownedBy(wallet.keys.slice(0, 3), 2) : ownedBy([random.pick(wallet.keys)]);
    return transfer(localChainParams.feeAsset, 1_000_000n + randomAmount(random, 1n << 40n), owners);
  });
  if (from === cChain) return createCChainExport({ address: random.bytes(20), amount: 1n, nonce: BigInt(random.next()) }, outputs);
  const change = [transfer(localChainParams.feeAsset, 5n, ownedBy([ewoq]))];
  const bytes = platformExportBytes(change, outputs, random);
  return { bytes, utxos: outputs.map(({ assetID, output }, i) => makeUtxo(idOf(bytes), change.length + i, assetID, output)) };
}

/** The P-Chain's export has the fields of the X-Chain's in the same order, with another type ID. */
function platformExportBytes(outputs: TransferableOutput[], exportedOutputs: TransferableOutput[], random: Random): Uint8Array {
  const base = { networkID: localChainParams.networkID, blockchainID: pChain, outputs, inputs: [], memo: random.bytes(8) };
  const body = Buffer.from(
    pack(UnsignedTx, { kind: 'ExportTx', ...base, destinationChain: localChainParams.blockchainID, exportedOutputs }),
  );
  body.writeUInt32BE(18, versionSize);
  return concat([body, Buffer.alloc(4)]);
}
