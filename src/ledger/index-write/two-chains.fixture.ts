import { type Block, makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { FxOperation } from '../../avm/tx/operation.ts';
import type { Output, OutputOwners } from '../../avm/tx/output.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type ChainState, openState } from '../state/chain-state.ts';
import { createDiff } from '../state/diff.ts';
import { prng } from '../state/random-chain.fixture.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath, type OpenDatabase } from '../store/database.ts';
import { openStore } from '../store/store.ts';

const hashOf = (text: string): Id => sha256Hex(Buffer.from(text)) as Id;

export const twoChainsGenesis = hashOf('genesis of the world');
export const twoChainIDs = [hashOf('chain one'), hashOf('chain two')] as const;
/** A chain outside the database: a destination of exports and a source of imports. */
export const unindexedChainID = hashOf('outside');

export type GeneratedBlock = {
  readonly block: Block;
  readonly diff: ReturnType<typeof createDiff>;
  readonly inboundUtxos: readonly Utxo[];
};
export type BlockGenerator = ReturnType<typeof createBlockGenerator>;

/** Opens a database with the states of both chains. */
export function openTwoChains(open: OpenDatabase, path: string = memoryPath) {
  const store = openStore(open, { path, networkID: 12345, genesis: twoChainsGenesis });
  const sharedMemory = openSharedMemory(store);
  const states = twoChainIDs.map((id) => openState(store, sharedMemory, { id, genesis: twoChainsGenesis }));
  return { store, sharedMemory, states, close: store.close };
}

/**
 * Creates a generator of random blocks of one chain. They have every kind of transaction, pay fees and are not verified by anything.
 * Between blocks pass seconds, hours or days. `destinations`: chains in the database that it exports to.
 */
export function createBlockGenerator(seed: number, id: Id, destinations: readonly Id[], addressCount = 10) {
  const random = prng(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const pickOne = <T>(from: readonly T[]): T => from[pick(from.length)] as T;
  const addresses = Array.from({ length: addressCount }, (_, i) => hashOf(`owner ${i}`).slice(0, 40) as Address).sort();
  let nonce = 0;

  const owners = (): OutputOwners => {
    const count = pickOne([1, 1, 1, 1, 2, 3, 0]);
    const chosen = [...new Set(Array.from({ length: count }, () => pickOne(addresses)))].sort();
    return {
      locktime: pick(5) === 0 ? BigInt(1 + pick(2)) * 1000n : 0n,
      threshold: Math.min(1 + pick(2), chosen.length),
      addresses: chosen,
    };
  };
  const transfer = (amount: bigint) => ({ kind: 'secp256k1fx.TransferOutput' as const, amount, ...owners() });
  const randomOutputs: (() => Output)[] = [
    () => transfer(BigInt(1 + pick(1_000_000))),
    () => ({ kind: 'secp256k1fx.MintOutput', ...owners() }),
    () => ({ kind: 'nftfx.MintOutput', groupID: pick(3), ...owners() }),
    () => ({ kind: 'nftfx.TransferOutput', groupID: pick(3), payload: Buffer.alloc(pick(20), 1), ...owners() }),
    () => ({ kind: 'propertyfx.MintOutput', ...owners() }),
    () => ({ kind: 'propertyfx.OwnedOutput', ...owners() }),
  ];
  const base = () => ({ networkID: 12345, blockchainID: id, outputs: [], inputs: [], memo: Buffer.from(`${seed} ${++nonce}`) });
  const createAsset = (outputs: readonly Output[], extra: object = {}): UnsignedTx => ({
    ...base(),
    kind: 'CreateAssetTx',
    name: Buffer.from(`Asset ${nonce}`),
    symbol: Buffer.from('TEST'),
    denomination: pick(33),
    initialStates: [{ fxIndex: 0, outputs: [...outputs] }],
    ...extra,
  });

  const genesisOutputs = Array.from({ length: 12 }, () => transfer(10n ** 15n));
  const genesisTxs = [makeTx(createAsset(genesisOutputs), []), makeTx(createAsset(randomOutputs.map((make) => make())), [])];
  const feeAsset = (genesisTxs[0] as Tx).id;
  const firstBlock = makeBlock({ parentID: twoChainsGenesis, height: 0n, time: 1_700_000_000n, txs: [] });
  let lastBlock: Block = firstBlock;
  const spendable: Utxo[] = genesisTxs.flatMap((tx) => [...effectsOf(tx).created]);
  const inbound: { utxo: Utxo; from: Id }[] = [];

  const isTransfer = ({ output }: Utxo): boolean => output.kind === 'secp256k1fx.TransferOutput';
  const amountOf = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);
  const takeOne = <T>(from: T[], fits: (item: T) => boolean): T | undefined => {
    const found = from.filter(fits);
    const chosen = found.length === 0 ? undefined : pickOne(found);
    if (chosen !== undefined) from.splice(from.indexOf(chosen), 1);
    return chosen;
  };
  const input = (utxo: Utxo) => ({
    txID: utxo.txID,
    outputIndex: utxo.outputIndex,
    assetID: utxo.assetID,
    input: { kind: 'secp256k1fx.TransferInput' as const, amount: amountOf(utxo), signatureIndices: [0] },
  });
  /** Outputs that spend all of the inputs, asset by asset, except a fee in the fee asset. */
  const split = (utxos: readonly Utxo[]) => {
    const sums = new Map<Id, bigint>();
    for (const utxo of utxos) sums.set(utxo.assetID, (sums.get(utxo.assetID) ?? 0n) + amountOf(utxo));
    return [...sums].flatMap(([assetID, sum]) => {
      const left = assetID === feeAsset ? sum - 1000n - BigInt(pick(50)) : sum;
      const part = left > 3n ? BigInt(pick(1000)) * (left / 1000n) : 0n;
      return [part, left - part].filter((amount) => amount > 0n).map((amount) => ({ assetID, output: transfer(amount) }));
    });
  };
  const operations: { readonly [K in Output['kind']]?: (asset: Id) => FxOperation } = {
    'secp256k1fx.MintOutput': () => ({
      kind: 'secp256k1fx.MintOperation',
      mintInput: { signatureIndices: [0] },
      mintOutput: owners(),
      transferOutput: { amount: BigInt(1 + pick(1000)), ...owners() },
    }),
    'nftfx.MintOutput': () => ({
      kind: 'nftfx.MintOperation',
      mintInput: { signatureIndices: [0] },
      groupID: 1,
      payload: Buffer.from('nft'),
      outputs: [owners(), owners()],
    }),
    'nftfx.TransferOutput': () => ({
      kind: 'nftfx.TransferOperation',
      input: { signatureIndices: [0] },
      output: { groupID: 1, payload: Buffer.from('nft'), ...owners() },
    }),
    'propertyfx.MintOutput': () => ({
      kind: 'propertyfx.MintOperation',
      mintInput: { signatureIndices: [0] },
      mintOutput: owners(),
      ownedOutput: owners(),
    }),
    'propertyfx.OwnedOutput': () => ({ kind: 'propertyfx.BurnOperation', signatureIndices: [0] }),
  };

  const randomTx = (): UnsignedTx | undefined => {
    const inputs = [takeOne(spendable, (utxo) => isTransfer(utxo) && utxo.assetID === feeAsset && amountOf(utxo) > 10_000n)].filter(
      (u) => u !== undefined,
    );
    const more = pick(2) === 0 ? takeOne(spendable, isTransfer) : undefined;
    if (more !== undefined) inputs.push(more);
    if (inputs.length === 0) return undefined;
    const plain = { ...base(), inputs: inputs.map(input), outputs: split(inputs) };
    const kind = pickOne(['BaseTx', 'BaseTx', 'CreateAssetTx', 'OperationTx', 'OperationTx', 'ImportTx', 'ExportTx'] as const);
    if (kind === 'CreateAssetTx')
      return createAsset(
        Array.from({ length: 1 + pick(4) }, () => pickOne(randomOutputs)()),
        plain,
      );
    if (kind === 'ExportTx') {
      const [exported, ...change] = plain.outputs;
      if (exported !== undefined)
        return {
          ...plain,
          kind,
          outputs: change,
          destinationChain: pickOne([...destinations, unindexedChainID]),
          exportedOutputs: [exported],
        };
    }
    if (kind === 'ImportTx') {
      const from = inbound.length === 0 ? undefined : pickOne(inbound).from;
      const imports = [1, 2].slice(0, 1 + pick(2)).map(() => takeOne(inbound, (put) => put.from === from));
      const utxos = imports.filter((put) => put !== undefined).map(({ utxo }) => utxo);
      if (from !== undefined && utxos.length > 0)
        return { ...plain, kind, outputs: [...plain.outputs, ...split(utxos)], sourceChain: from, importedInputs: utxos.map(input) };
    }
    if (kind === 'OperationTx') {
      const operated = takeOne(spendable, (utxo) => operations[utxo.output.kind] !== undefined);
      const operation = operated && operations[operated.output.kind]?.(operated.assetID);
      if (operated !== undefined && operation !== undefined) {
        const inputIDs = [{ txID: operated.txID, outputIndex: operated.outputIndex }];
        return { ...plain, kind, operations: [{ assetID: operated.assetID, inputIDs, operation }] };
      }
    }
    return { ...plain, kind: 'BaseTx' };
  };

  return {
    id,
    genesisTxs,
    firstBlock,
    feeAsset,
    pick,
    /** Adds an output that another chain exported to this one. */
    receive: (utxo: Utxo, from: Id): void => void inbound.push({ utxo, from }),
    /** Generates the next block, on the state after the previous one. `inboundUtxos` arrive from the unindexed chain before it. */
    next: (state: Pick<ChainState, 'utxo' | 'asset' | 'atomic' | 'tx'>, count = 1 + pick(5)): GeneratedBlock => {
      const inboundUtxos = Array.from({ length: pick(2) }, () =>
        makeUtxo(hashOf(`put ${seed} ${++nonce}`), pick(3), feeAsset, transfer(BigInt(20_000 + pick(1000)))),
      );
      for (const utxo of inboundUtxos) inbound.push({ utxo, from: unindexedChainID });
      const diff = createDiff(state);
      const txs: Tx[] = [];
      for (let i = 0; i < count; i++) {
        const unsigned = randomTx();
        if (unsigned === undefined) break;
        const tx = makeTx({ ...unsigned, blockchainID: id }, []);
        const effects = effectsOf(tx);
        diff.apply(tx, effects);
        spendable.push(...effects.created);
        txs.push(tx);
      }
      const gap = pickOne([0, 0, 1, 1, 2, 5, 60, 3600, 40_000, 86_400, 900_000]);
      const time = lastBlock.time + BigInt(lastBlock.height === 0n ? 5 : gap);
      lastBlock = makeBlock({ parentID: lastBlock.id, height: lastBlock.height + 1n, time, txs });
      return { block: lastBlock, diff, inboundUtxos };
    },
  };
}
