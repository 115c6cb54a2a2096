import type { Address } from '../bytes/address.ts';
import { sha256Hex } from '../bytes/hash.ts';
import type { Id } from '../bytes/id.ts';
import { type ChainState, openState } from '../state/chain-state.ts';
import { diffOn } from '../state/diff.ts';
import { prng } from '../state/random-chain.fixture.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath, type OpenDatabase } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import { type Block, makeBlock } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output, OutputOwners } from '../tx/output.ts';
import { makeTx, type Tx } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';

const named = (text: string): Id => sha256Hex(Buffer.from(text)) as Id;

export const worldGenesis = named('genesis of the world');
export const worldChains = [named('chain one'), named('chain two')] as const;
/** A chain that nobody here runs: it takes exports and gives imports. */
export const outside = named('outside');

export type WorldBlock = { readonly block: Block; readonly diff: ReturnType<typeof diffOn>; readonly puts: readonly Utxo[] };
export type WorldChain = ReturnType<typeof worldChain>;

/** A database for both chains of a world. */
export function openWorld(open: OpenDatabase, path: string = memoryPath) {
  const store = openStore(open, { path, networkID: 12345, genesis: worldGenesis });
  const memory = openSharedMemory(store);
  const states = worldChains.map((id) => openState(store, memory, { id, genesis: worldGenesis }));
  return { store, memory, states, close: store.close };
}

export type OpenWorld = ReturnType<typeof openWorld>;

