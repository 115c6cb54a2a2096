import { type Block, makeBlock } from '../../avm/tx/block.ts';
import type { Credential } from '../../avm/tx/credential.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Output } from '../../avm/tx/output.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { makeUtxo, refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { createDiff, type Diff } from './diff.ts';

export const chainID = sha256Hex(Buffer.from('chain')) as Id;
export const otherChainID = sha256Hex(Buffer.from('peer')) as Id;
export const genesisID = sha256Hex(Buffer.from('genesis')) as Id;

export type NextBlock = { readonly inboundUtxos: readonly Utxo[]; readonly block: Block; readonly diff: Diff };

/** A simple model of the state; tests compare the real state with it. */
export type Model = {
  /** Unspent outputs with the height of the block that created them. */
  readonly unspent: Map<Id, { utxo: Utxo; height: bigint }>;
  readonly spent: Map<Id, UtxoRef>;
  /** Outputs that the other chain exported to this chain, oldest first. */
  inbound: Utxo[];
  readonly outbound: Utxo[];
  readonly blocks: Block[];
  readonly txs: Tx[];
};

/**
 * Generates blocks with all types of transactions from a seed. Nothing is signed, since the state does not verify.
 * `maxGap`: the largest number of seconds between two blocks that occurs now and then.
 */
export function randomChain(seed: number, addressCount = 8, maxGap = 3) {
  const random = prng(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const addresses = Array.from({ length: addressCount }, (_, i) => sha256Hex(Buffer.from(`address ${i}`)).slice(0, 40) as Address).sort();
  const model: Model = { unspent: new Map(), spent: new Map(), inbound: [], outbound: [], blocks: [], txs: [] };
  let nonce = 0;

  const owners = () => {
    // Sometimes so many owners that owner rows have no copy of the output (see ownerRowBytes).
    const many = pick(12) === 0 ? Array.from({ length: 10 }, (_, i) => sha256Hex(Buffer.from(`crowd ${i}`)).slice(0, 40) as Address) : [];
    const chosen = [...new Set([...Array.from({ length: pick(4) }, () => addresses[pick(addressCount)] as Address), ...many])].sort();
    const threshold = chosen.length === 0 ? 0 : 1 + pick(chosen.length);
    return { locktime: pick(4) === 0 ? BigInt(pick(3)) * 1000n : 0n, threshold, addresses: chosen };
  };
  const amount = () => (pick(10) === 0 ? 0xffffffffffffffffn : BigInt(1 + pick(1000)));
  const transfer = () => ({ kind: 'secp256k1fx.TransferOutput' as const, amount: amount(), ...owners() });
  const outputs: (() => Output)[] = [
    transfer,
    () => ({ kind: 'secp256k1fx.MintOutput', ...owners() }),
    () => ({ kind: 'nftfx.MintOutput', groupID: pick(5), ...owners() }),
    () => ({ kind: 'nftfx.TransferOutput', groupID: pick(5), payload: Buffer.alloc(pick(300), 7), ...owners() }),
    () => ({ kind: 'propertyfx.MintOutput', ...owners() }),
    () => ({ kind: 'propertyfx.OwnedOutput', ...owners() }),
  ];
  const anyOutput = (): Output => (outputs[pick(outputs.length)] as () => Output)();
  const asset = (base: object): UnsignedTx => ({
    ...(base as Extract<UnsignedTx, { kind: 'BaseTx' }>),
    kind: 'CreateAssetTx',
    name: Buffer.from(`Asset ${++nonce}`),
    symbol: Buffer.from('TEST'),
    denomination: pick(33),
    initialStates: [{ fxIndex: pick(3), outputs: Array.from({ length: 1 + pick(6) }, anyOutput) }],
  });

  const genesisTxs = Array.from({ length: 2 }, () =>
    makeTx(asset({ networkID: 12345, blockchainID: zeroId, outputs: [], inputs: [], memo: new Uint8Array(0) }), []),
  );
  const first = makeBlock({ parentID: genesisID, height: 0n, time: 1607144400n, txs: [] });
  const assets: Id[] = genesisTxs.map((tx) => tx.id);
  const anyAsset = () => assets[pick(assets.length)] as Id;
  const plain = () => Array.from({ length: pick(4) }, () => ({ assetID: anyAsset(), output: transfer() }));

  const accept = (txs: readonly Tx[], block: Block): void => {
    for (const tx of txs) {
      const { spent, created, imported, exported } = effectsOf(tx);
      for (const ref of spent) {
        model.unspent.delete(refId(ref));
        model.spent.set(refId(ref), ref);
      }
      for (const utxo of created) model.unspent.set(utxo.id, { utxo, height: block.height });
      if (imported) model.inbound = model.inbound.filter(({ id }) => !imported.ids.includes(id));
      model.outbound.push(...(exported?.utxos ?? []));
    }
    model.txs.push(...txs);
    model.blocks.push(block);
  };
  accept(genesisTxs, first);

  /** Generates the next block on a view with all blocks before it, and adds the block to the model. */
  const next = (view: View, txCount = 1 + pick(5)): NextBlock => {
    const inboundUtxos = Array.from({ length: pick(3) }, () =>
      makeUtxo(sha256Hex(Buffer.from(`put ${seed} ${++nonce}`)) as Id, pick(3), anyAsset(), transfer()),
    );
    model.inbound.push(...inboundUtxos);
    const free = [...model.unspent.values()].map(({ utxo }) => utxo);
    const inbound = [...model.inbound];
    const take = <T>(from: T[]): T | undefined => from.splice(pick(from.length), 1)[0];
    const inputOf = (utxo: Utxo) => ({
      txID: utxo.txID,
      outputIndex: utxo.outputIndex,
      assetID: utxo.assetID,
      input: { kind: 'secp256k1fx.TransferInput' as const, amount: 1n, signatureIndices: signersOf(utxo) },
    });
    const txs: Tx[] = [];
    const diff = createDiff(view);
    for (let i = 0; i < txCount; i++) {
      const spends = Array.from({ length: pick(3) }, () => take(free)).filter((utxo) => utxo !== undefined);
      const memo = Buffer.from(`${seed} ${++nonce}`);
      const base = { networkID: 12345, blockchainID: chainID, outputs: plain(), inputs: spends.map(inputOf), memo };
      const moved = take(free);
      const taken = pick(2) === 0 ? take(inbound) : undefined;
      const kinds: UnsignedTx[] = [
        { kind: 'BaseTx', ...base },
        asset(base),
        { kind: 'ExportTx', ...base, destinationChain: otherChainID, exportedOutputs: [{ assetID: anyAsset(), output: transfer() }] },
        ...(taken ? [{ kind: 'ImportTx' as const, ...base, sourceChain: otherChainID, importedInputs: [inputOf(taken)] }] : []),
        ...(moved
          ? [
              {
                kind: 'OperationTx' as const,
                ...base,
                operations: [
                  {
                    assetID: moved.assetID,
                    inputIDs: [{ txID: moved.txID, outputIndex: moved.outputIndex }],
                    operation: {
                      kind: 'nftfx.MintOperation' as const,
                      mintInput: { signatureIndices: [] },
                      groupID: 1,
                      payload: Buffer.alloc(pick(40)),
                      outputs: [owners(), owners()],
                    },
                  },
                ],
              },
            ]
          : []),
      ];
      const tx = makeTx(kinds[pick(kinds.length)] as UnsignedTx, credentialsOf(memo, spends.length));
      const effects = effectsOf(tx);
      if (tx.unsigned.kind !== 'ImportTx' && taken) inbound.push(taken);
      if (tx.unsigned.kind !== 'OperationTx' && moved) free.push(moved);
      diff.apply(tx, effects);
      free.push(...effects.created);
      if (tx.unsigned.kind === 'CreateAssetTx') assets.push(tx.id);
      txs.push(tx);
    }
    const last = model.blocks[model.blocks.length - 1] as Block;
    const time = last.time + BigInt(pick(6) === 0 ? pick(maxGap) : pick(3));
    const block = makeBlock({ parentID: last.id, height: last.height + 1n, time, txs });
    accept(txs, block);
    return { inboundUtxos, block, diff };
  };

  return { addresses, genesisTxs, first, next, model, pick };
}

/** Up to three indices, some of which the output does not have. */
const signersOf = ({ id }: Utxo): number[] => [0, 1, 2].slice(0, Number.parseInt(id.slice(0, 2), 16) % 4);

/** Credentials with up to three signatures for some of the inputs, sometimes for none. The same memo gives the same ones. */
function credentialsOf(memo: Uint8Array, inputs: number): Credential[] {
  const random = Buffer.concat([memo, Buffer.from('credentials')]);
  const hash = Buffer.from(sha256Hex(random), 'hex');
  const count = (hash[0] as number) % 4 === 0 ? 0 : inputs;
  return Array.from({ length: count }, (_, i) => ({
    kind: (hash[i + 1] as number) % 8 === 0 ? 'nftfx.Credential' : 'secp256k1fx.Credential',
    signatures: Array.from({ length: (hash[i + 2] as number) % 4 }, (_, j) => Buffer.alloc(65, hash.subarray(i + j))),
  }));
}

/** The Mulberry32 random number generator: the same sequence for the same seed on every machine. */
export function prng(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
