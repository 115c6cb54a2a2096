import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { bech32Encode } from '../src/base/bytes/bech32.ts';
import { formatHex, fromHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, ownedBy, signDraft, transfer, type Wallet } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import { createPosts, type LoadGenerator } from './load.ts';

/**
 * Transactions that bring any local network from its genesis to the state that the rows query. They are grouped in layers: a node verifies
 * against accepted state, so a layer may only be issued when the previous one is accepted.
 */
export type Fixture = {
  readonly layers: readonly (readonly Tx[])[];
  /** Owns 5,000 UTXOs, created by ten transactions with 501 outputs each. */
  readonly richAddress: string;
  readonly wideTxs: readonly Tx[];
  /** Transactions with one input and one output. */
  readonly smallTxs: readonly Tx[];
  /** Independent transactions to be issued while measuring, by round. */
  readonly toIssue: readonly (readonly Tx[])[];
};

export const richUtxos = 5000;

export function createFixture(rounds: number, issuedPerRound: number): Fixture {
  const wallet = createWallet('bench', { count: 3, keys: [ewoq] });
  const rich = wallet.keys[2] as Key;
  const wideCount = richUtxos / wideOutputs;
  const smallCount = 256;
  const { root, parts, fans, spends } = fanOut(wallet, ewoqGenesisUtxo, wideCount, smallCount + rounds * issuedPerRound);
  const wideTxs = parts.map((utxo) => split(wallet, utxo, wideOutputs, 1_000_000n, rich));
  const smallTxs = spends.slice(0, smallCount);
  return {
    layers: [[root], [...wideTxs, ...fans], smallTxs],
    richAddress: formatXAddress(rich.address),
    wideTxs,
    smallTxs,
    toIssue: splitIntoRounds(spends.slice(smallCount), rounds),
  };
}

/** A fixture only for issuing: transactions that spend an output of ewoq, in layers and then by round. */
export function createSpendFixture(utxo: Utxo, rounds: number, issuedPerRound: number): Pick<Fixture, 'layers' | 'toIssue'> {
  const wallet = createWallet('spends', { count: 3, keys: [ewoq] });
  const { root, fans, spends } = fanOut(wallet, utxo, 0, rounds * issuedPerRound);
  return { layers: [[root], fans], toIssue: splitIntoRounds(spends, rounds) };
}

/** Issues every layer and waits until each of its transactions is accepted. */
export async function issueFixture({ layers }: Pick<Fixture, 'layers'>, port: number, load: LoadGenerator): Promise<void> {
  for (const txs of layers) {
    await issueAll(txs, port, load);
    await waitAccepted(txs, port, load);
  }
}

/** Issues transactions in order; returns the seconds from the first request until the last 64 are accepted. */
export async function issueAll(txs: readonly Tx[], port: number, load: LoadGenerator): Promise<number> {
  const { errors, firstError, seconds } = await load.sendOnce({
    port,
    calls: createPosts(xPath, txs.map(issueBody)),
    confirm: waitForAccepted(txs.slice(-64)),
  });
  if (errors > 0) throw new BenchError(`${errors} of ${txs.length} transactions were rejected: ${firstError}`);
  return seconds;
}

/** Waits until every transaction is accepted; returns the seconds it had to wait, 0 if all were accepted already. */
export async function waitAccepted(txs: readonly Tx[], port: number, load: LoadGenerator): Promise<number> {
  const { waits, seconds } = await load.sendOnce({ port, calls: [], confirm: waitForAccepted(txs) });
  return waits === 0 ? 0 : seconds;
}

export const xPath = '/ext/bc/X';

export const rpcBody = (method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });

export const formatXAddress = (address: Address): string => `X-${bech32Encode('local', fromHex(address))}`;

const issueBody = (tx: Tx): string => rpcBody('avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
const waitForAccepted = (txs: readonly Tx[]) => ({
  calls: createPosts(xPath, txs.map(statusBody)),
  confirmed: '"Accepted"',
  withinSeconds: 60,
});
const statusBody = (tx: Tx): string => rpcBody('avm.getTxStatus', { txID: idText(tx.id) });

/** Splits an output into `parts` outputs, which stay unspent, and `coins` outputs, each spent by a transaction of its own. */
function fanOut(
  wallet: Wallet,
  utxo: Utxo,
  parts: number,
  coins: number,
): { root: Tx; parts: readonly Utxo[]; fans: readonly Tx[]; spends: readonly Tx[] } {
  const [, spender, , sink] = wallet.keys as [Key, Key, Key, Key];
  const spendable = (tx: Tx) => effectsOf(tx).created.filter(({ output }) => output.addresses[0] === spender.address);
  const root = split(wallet, utxo, parts + Math.ceil(coins / fanOutputs), 1_000_000_000_000n, spender);
  const fans = spendable(root)
    .slice(parts)
    .map((part) => split(wallet, part, fanOutputs, 2n * fee, spender));
  const spends = fans
    .flatMap(spendable)
    .slice(0, coins)
    .map((coin) => signDraft(baseTx(wallet, { utxos: [coin] }, [transfer(coin.assetID, fee, ownedBy([sink]))])));
  return { root, parts: spendable(root).slice(0, parts), fans, spends };
}

const splitIntoRounds = <T>(all: readonly T[], rounds: number): T[][] =>
  Array.from({ length: rounds }, (_, round) => all.slice((round * all.length) / rounds, ((round + 1) * all.length) / rounds));

/** Splits an output into `count` outputs of the same amount, and one for the change. */
function split(wallet: Wallet, utxo: Utxo, count: number, amount: bigint, to: Key): Tx {
  const output = transfer(utxo.assetID, amount, ownedBy([to]));
  return signDraft(baseTx(wallet, { utxos: [utxo] }, Array<typeof output>(count).fill(output)));
}

const fee = 1_000_000n;
const wideOutputs = 500;
/** An output is 80 bytes and a transaction at most 64 KiB. */
const fanOutputs = 700;