/** Blocks of one chain with every kind of transaction, fees paid, to be judged by nobody. Time passes in seconds, hours, weeks. */
export function worldChain(seed: number, id: Id, peers: readonly Id[], addressCount = 10) {
  const random = prng(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const one = <T>(from: readonly T[]): T => from[pick(from.length)] as T;
  const addresses = Array.from({ length: addressCount }, (_, i) => named(`owner ${i}`).slice(0, 40) as Address).sort();
  let nonce = 0;

  const owners = (): OutputOwners => {
    const count = one([1, 1, 1, 1, 2, 3, 0]);
    const chosen = [...new Set(Array.from({ length: count }, () => one(addresses)))].sort();
    return {
      locktime: pick(5) === 0 ? BigInt(1 + pick(2)) * 1000n : 0n,
      threshold: Math.min(1 + pick(2), chosen.length),
      addresses: chosen,
    };
  };
  const transfer = (amount: bigint) => ({ kind: 'secp256k1fx.TransferOutput' as const, amount, ...owners() });
  const states: (() => Output)[] = [
    () => transfer(BigInt(1 + pick(1_000_000))),
    () => ({ kind: 'secp256k1fx.MintOutput', ...owners() }),
    () => ({ kind: 'nftfx.MintOutput', groupID: pick(3), ...owners() }),
    () => ({ kind: 'nftfx.TransferOutput', groupID: pick(3), payload: Buffer.alloc(pick(20), 1), ...owners() }),
    () => ({ kind: 'propertyfx.MintOutput', ...owners() }),
    () => ({ kind: 'propertyfx.OwnedOutput', ...owners() }),
  ];
  const base = () => ({ networkID: 12345, blockchainID: id, outputs: [], inputs: [], memo: Buffer.from(`${seed} ${++nonce}`) });
  const creation = (outputs: readonly Output[], extra: object = {}): UnsignedTx => ({
    ...base(),
    kind: 'CreateAssetTx',
    name: Buffer.from(`Asset ${nonce}`),
    symbol: Buffer.from('TEST'),
    denomination: pick(33),
    initialStates: [{ fxIndex: 0, outputs: [...outputs] }],
    ...extra,
  });

  const rich = Array.from({ length: 12 }, () => transfer(10n ** 15n));
  const genesisTxs = [makeTx(creation(rich), []), makeTx(creation(states.map((make) => make())), [])];
  const feeAsset = (genesisTxs[0] as Tx).id;
  const first = makeBlock({ parentID: worldGenesis, height: 0n, time: 1_700_000_000n, txs: [] });
  let last: Block = first;
  const free: Utxo[] = genesisTxs.flatMap((tx) => [...effectsOf(tx).created]);
  const inbound: { utxo: Utxo; from: Id }[] = [];

  const isMoney = ({ output }: Utxo): boolean => output.kind === 'secp256k1fx.TransferOutput';
  const amountOf = ({ output }: Utxo): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);
  const takeOne = <T>(from: T[], fits: (item: T) => boolean): T | undefined => {
    const found = from.filter(fits);
    const chosen = found.length === 0 ? undefined : one(found);
    if (chosen !== undefined) from.splice(from.indexOf(chosen), 1);
    return chosen;
  };
  const input = (utxo: Utxo) => ({
    txID: utxo.txID,
    outputIndex: utxo.outputIndex,
    assetID: utxo.assetID,
    input: { kind: 'secp256k1fx.TransferInput' as const, amount: amountOf(utxo), signatureIndices: [0] },
  });
  /** Splits what comes in, asset by asset, and leaves a fee of the fee asset. */
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

  const anyTx = (): UnsignedTx | undefined => {
    const money = [takeOne(free, (utxo) => isMoney(utxo) && utxo.assetID === feeAsset && amountOf(utxo) > 10_000n)].filter(
      (u) => u !== undefined,
    );
    const more = pick(2) === 0 ? takeOne(free, isMoney) : undefined;
    if (more !== undefined) money.push(more);
    if (money.length === 0) return undefined;
    const plain = { ...base(), inputs: money.map(input), outputs: split(money) };
    const kind = one(['BaseTx', 'BaseTx', 'CreateAssetTx', 'OperationTx', 'OperationTx', 'ImportTx', 'ExportTx'] as const);
    if (kind === 'CreateAssetTx')
      return creation(
        Array.from({ length: 1 + pick(4) }, () => one(states)()),
        plain,
      );
    if (kind === 'ExportTx') {
      const [exported, ...kept] = plain.outputs;
      if (exported !== undefined)
        return { ...plain, kind, outputs: kept, destinationChain: one([...peers, outside]), exportedOutputs: [exported] };
    }
    if (kind === 'ImportTx') {
      const from = inbound.length === 0 ? undefined : one(inbound).from;
      const taken = [1, 2].slice(0, 1 + pick(2)).map(() => takeOne(inbound, (put) => put.from === from));
      const utxos = taken.filter((put) => put !== undefined).map(({ utxo }) => utxo);
      if (from !== undefined && utxos.length > 0)
        return { ...plain, kind, outputs: [...plain.outputs, ...split(utxos)], sourceChain: from, importedInputs: utxos.map(input) };
    }
    if (kind === 'OperationTx') {
      const moved = takeOne(free, (utxo) => operations[utxo.output.kind] !== undefined);
      const operation = moved && operations[moved.output.kind]?.(moved.assetID);
      if (moved !== undefined && operation !== undefined) {
        const inputIDs = [{ txID: moved.txID, outputIndex: moved.outputIndex }];
        return { ...plain, kind, operations: [{ assetID: moved.assetID, inputIDs, operation }] };
      }
    }
    return { ...plain, kind: 'BaseTx' };
  };

  return {
    id,
    genesisTxs,
    first,
    feeAsset,
    pick,
    /** What another chain exported here. */
    receive: (utxo: Utxo, from: Id): void => void inbound.push({ utxo, from }),
    /** The next block, on the state after the ones before; `puts` come from outside, before it. */
    next: (state: Pick<ChainState, 'utxo' | 'asset' | 'atomic' | 'tx'>, count = 1 + pick(5)): WorldBlock => {
      const puts = Array.from({ length: pick(2) }, () =>
        makeUtxo(named(`put ${seed} ${++nonce}`), pick(3), feeAsset, transfer(BigInt(20_000 + pick(1000)))),
      );
      for (const utxo of puts) inbound.push({ utxo, from: outside });
      const diff = diffOn(state);
      const txs: Tx[] = [];
      for (let i = 0; i < count; i++) {
        const unsigned = anyTx();
        if (unsigned === undefined) break;
        const tx = makeTx({ ...unsigned, blockchainID: id }, []);
        const effects = effectsOf(tx);
        diff.apply(tx, effects);
        free.push(...effects.created);
        txs.push(tx);
      }
      const gap = one([0, 0, 1, 1, 2, 5, 60, 3600, 40_000, 86_400, 900_000]);
      const time = last.time + BigInt(last.height === 0n ? 5 : gap);
      last = makeBlock({ parentID: last.id, height: last.height + 1n, time, txs });
      return { block: last, diff, puts };
    },
  };
}
