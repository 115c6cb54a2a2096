import { expect } from 'bun:test';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { type Id, idOf, idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { createdBy, type LedgerModel } from './ledger-model.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { eventually } from './processes.ts';
import { createRandom, type Random } from './random.ts';
import { type Case, chance } from './random-world.ts';
import { createTxGenerator } from './tx-generator.ts';
import {
  baseTx,
  createWallet,
  ewoq,
  ewoqGenesisUtxo,
  importTx,
  type Key,
  localChainParams,
  ownedBy,
  signDraft,
  transfer,
  type Wallet,
} from './wallet-kit.ts';

/** Issues random transactions of every type to a running node of a new local network, and tracks them in a model of the ledger. */
export type Issuer = {
  readonly random: Random;
  readonly wallet: Wallet;
  readonly model: LedgerModel;
  /** Splits the funds into many outputs, so that many transactions can be pending at once. Call it first. */
  readonly fund: () => Promise<Tx>;
  /** Issues `count` transactions at once, some of them invalid; waits for acceptance and returns the accepted ones. */
  readonly issue: (count: number) => Promise<Tx[]>;
  /** Adds an output to import, with the `dev.addAtomicUTXO` method, which AvalancheGo does not have. */
  readonly deposit: () => Promise<void>;
  readonly deposited: readonly Utxo[];
};

/** `funds`: those of ewoq, or an output of another chain, so that nothing that others own is spent and no one else has an output of this wallet. */
type IssuerOptions = {
  readonly seed: number;
  readonly client: Client;
  readonly invalidPercent?: number;
  readonly funds?: 'genesis' | 'deposit';
};

const coin = 1_000_000_000_000n;
const otherChains = [['P', pChain] as const, ['C', cChain] as const] as const;

export function createIssuer({ seed, client, invalidPercent = 15, funds = 'genesis' }: IssuerOptions): Issuer {
  const random = createRandom(seed);
  const wallet = createWallet('issuer', { keys: funds === 'genesis' ? [ewoq] : [], count: 6 });
  const model = localModel();
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  // No output is unlocked while the test runs, so that the spendable outputs do not depend on its speed.
  const farLocktime = () => now() + 1_000_000n;
  const generator = createTxGenerator(
    { random, model, wallet, now, lockedUntil: farLocktime, chains: [pChain, cChain], holdsPending: false },
    invalidPercent,
  );

  const deposited: Utxo[] = [];

  const issueOne = async ({ name, bytes, expected }: Case): Promise<Tx | undefined> => {
    const { error } = await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', bytes), encoding: 'hex' });
    if (expected !== 'either') expect([name, error?.message]).toEqual([name, expected === 'accepted' ? undefined : expect.any(String)]);
    if (error !== undefined) return undefined;
    const tx = parseTx(bytes);
    await untilAccepted(client, tx.id);
    return tx;
  };
  const issueAll = async (cases: readonly Case[]): Promise<Tx[]> => {
    const txs = (await Promise.all(cases.map(issueOne))).filter((tx) => tx !== undefined);
    for (const tx of txs) model.apply(tx);
    generator.reset();
    return txs;
  };

  /** Adds an output to import. */
  const deposit = async (utxo: Utxo, [from, chain]: readonly [alias: string, id: Id]): Promise<void> => {
    const { error } = await client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: from, utxo: formatHex('hex', utxo.bytes) });
    expect(error).toBeUndefined();
    model.deposit(chain, utxo);
    deposited.push(utxo);
    generator.reset();
  };

  const importFunds = async (): Promise<Utxo> => {
    const [key] = wallet.keys as [Key];
    const amount = 1000n * coin;
    const { output } = transfer(localChainParams.feeAsset, amount, ownedBy([key]));
    const utxo = makeUtxo(idOf(random.bytes(32)), 0, localChainParams.feeAsset, output);
    await deposit(utxo, otherChains[1]);
    const tx = signDraft(
      importTx(
        wallet,
        { utxos: [] },
        cChain,
        [utxo],
        [transfer(localChainParams.feeAsset, amount - localChainParams.txFee, ownedBy([key]))],
      ),
    );
    await issueAll([{ name: 'import the funds', bytes: tx.bytes, expected: 'accepted' }]);
    return createdBy(tx)[0] as Utxo;
  };

  return {
    random,
    wallet,
    model,
    fund: async () => {
      const pieces = Array.from({ length: 100 }, (_, i) =>
        transfer(localChainParams.feeAsset, coin, ownedBy([wallet.keys[i % wallet.keys.length] as Key])),
      );
      const tx = signDraft(baseTx(wallet, { utxos: [funds === 'genesis' ? ewoqGenesisUtxo : await importFunds()] }, pieces));
      await issueAll([{ name: 'split the funds into many outputs', bytes: tx.bytes, expected: 'accepted' }]);
      return tx;
    },
    issue: (count) => issueAll(Array.from({ length: count }, generator.next).filter((one) => one !== undefined)),
    deposit: async () => {
      const assetID = chance(random, 70) ? localChainParams.feeAsset : random.pick([...model.assets.keys()]);
      const { output } = transfer(assetID, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)]));
      const utxo = makeUtxo(idOf(random.bytes(32)), random.below(3), assetID, output);
      await deposit(utxo, random.pick(otherChains));
    },
    deposited,
  };
}

/** Milliseconds to wait for a transaction to be accepted. */
const acceptTimeout = 60_000;

async function untilAccepted(client: Client, id: Id): Promise<void> {
  const readStatus = () => client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) });
  await eventually(readStatus, ({ result }) => (result as { status?: string } | undefined)?.status === 'Accepted', acceptTimeout);
}
