import { type Block, makeBlock } from '../../avm/tx/block.ts';
import type { Credential } from '../../avm/tx/credential.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { TransferableInput } from '../../avm/tx/input.ts';
import type { Operation } from '../../avm/tx/operation.ts';
import type { InitialState, OutputOwners, TransferableOutput } from '../../avm/tx/output.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { createScanningReads, type ScannedChain } from './scanning-reads.fixture.ts';

/** A chain of six blocks with every kind of transaction and output. Signatures are fake: the routes do not verify transactions. */

export const idNamed = (name: string): Id => sha256Hex(Buffer.from(name)) as Id;
const addressNamed = (name: string): Address => idNamed(name).slice(0, 40) as Address;

export const chainID = idNamed('x chain');
export const cChain = idNamed('c chain');
export const pChain = zeroId;
export const builder = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
export const unusedAddress = addressNamed('unused');
export const people = { alice: addressNamed('alice'), bob: addressNamed('bob'), carol: addressNamed('carol') };
const { alice, bob, carol } = people;

/** Block times in Unix seconds. */
export const times = [1000, 2000, 3000, 3000, 4000, 6000] as const;
export const maxLocktime = 2n ** 64n - 1n;

export const owners = (addresses: readonly Address[], threshold = 1, locktime = 0n): OutputOwners => ({
  locktime,
  threshold,
  addresses: [...addresses].sort(),
});
export const pay = (assetID: Id, amount: bigint, to: OutputOwners): TransferableOutput => ({
  assetID,
  output: { kind: 'secp256k1fx.TransferOutput', amount, ...to },
});
export const input = ({ txID, outputIndex, assetID, output }: Utxo): TransferableInput => ({
  txID,
  outputIndex,
  assetID,
  input: { kind: 'secp256k1fx.TransferInput', amount: 'amount' in output ? output.amount : 0n, signatureIndices: [0] },
});
export const operation = ({ txID, outputIndex, assetID }: Utxo, what: Operation['operation']): Operation => ({
  assetID,
  inputIDs: [{ txID, outputIndex }],
  operation: what,
});

type TxFields<K extends UnsignedTx['kind']> = Omit<Extract<UnsignedTx, { kind: K }>, 'networkID' | 'blockchainID' | 'memo'> & {
  memo?: string;
};

/** Makes a transaction. Each credential has one signature whose bytes all equal the index of the credential. */
export function tx<K extends UnsignedTx['kind']>(fields: TxFields<K>): Tx {
  const unsigned = { networkID: 12345, blockchainID: chainID, ...fields, memo: Buffer.from(fields.memo ?? '') } as unknown as UnsignedTx;
  const others = unsigned.kind === 'OperationTx' ? unsigned.operations : unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [];
  const credentials = Array.from(
    { length: unsigned.inputs.length + others.length },
    (_, slot): Credential => ({ kind: 'secp256k1fx.Credential', signatures: [Buffer.alloc(65, slot)] }),
  );
  return makeTx(unsigned, credentials);
}

/** An output of a transaction by index, including exported ones. */
export const output = (of: Tx, index: number): Utxo => outputsOf(of)[index] as Utxo;
export const outputsOf = (of: Tx): readonly Utxo[] => {
  const { created, exported } = effectsOf(of);
  return [...created, ...(exported?.utxos ?? [])];
};

export const asset = (
  name: string,
  symbol: string,
  denomination: number,
  initialStates: InitialState[],
  inputs: Utxo[],
  outputs: TransferableOutput[],
) =>
  tx<'CreateAssetTx'>({
    kind: 'CreateAssetTx',
    name: Buffer.from(name),
    symbol: Buffer.from(symbol),
    denomination,
    initialStates,
    inputs: inputs.map(input),
    outputs,
  });

