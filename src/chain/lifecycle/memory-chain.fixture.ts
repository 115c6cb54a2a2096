import { type Block, makeBlock } from '../../avm/tx/block.ts';
import type { TransferableInput } from '../../avm/tx/input.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { makeUtxo, refId } from '../../avm/tx/utxo.ts';
import { TxError } from '../../avm/verify/fault.ts';
import { spentOutput } from '../../avm/verify/spend.ts';
import { assetOf } from '../../avm/view.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { type Chain, createChain } from './chain.ts';
import type { ChainDeps } from './chain-deps.ts';
import type { Ledger } from './ledger.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** A chain on a ledger in memory, whose rules only ask whether the inputs exist. */

export const asset = 'aa'.repeat(32) as Id;
export const other = 'bb'.repeat(32) as Id;
const output = (amount: bigint) => ({ kind: 'secp256k1fx.TransferOutput' as const, amount, locktime: 0n, threshold: 1, addresses: [] });
export const genesis = makeTx(
  { kind: 'BaseTx', networkID: 1, blockchainID: zeroId, outputs: [], inputs: [], memo: Buffer.from('genesis') },
  [],
);
const coin = (index: number) => makeUtxo(genesis.id, index, asset, output(100n));

const input = (txID: Id, outputIndex: number): TransferableInput => ({
  txID,
  outputIndex,
  assetID: asset,
  input: { kind: 'secp256k1fx.TransferInput', amount: 100n, signatureIndices: [] },
});

/** Returns a transaction that spends some outputs and creates one. Another memo gives another transaction ID. */
export const spend = (refs: [Id, number][], memo = '', extra = 0): Tx =>
  makeTx(
    {
      kind: 'BaseTx',
      networkID: 1,
      blockchainID: zeroId,
      outputs: [{ assetID: asset, output: output(100n) }],
      inputs: refs.map(([txID, index]) => input(txID, index)),
      memo: Buffer.from(memo.padEnd(extra, '.')),
    },
    [],
  );

export const importTx = (memo: string): Tx =>
  makeTx(
    {
      kind: 'ImportTx',
      networkID: 1,
      blockchainID: zeroId,
      outputs: [],
      inputs: [],
      memo: Buffer.from(memo),
      sourceChain: other,
      importedInputs: [input(other, 0)],
    },
    [],
  );

/** Checks only that the inputs exist; src/avm/verify tests the rules. */
export const verifier: TxVerifier = {
  verifySyntax: (tx) => {
    if (Buffer.from(tx.unsigned.memo).includes('malformed')) throw new TxError('malformed', { code: 'TX_NO_VALUE_OUTPUT' });
  },
  verifySpend: (tx, view) => {
    for (const { txID, outputIndex } of tx.unsigned.inputs)
      if (view.utxo({ txID, outputIndex }) === undefined)
        throw new TxError('not found', { code: 'TX_UTXO_NOT_FOUND', ...spentOutput({ txID, outputIndex }) });
  },
  expectedSignatures: () => [],
  setBootstrapping: () => {},
};

export function memoryLedger(coins: number): Ledger & { blocks: Map<Id, Block> } {
  const utxos = new Map<Id, Utxo>();
  const consumed = new Map<Id, Id>();
  const txs = new Map<Id, Tx>();
  const blocks = new Map<Id, Block>();
  for (let i = 0; i < coins; i++) utxos.set(coin(i).id, coin(i));
  let last = makeBlock({ parentID: zeroId, height: 0n, time: 1000n, txs: [] });
  blocks.set(last.id, last);
  return {
    blocks,
    utxo: (ref) => utxos.get(refId(ref)),
    asset: (id) => {
      const tx = txs.get(id);
      return tx && assetOf(tx);
    },
    atomic: () => undefined,
    tx: (id) => txs.get(id),
    lastAccepted: () => last,
    block: (id) => blocks.get(id)?.bytes,
    blockIdAt: (height) => [...blocks.values()].find((block) => block.height === height)?.id,
    hasTx: (id) => txs.has(id),
    wasConsumed: (ref) => consumed.has(refId(ref)),
    wasImported: () => false,
    consumerOf: (ref) => consumed.get(refId(ref)),
    accept: (accepted, writeMore) => {
      writeMore?.();
      for (const { block, diff } of accepted) {
        for (const { tx, effects } of diff.applied) {
          txs.set(tx.id, tx);
          for (const ref of effects.spent) {
            utxos.delete(refId(ref));
            consumed.set(refId(ref), tx.id);
          }
          for (const utxo of effects.created) utxos.set(utxo.id, utxo);
        }
        blocks.set(block.id, block);
        last = block;
      }
    },
  };
}

export function setUp(
  differences = true,
  coins = 100,
  more: Partial<ChainDeps> = {},
): {
  chain: Chain;
  ledger: ReturnType<typeof memoryLedger>;
  decide: () => Block | undefined;
  setNow: (now: bigint) => void;
} {
  const ledger = memoryLedger(coins);
  let now = 2000n;
  const chain = createChain({
    ledger,
    verifier,
    now: () => now,
    differences: { retryRefused: differences, skipFailedWalletTx: differences },
    ...more,
  });
  const decide = () => {
    const block = chain.build();
    if (block === undefined) return undefined;
    chain.verify(block);
    chain.setPreference(block.id);
    chain.accept([block.id]);
    return ledger.blocks.get(block.id);
  };
  return {
    chain,
    ledger,
    decide,
    setNow: (at) => {
      now = at;
    },
  };
}

export const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'accepted';
};
