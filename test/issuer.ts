import { expect } from 'bun:test';
import { formatHex } from '../src/bytes/hex.ts';
import { type Id, idOf, idText } from '../src/bytes/id.ts';
import { parseTx, type Tx } from '../src/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/tx/utxo.ts';
import { createGenerator } from './generator.ts';
import type { Client } from './http.ts';
import type { Model } from './ledger-model.ts';
import { cChain, localModel, pChain } from './local-chain.ts';
import { createRandom, type Random } from './random.ts';
import { type Case, chance } from './random-world.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localTerms, ownedBy, signed, transfer, type Wallet } from './wallet-kit.ts';

/** A wallet at work on a running node of a fresh local network: random transactions of every kind. It keeps its own books. */
export type Issuer = {
  readonly random: Random;
  readonly wallet: Wallet;
  readonly model: Model;
  /** Money in many pieces, so that many transactions can be under way at once. Comes first. */
  readonly fund: () => Promise<Tx>;
  /** So many at once, bad ones among them, each followed until it is accepted; gives the accepted ones. */
  readonly issue: (count: number) => Promise<Tx[]>;
  /** Something to import; a developer's method, which AvalancheGo has not. */
  readonly deposit: () => Promise<void>;
  readonly deposited: readonly Utxo[];
};

export type IssuerOptions = { readonly seed: number; readonly client: Client; readonly spoiledPercent?: number };

const coin = 1_000_000_000_000n;

export function createIssuer({ seed, client, spoiledPercent = 15 }: IssuerOptions): Issuer {
  const random = createRandom(seed);
  const wallet = createWallet('issuer', { keys: [ewoq], count: 6 });
  const model = localModel();
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  // No lock opens while the test runs: what is spendable does not depend on how fast it is.
  const lockedUntil = () => now() + 1_000_000n;
  const generator = createGenerator({ random, model, wallet, now, lockedUntil, chains: [pChain, cChain], holds: false }, spoiledPercent);

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
    generator.settled();
    return txs;
  };

  return {
    random,
    wallet,
    model,
    fund: async () => {
      const pieces = Array.from({ length: 100 }, (_, i) =>
        transfer(localTerms.feeAsset, coin, ownedBy([wallet.keys[i % wallet.keys.length] as Key])),
      );
      const tx = signed(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, pieces));
      await issueAll([{ name: 'money in many pieces', bytes: tx.bytes, expected: 'accepted' }]);
      return tx;
    },
    issue: (count) => issueAll(Array.from({ length: count }, generator.next).filter((one) => one !== undefined)),
    deposit: async () => {
      const assetID = chance(random, 70) ? localTerms.feeAsset : random.pick([...model.assets.keys()]);
      const { output } = transfer(assetID, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)]));
      const utxo = makeUtxo(idOf(random.bytes(32)), random.below(3), assetID, output);
      const [from, chain] = random.pick([['P', pChain] as const, ['C', cChain] as const]);
      const { error } = await client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: from, utxo: formatHex('hex', utxo.bytes) });
      expect(error).toBeUndefined();
      model.deposit(chain, utxo);
      deposited.push(utxo);
      generator.settled();
    },
    deposited,
  };
}

/** Milliseconds after which a transaction that is not accepted will not be. */
const patience = 60_000;

async function untilAccepted(client: Client, id: Id): Promise<void> {
  const until = performance.now() + patience;
  for (;;) {
    const { result, error } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) });
    if ((result as { status?: string } | undefined)?.status === 'Accepted') return;
    if (performance.now() > until) throw new Error(`${idText(id)} is not accepted: ${JSON.stringify(error ?? result)}`);
    await Bun.sleep(1);
  }
}