function createSampleTxs() {
  const hold = (amount: bigint, to: Address) => ({ kind: 'secp256k1fx.TransferOutput' as const, amount, ...owners([to]) });
  const avax = asset('Avalanche', 'AVAX', 9, [{ fxIndex: 0, outputs: [hold(1000n, alice), hold(500n, bob)] }], [], []);
  const gift = tx<'BaseTx'>({
    kind: 'BaseTx',
    memo: 'hello',
    inputs: [input(output(avax, 0))],
    outputs: [
      pay(avax.id, 300n, owners([bob])),
      pay(avax.id, 200n, owners([alice, bob], 2)),
      pay(avax.id, 100n, owners([carol], 1, 5000n)),
      pay(avax.id, 50n, owners([carol], 1, maxLocktime)),
      pay(avax.id, 349n, owners([alice])),
    ],
  });
  const coin = asset(
    'Coin',
    'COIN',
    2,
    [{ fxIndex: 0, outputs: [{ kind: 'secp256k1fx.MintOutput', ...owners([alice]) }, hold(10n, alice)] }],
    [output(gift, 4)],
    [pay(avax.id, 348n, owners([alice]))],
  );
  const family = asset(
    'Family',
    'FAM',
    0,
    [
      {
        fxIndex: 1,
        outputs: [
          { kind: 'nftfx.MintOutput', groupID: 0, ...owners([bob]) },
          { kind: 'nftfx.MintOutput', groupID: 1, ...owners([bob]) },
        ],
      },
      { fxIndex: 2, outputs: [{ kind: 'propertyfx.MintOutput', ...owners([bob]) }] },
    ],
    [output(avax, 1)],
    [pay(avax.id, 499n, owners([bob]))],
  );
  const signs = { signatureIndices: [0] };
  const minting = tx<'OperationTx'>({
    kind: 'OperationTx',
    inputs: [],
    outputs: [],
    operations: [
      operation(output(coin, 1), {
        kind: 'secp256k1fx.MintOperation',
        mintInput: signs,
        mintOutput: owners([alice]),
        transferOutput: { amount: 5n, ...owners([bob]) },
      }),
    ],
  });
  const picture = tx<'OperationTx'>({
    kind: 'OperationTx',
    inputs: [input(output(family, 0))],
    outputs: [pay(avax.id, 498n, owners([bob]))],
    operations: [
      operation(output(family, 1), {
        kind: 'nftfx.MintOperation',
        mintInput: signs,
        groupID: 0,
        payload: Buffer.from('picture'),
        outputs: [owners([alice])],
      }),
      operation(output(family, 3), {
        kind: 'propertyfx.MintOperation',
        mintInput: signs,
        mintOutput: owners([bob]),
        ownedOutput: owners([bob]),
      }),
    ],
  });
  const passed = tx<'OperationTx'>({
    kind: 'OperationTx',
    inputs: [],
    outputs: [],
    operations: [
      operation(output(picture, 1), {
        kind: 'nftfx.TransferOperation',
        input: signs,
        output: { groupID: 0, payload: Buffer.from('picture'), ...owners([carol]) },
      }),
      operation(output(picture, 3), { kind: 'propertyfx.BurnOperation', ...signs }),
    ],
  });
  const exported = tx<'ExportTx'>({
    kind: 'ExportTx',
    inputs: [input(output(gift, 0))],
    outputs: [pay(avax.id, 49n, owners([bob]))],
    destinationChain: cChain,
    exportedOutputs: [pay(avax.id, 250n, owners([bob]))],
  });
  const fromP = makeUtxo(idNamed('export of P'), 7, avax.id, pay(avax.id, 77n, owners([carol])).output);
  const imported = tx<'ImportTx'>({
    kind: 'ImportTx',
    inputs: [],
    outputs: [pay(avax.id, 76n, owners([carol]))],
    sourceChain: pChain,
    importedInputs: [input(fromP)],
  });
  return { txs: { avax, gift, coin, family, minting, picture, passed, exported, imported }, fromP };
}

const sample = createSampleTxs();
export const { txs } = sample;
const blockTxs: Tx[][] = [[], [txs.gift], [txs.coin, txs.family], [txs.minting, txs.picture], [txs.passed], [txs.exported, txs.imported]];

/** The sample chain; each of the `extra` transactions is added in a block of its own. */
export function sampleChain(extra: readonly Tx[] = []): ScannedChain {
  const blocks: Block[] = [];
  for (const [height, inBlock] of [...blockTxs, ...extra.map((extraTx) => [extraTx])].entries()) {
    const time = BigInt(times[height] ?? 7000 + height);
    blocks.push(makeBlock({ parentID: blocks.at(-1)?.id ?? idNamed('before'), height: BigInt(height), time, txs: inBlock }));
  }
  return { id: chainID, genesisTxs: [txs.avax], blocks, deposits: [{ from: pChain, utxo: sample.fromP, seen: 5500 }] };
}

/** A payment without inputs, for an extra block. */
export const payment = (to: Address, amount: bigint): Tx =>
  tx<'BaseTx'>({ kind: 'BaseTx', inputs: [], outputs: [pay(txs.avax.id, amount, owners([to]))] });

export const now = 10_000;

export const sampleServedChain = (reads: IndexReads, changed: Partial<ServedChain> = {}): ServedChain => ({
  id: chainID,
  aliases: ['X', 'avm'],
  slug: 'x-chain',
  title: 'X-Chain',
  vmID: Buffer.from('avm').toString('hex').padEnd(64, '0') as Id,
  feeAsset: txs.avax.id,
  genesisBytes: Buffer.from('genesis'),
  rpcUrl: '/ext/bc/X',
  reads,
  status: () => 'OK',
  epoch: () => 0,
  backfillAddresses: undefined,
  ...changed,
});

export const sampleServed = (
  chain: ServedChain = sampleServedChain(createScanningReads(sampleChain())),
  changed: Partial<ServedChains> = {},
): ServedChains => ({
  network: {
    id: 12345,
    name: 'local',
    names: ['local', '12345'],
    hrp: 'local',
    alias: undefined,
    isTestnet: true,
    subnetID: zeroId,
    startTime: 900,
  },
  chains: [chain],
  otherChains: [
    { id: pChain, alias: 'P', evmChainId: 0 },
    { id: cChain, alias: 'C', evmChainId: 43_112 },
  ],
  builder,
  now: () => now,
  ...changed,
});
